/* SPDX-License-Identifier: Apache-2.0 */
/* Host memory of the program made known to the devices. */
#include <stdlib.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/core/device.h"

#define PAGE 4096u
#define KNOWN_FLAGS                                                                                          \
	(ACL_HOST_REG_MAPPED | ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_READONLY | ACL_HOST_REG_PINNED)
#define EXCLUSIVE_FLAGS (ACL_HOST_REG_IOMEMORY | ACL_HOST_REG_PINNED)

/* The runtime keeps what V2 registers, the driver what is mapped; the older call asks the driver alone. */
static aclError host_range_check(const char *ptr, uint64_t size, uint32_t flags, bool older)
{
	const struct registration *r = registration_overlap(ptr, size);

	if (r && !(older && r->flags & ACL_HOST_REG_MAPPED))
		return npu_answer(HOST_ALREADY_REGISTERED, "part of %p..+%llu is registered",
			(const void *)ptr, (unsigned long long)size);
	if (r)
		return npu_answer(HOST_ALREADY_MAPPED, "part of %p..+%llu is mapped", (const void *)ptr,
			(unsigned long long)size);
	if (flags & ACL_HOST_REG_MAPPED && (uintptr_t)ptr % PAGE)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p is not aligned to %u bytes",
			(const void *)ptr, PAGE);
	return ACL_SUCCESS;
}

static aclError host_range_add(void *ptr, uint64_t size, uint32_t flags, bool older)
{
	struct registration *r;
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (size > UINTPTR_MAX - (uintptr_t)ptr)
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "%p..+%llu is no range", ptr,
			(unsigned long long)size);
	rc = host_range_check(ptr, size, flags, older);
	if (rc)
		return rc;
	r = calloc(1, sizeof(*r));
	if (r) {
		r->addr = ptr;
		r->size = size;
		r->flags = flags;
		if (registration_insert(r))
			return ACL_SUCCESS;
		free(r);
	}
	return npu_err(ACL_ERROR_RT_MEMORY_ALLOCATION, "no memory for a registration");
}

aclError aclrtHostRegister(void *ptr, uint64_t size, aclrtHostRegisterType type, void **devPtr)
{
	aclError rc;

	/* Taken as bits, of which two are known besides MAPPED. */
	if ((unsigned)type & ~(unsigned)(ACL_HOST_REGISTER_IOMEMORY | ACL_HOST_REGISTER_READONLY))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "registration type %d", type);
	rc = LOCKED(host_range_add(ptr, size, ACL_HOST_REG_MAPPED, true));
	if (!rc)
		*devPtr = ptr; /* devices use the host's addresses here */
	return rc;
}

aclError aclrtHostRegisterV2(void *ptr, uint64_t size, uint32_t flag)
{
	if (!flag || flag & ~(uint32_t)KNOWN_FLAGS || (flag & EXCLUSIVE_FLAGS) == EXCLUSIVE_FLAGS)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "registration flags 0x%x", flag);
	return LOCKED(host_range_add(ptr, size, flag, false));
}

static aclError host_range_drop(const void *ptr)
{
	struct registration *r = registration_find(ptr);
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!r || r->addr != ptr)
		return npu_err(ACL_ERROR_HOST_MEMORY_NOT_REGISTERED,
			"%p is not the start of a registered range", ptr);
	registration_remove(r);
	free(r);
	return ACL_SUCCESS;
}

aclError aclrtHostUnregister(void *ptr)
{
	return LOCKED(host_range_drop(ptr));
}

static aclError device_pointer(char *host, void **device)
{
	const struct registration *r = registration_find(host);
	const struct block *b = block_find(host);
	struct context *ctx;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	if (!(r && r->addr == host && r->flags & ACL_HOST_REG_MAPPED) && !(b && b->kind == BLOCK_PINNED))
		return npu_answer(HOST_NOT_MAPPED, "%p is not mapped to the devices", (void *)host);
	*device = host;
	return ACL_SUCCESS;
}

aclError aclrtHostGetDevicePointer(void *pHost, void **pDevice, uint32_t flag)
{
	return LOCKED(device_pointer(pHost, pDevice));
}
