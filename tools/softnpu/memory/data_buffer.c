/* SPDX-License-Identifier: Apache-2.0 */
/* Data buffers: an address and a size that operators and models are given. */
#include <stdlib.h>

#include "tools/softnpu/core/npu.h"

struct aclDataBuffer {
	void *data;
	size_t size;
};

/* NULL and 0 are an optional input that is left out. */
aclDataBuffer *aclCreateDataBuffer(void *data, size_t size)
{
	aclDataBuffer *buffer = malloc(sizeof(*buffer));

	if (!buffer) {
		npu_note_error(ACL_ERROR_BAD_ALLOC, "no memory for a data buffer");
		return NULL;
	}
	*buffer = (aclDataBuffer){data, size};
	return buffer;
}

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer)
{
	free((aclDataBuffer *)dataBuffer);
	return ACL_SUCCESS;
}

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size)
{
	*dataBuffer = (aclDataBuffer){data, size};
	return ACL_SUCCESS;
}

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->data : NULL;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer)
{
	return dataBuffer ? dataBuffer->size : 0;
}

uint32_t aclGetDataBufferSize(const aclDataBuffer *dataBuffer)
{
	return (uint32_t)aclGetDataBufferSizeV2(dataBuffer);
}
