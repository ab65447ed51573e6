/* SPDX-License-Identifier: Apache-2.0 */
/* Configurations of streams, and streams made from them. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/npu.h"

aclrtStreamConfigHandle *aclrtCreateStreamConfigHandle(void)
{
	aclrtStreamConfigHandle *config = calloc(1, sizeof(*config));

	if (!config)
		npu_err(ACL_ERROR_BAD_ALLOC, "no memory for a configuration");
	return config;
}

aclError aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
	free(handle);
	return ACL_SUCCESS;
}

/* Flags are given as the structure has them, or as the other functions that create streams take them. */
aclError aclrtSetStreamConfigOpt(
	aclrtStreamConfigHandle *handle, aclrtStreamConfigAttr attr, const void *attrValue, size_t valueSize)
{
	const struct {
		void *to;
		size_t size, size_elsewhere;
	} members[] = {
		[ACL_RT_STREAM_WORK_ADDR_PTR] = {&handle->workptr, sizeof(handle->workptr), 0},
		[ACL_RT_STREAM_WORK_SIZE] = {&handle->workSize, sizeof(handle->workSize), 0},
		[ACL_RT_STREAM_FLAG] = {&handle->flag, sizeof(handle->flag), sizeof(uint32_t)},
		[ACL_RT_STREAM_PRIORITY] = {&handle->priority, sizeof(handle->priority), 0},
	};

	if (!handle || !attrValue)
		return npu_err(ACL_ERROR_INVALID_PARAM, "handle or attrValue is NULL");
	if ((unsigned)attr >= ARRAY_SIZE(members) ||
		(valueSize != members[attr].size && valueSize != members[attr].size_elsewhere) || !valueSize)
		return npu_err(
			ACL_ERROR_INVALID_PARAM, "unknown attribute %d, or a value of another size", attr);
	memset(members[attr].to, 0, members[attr].size);
	memcpy(members[attr].to, attrValue, valueSize);
	return ACL_SUCCESS;
}

/* Streams here need no memory of the program to work in. */
aclError aclrtCreateStreamV2(aclrtStream *stream, const aclrtStreamConfigHandle *handle)
{
	return aclrtCreateStreamWithConfig(stream, handle->priority, (uint32_t)handle->flag);
}
