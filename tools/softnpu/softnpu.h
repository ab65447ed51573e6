/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softnpu, the software runtime: what a program can add to the AscendCL interface.
 *
 * Device kernels cannot run on a CPU.  A host function registered under a
 * kernel's name runs in its place, in stream order; a kernel that is not registered
 * takes SOFTNPU_KERNEL_US and touches nothing.
 */
#ifndef SOFTNPU_H
#define SOFTNPU_H

#include <stddef.h>
#include <stdint.h>

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One launch, as the host function sees it. */
typedef struct softnpu_launch {
	const char *kernel;
	const void *args; /* copy of the arguments; pointers among them are device addresses */
	size_t args_size;
	uint32_t num_blocks;
	uint32_t grid[3], block[3]; /* SIMT launches; otherwise num_blocks,1,1 and 1,1,1 */
	int32_t device;
} softnpu_launch;

typedef void (*softnpu_kernel)(const softnpu_launch *launch);

/* fn NULL forgets the name. Returns 0, or ACL_ERROR_* when an argument is NULL or memory is short. */
ACL_FUNC_VISIBILITY aclError softnpu_register_kernel(const char *name, softnpu_kernel fn);

/* Sizes of the parameters of a kernel, for aclrtLaunchKernelWithArgsArray and aclrtFunctionGetParamInfo. */
ACL_FUNC_VISIBILITY aclError softnpu_describe_kernel(
	const char *name, const size_t *param_sizes, size_t num_params);

/* Makes a host symbol stand for a kernel (aclrtGetFuncBySymbol) or for a device variable of that size. */
ACL_FUNC_VISIBILITY aclError softnpu_register_function(const void *symbol, const char *kernel);
ACL_FUNC_VISIBILITY aclError softnpu_register_variable(const void *symbol, const char *name, size_t size);

/* Where host functions reach device memory; NULL when [address, address + size) is not device memory. */
ACL_FUNC_VISIBILITY void *softnpu_memory(const void *address, size_t size);

/* Launches fn itself under a name, with a copy of args; captured like any kernel. */
ACL_FUNC_VISIBILITY aclError softnpu_launch_host(
	const char *name, softnpu_kernel fn, const void *args, size_t args_size, aclrtStream stream);

/*
 * Calls from now on that fail or take longer, in place of what SOFTNPU_INJECT says and written like it:
 * "aclrtMalloc:when=1:error=207001". NULL or "": none. Returns 0, or 100000 and changes nothing.
 */
ACL_FUNC_VISIBILITY aclError softnpu_inject(const char *faults);

#ifdef __cplusplus
}
#endif

#endif
