/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about addresses. */
#include <string.h>

#include "tools/softnpu/memory/memory.h"

static aclError attributes_of(const void *ptr, aclrtPtrAttributes *attr)
{
	const struct block *b = block_find(ptr);
	struct place p = place_of(ptr);
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	memset(attr, 0, sizeof(*attr));
	attr->location.id = p.loc == LOC_DEVICE ? (uint32_t)p.device : 0;
	attr->location.type = p.loc == LOC_DEVICE    ? ACL_MEM_LOCATION_TYPE_DEVICE
			      : p.loc == LOC_HOST    ? ACL_MEM_LOCATION_TYPE_HOST
			      : p.loc == LOC_MANAGED ? ACL_MEM_LOCATION_TYPE_MANAGED
						     : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
	attr->pageSize = b && b->page_type == 2 ? 1u << 30 : b && b->page_type ? 2u << 20 : 4096;
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
#define KNOWN_TYPES (0x1u | ACL_RT_MEM_TYPE_DEV | 0x4u | ACL_RT_MEM_TYPE_DVPP | ACL_RT_MEM_TYPE_RSVD | 0x20u)
#define TYPE_HOST 0x4u
#define TYPE_MANAGED 0x1u

static uint32_t type_of(const void *ptr)
{
	switch (place_of(ptr).loc) {
	case LOC_DEVICE:
		return ACL_RT_MEM_TYPE_DEV;
	case LOC_MANAGED:
		return TYPE_MANAGED;
	case LOC_HOST:
		return TYPE_HOST;
	default:
		return 0;
	}
}

static aclError check_all(void **list, uint32_t n, uint32_t types, uint32_t *result)
{
	*result = 1;
	for (uint32_t i = 0; i < n; i++)
		if (!(type_of(list[i]) & types))
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
