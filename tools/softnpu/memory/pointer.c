/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about addresses. */
#include <string.h>

#include "tools/softnpu/memory/memory.h"

static aclError attributes_of(const void *ptr, aclrtPtrAttributes *attr)
{
	const struct block *b = block_find(ptr);
	struct place p = place_of(ptr);

	memset(attr, 0, sizeof(*attr));
	attr->location.id = p.loc == LOC_DEVICE ? (uint32_t)p.device : 0;
	attr->location.type = p.loc == LOC_DEVICE    ? ACL_MEM_LOCATION_TYPE_DEVICE
			      : p.loc == LOC_HOST    ? ACL_MEM_LOCATION_TYPE_HOST
			      : p.loc == LOC_MANAGED ? ACL_MEM_LOCATION_TYPE_MANAGED
						     : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	attr->pageSize = page_bytes(b ? b->page_type : 0);
	return ACL_SUCCESS;
}

aclError aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
	return LOCKED(attributes_of(ptr, attributes));
}

static aclError range_of(const void *ptr, void **base, size_t *size)
{
	const struct block *b = block_find(ptr);

	if (!b)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is in no allocation", ptr);
	if (base)
		*base = b->addr;
	if (size)
		*size = b->requested;
	return ACL_SUCCESS;
}

aclError aclrtMemGetAddressRange(void *ptr, void **pbase, size_t *psize)
{
	return LOCKED(range_of(ptr, pbase, psize));
}

/* Documents and headers disagree about the reserved bit: both are taken. */
#define KNOWN_TYPES (ACL_RT_MEM_TYPE_DEV | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD | 0x20u)

static bool is_of(const void *ptr, uint32_t types)
{
	return types & ACL_RT_MEM_TYPE_DEV && place_of(ptr).loc == LOC_DEVICE;
}

static aclError check_all(void **list, uint32_t n, uint32_t types, uint32_t *result)
{
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	*result = 1;
	for (uint32_t i = 0; i < n; i++)
		if (!is_of(list[i], types))
			*result = 0;
	return ACL_SUCCESS;
}

aclError aclrtCheckMemType(
	void **addrList, uint32_t size, uint32_t memType, uint32_t *checkResult, uint32_t reserve)
{
	if (checkResult)
		*checkResult = 0;
	if (!addrList || !size || !checkResult || reserve || memType & ~KNOWN_TYPES)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a pointer is NULL, size 0, or a value unknown");
	return LOCKED(check_all(addrList, size, memType, checkResult));
}
