/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel is said to be: there is no machine code, only an address that nothing reads. */
#include "tools/softnpu/kernel/kernel.h"

#define CODE_BYTES 4096u

/* What there is of kernels for the cores: none of this is of one for the CPU of the device. */
static aclError core_function(const void *handle, struct function **f)
{
	aclError rc = function_find(handle, f);

	if (!rc && function_is_cpu(*f))
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%s is a kernel for the CPU", (*f)->name);
	return rc;
}

/* Where it is on the current device: nowhere without one. */
static aclError function_address(const void *handle, void **cores, void **vector_cores)
{
	struct context *ctx;
	struct function *f;
	aclError rc = core_function(handle, &f);

	if (rc)
		return rc;
	*cores = *vector_cores = NULL;
	rc = context_need(&ctx);
	if (!rc)
		rc = function_load(f, ctx->dev);
	if (!rc)
		*cores = object_handle(&f->obj);
	return rc;
}

aclError aclrtGetFunctionAddr(aclrtFuncHandle funcHandle, void **aicAddr, void **aivAddr)
{
	return LOCKED(function_address(funcHandle, aicAddr, aivAddr));
}

aclError aclrtGetFunctionSize(aclrtFuncHandle funcHandle, size_t *aicSize, size_t *aivSize)
{
	return LOCKED_WITH(function, f, core_function(funcHandle, &f), *aicSize = CODE_BYTES; *aivSize = 0);
}

static aclError attribute(const void *handle, aclrtFuncAttribute attr, int64_t *value)
{
	struct function *f;
	aclError rc =
		attr == ACL_FUNC_ATTR_KERNEL_RATIO ? core_function(handle, &f) : function_find(handle, &f);

	if (rc)
		return rc;
	*value = 0;
	if (attr == ACL_FUNC_ATTR_KERNEL_TYPE)
		*value = function_is_cpu(f) ? ACL_KERNEL_TYPE_AICPU : ACL_KERNEL_TYPE_AICORE;
	return ACL_SUCCESS;
}

aclError aclrtGetFunctionAttribute(
	aclrtFuncHandle funcHandle, aclrtFuncAttribute attrType, int64_t *attrValue)
{
	return LOCKED(attribute(funcHandle, attrType, attrValue));
}

/* For threads in vector cores, which no kernel has here. */
aclError aclrtFunctionGetAvailDynUbufPerBlock(void *func, uint32_t flags, size_t *dynamicUbufSize)
{
	return LOCKED_WITH(function, f, function_called(func, &f), *dynamicUbufSize = 0);
}
