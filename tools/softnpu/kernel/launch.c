/* SPDX-License-Identifier: Apache-2.0 */
/* aclrtLaunchKernel and its many forms. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/kernel/kernel_args.h"

#define LAST_ATTR ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING

static bool attr_known(aclrtLaunchKernelAttrId id)
{
	return id >= ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE && id <= LAST_ATTR &&
	       (id != ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING || !npu_code(NPU_LAUNCH_PROFILING));
}

static bool attr_valid(const aclrtLaunchKernelAttr *attr)
{
	switch (attr->id) {
	case ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE:
		return attr->value.schemMode <= 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_BLOCK_TASK_PREFETCH:
		return attr->value.isBlockTaskPrefetch <= 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP:
		return attr->value.isDataDump <= 1;
	case ACL_RT_LAUNCH_KERNEL_ATTR_ENABLE_PROFILING:
		return attr->value.enableProfiling <= 1;
	default:
		return true;
	}
}

static aclError check_attrs(const aclrtLaunchKernelCfg *cfg)
{
	if (cfg && !cfg->attrs)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the configuration has no attributes");
	for (size_t i = 0; cfg && i < cfg->numAttrs; i++)
		if (!attr_known(cfg->attrs[i].id))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "launch attribute %d", cfg->attrs[i].id);
	return ACL_SUCCESS;
}

/* Of an attribute that is given twice the last value counts, and is the one that is looked at. */
aclError kernel_check_config(const aclrtLaunchKernelCfg *cfg)
{
	const aclrtLaunchKernelAttr *given[LAST_ATTR + 1] = {NULL};
	aclError rc = check_attrs(cfg);

	if (rc)
		return rc;
	for (size_t i = 0; cfg && i < cfg->numAttrs; i++)
		given[cfg->attrs[i].id] = &cfg->attrs[i];
	for (size_t id = 0; id <= LAST_ATTR; id++)
		if (given[id] && !attr_valid(given[id]))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "value of launch attribute %zu", id);
	if (given[ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT] && given[ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US])
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "two time-outs in one launch");
	return ACL_SUCCESS;
}

/* A time-out of 0 means never. */
static void configure(struct kernel_attributes *to, const aclrtLaunchKernelAttr *attr)
{
	const aclrtTimeoutUs *us = &attr->value.timeoutUs;

	if (attr->id == ACL_RT_LAUNCH_KERNEL_ATTR_SCHEM_MODE)
		to->schem_mode = attr->value.schemMode;
	else if (attr->id == ACL_RT_LAUNCH_KERNEL_ATTR_DYN_UBUF_SIZE)
		to->ubuf = attr->value.dynUBufSize;
	else if (attr->id == ACL_RT_LAUNCH_KERNEL_ATTR_DATA_DUMP)
		to->dump = attr->value.isDataDump;
	else if (attr->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT)
		to->timeout_us = attr->value.timeout ? attr->value.timeout * (uint64_t)1000000 : UINT64_MAX;
	else if (attr->id == ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US)
		to->timeout_us = us->timeoutLow || us->timeoutHigh
					 ? us->timeoutLow | (uint64_t)us->timeoutHigh << 32
					 : UINT64_MAX;
}

/* The configuration has been checked. */
static void configure_all(struct kernel_launch *l, const aclrtLaunchKernelCfg *cfg)
{
	for (size_t i = 0; cfg && i < cfg->numAttrs; i++)
		configure(&l->attributes, &cfg->attrs[i]);
}

aclError kernel_configure(struct kernel_attributes *to, const aclrtLaunchKernelCfg *cfg)
{
	aclError rc = check_attrs(cfg);

	*to = (struct kernel_attributes){0};
	for (size_t i = 0; !rc && cfg && i < cfg->numAttrs; i++)
		configure(to, &cfg->attrs[i]);
	return rc;
}

/* Sizes of arguments have 32 bits below the outer layer, which cuts the rest off. */
static struct kernel_launch plain_launch(uint32_t blocks, const void *args, size_t size)
{
	return (struct kernel_launch){.args = args,
		.args_size = (uint32_t)size,
		.num_blocks = blocks,
		.grid = {blocks, 1, 1},
		.block = {1, 1, 1}};
}

static aclError launch(
	struct kernel_launch *l, const void *func, const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	aclError rc = function_find(func, &l->func);

	configure_all(l, cfg);
	return rc ? rc : kernel_submit(l, stream);
}

static aclError check_values(const struct kernel_launch *l, const aclrtLaunchKernelCfg *cfg)
{
	for (unsigned i = 0; i < 3; i++)
		if (!l->grid[i] || !l->block[i])
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "zero blocks");
	for (size_t i = 0; i < l->n_holders; i++)
		if (!l->holders || l->holders[i].addrOffset >= l->args_size ||
			l->holders[i].dataOffset >= l->args_size)
			return npu_err(
				ACL_ERROR_RT_PARAM_INVALID, "place holder %zu is not in the arguments", i);
	return kernel_check_config(cfg);
}

static aclError check_array(
	const struct kernel_launch *l, const void *func, const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	if (!func || !l->args || !l->args_size)
		return npu_err(ACL_ERROR_INVALID_PARAM, "the function or its arguments are NULL or empty");
	return npu_unless_gone(OBJ_STREAM, stream, check_values(l, cfg));
}

/* The function is a handle, and looked at before the stream. */
static aclError check_launch(
	const struct kernel_launch *l, const void *func, const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	return npu_unless_gone(OBJ_FUNCTION, func, check_array(l, func, cfg, stream));
}

aclError aclrtLaunchKernelV2(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
	size_t argsSize, aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	struct kernel_launch l = plain_launch(numBlocks, argsData, argsSize);
	aclError rc = check_launch(&l, funcHandle, cfg, stream);

	l.device_args = true;
	return rc ? rc : LOCKED(launch(&l, funcHandle, cfg, stream));
}

aclError aclrtLaunchKernel(aclrtFuncHandle funcHandle, uint32_t numBlocks, const void *argsData,
	size_t argsSize, aclrtStream stream)
{
	return aclrtLaunchKernelV2(funcHandle, numBlocks, argsData, argsSize, NULL, stream);
}

aclError aclrtLaunchKernelWithHostArgs(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
	aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize, aclrtPlaceHolderInfo *placeHolderArray,
	size_t placeHolderNum)
{
	struct kernel_launch l = plain_launch(numBlocks, hostArgs, argsSize);
	aclError rc;

	l.holders = placeHolderArray;
	l.n_holders = (uint16_t)placeHolderNum; /* what the outer layer hands on has no more bits */
	rc = check_launch(&l, funcHandle, cfg, stream);
	return rc ? rc : LOCKED(launch(&l, funcHandle, cfg, stream));
}

static aclError launch_list(const void *func, uint32_t blocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg,
	aclrtArgsHandle handle)
{
	struct kernel_launch l = plain_launch(blocks, "", 0);
	aclError rc = kernel_args_launch(handle, &l);

	if (!rc && !blocks)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "zero blocks");
	if (!rc)
		rc = kernel_check_config(cfg);
	return rc ? rc : launch(&l, func, cfg, stream);
}

aclError aclrtLaunchKernelWithConfig(aclrtFuncHandle funcHandle, uint32_t numBlocks, aclrtStream stream,
	aclrtLaunchKernelCfg *cfg, aclrtArgsHandle argsHandle, void *reserve)
{
	aclError rc = LOCKED(launch_list(funcHandle, numBlocks, stream, cfg, argsHandle));

	return npu_unless_gone(OBJ_FUNCTION, funcHandle, npu_unless_gone(OBJ_STREAM, stream, rc));
}

/* The parameters' sizes come from softnpu_describe_kernel. */
static aclError launch_array(const void *func, struct kernel_launch *l, const aclrtLaunchKernelCfg *cfg,
	aclrtStream stream, void **args)
{
	const struct kernel_info *info;
	char packed[MAX_KERNEL_PARAMS * 64] = "";
	size_t size = 0;
	aclError rc = function_called(func, &l->func);

	if (!rc)
		rc = function_not_cpu(l->func);
	if (rc)
		return rc;
	info = kernel_info(l->func->name);
	for (size_t i = 0; info && i < info->n_params; i++) {
		size = ALIGN_UP(size, info->sizes[i] < 8 ? info->sizes[i] : 8);
		if (!args || !args[i] || size + info->sizes[i] > sizeof(packed))
			return npu_err(ACL_ERROR_RT_PARAM_INVALID, "argument %zu is missing or too large", i);
		memcpy(packed + size, args[i], info->sizes[i]);
		size += info->sizes[i];
	}
	l->args = packed;
	l->args_size = size;
	configure_all(l, cfg);
	return kernel_submit(l, stream);
}

aclError aclrtLaunchKernelWithArgsArray(
	void *func, uint32_t numBlocks, aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
	struct kernel_launch l = plain_launch(numBlocks, "", 1);
	aclError rc = npu_unless_gone(OBJ_STREAM, stream, LOCKED(function_called(func, &l.func)));

	if (!rc)
		rc = check_array(&l, func, cfg, stream);
	return rc ? rc : LOCKED(launch_array(func, &l, cfg, stream, args));
}

/* Threads are of kernels that are built for vector cores that have them, and of no others. */
static aclError has_threads(void)
{
	return npu_soc("Ascend950")
		       ? ACL_SUCCESS
		       : npu_err(ACL_ERROR_RT_PARAM_INVALID, "no kernel of %s has threads", CFG_STR(soc));
}

static struct kernel_launch simt_launch(dim3 grid, dim3 block, const void *args, size_t size)
{
	return (struct kernel_launch){.args = args,
		.args_size = (uint32_t)size,
		.num_blocks = grid.x * grid.y * grid.z,
		.grid = {grid.x, grid.y, grid.z},
		.block = {block.x, block.y, block.z}};
}

aclError aclrtLaunchSIMTKernelWithArgsArray(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
	aclrtStream stream, aclrtLaunchKernelCfg *cfg, void **args)
{
	struct kernel_launch l = simt_launch(gridDim, blockDim, "", 1);
	aclError rc = LOCKED(function_called(func, &l.func)); /* before the stream is looked at */

	(void)dynUbufSize;
	if (!rc)
		rc = npu_unless_gone(OBJ_STREAM, stream, has_threads());
	if (!rc)
		rc = check_array(&l, func, cfg, stream);
	return rc ? rc : LOCKED(launch_array(func, &l, cfg, stream, args));
}

static aclError launch_called(
	struct kernel_launch *l, const void *func, const aclrtLaunchKernelCfg *cfg, aclrtStream stream)
{
	aclError rc = function_called(func, &l->func);

	configure_all(l, cfg);
	return rc ? rc : kernel_submit(l, stream);
}

static aclError check_simt(const struct kernel_launch *l, const aclrtLaunchKernelCfg *cfg)
{
	aclError rc = has_threads();

	if (!rc && !l->args_size)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "the size of the arguments has more than 32 bits");
	return rc ? rc : check_values(l, cfg);
}

/* The function may be a symbol as well. It is looked up when the stream has been looked at. */
aclError aclrtLaunchSIMTKernelWithHostArgs(void *func, dim3 gridDim, dim3 blockDim, size_t dynUbufSize,
	aclrtStream stream, aclrtLaunchKernelCfg *cfg, void *hostArgs, size_t argsSize,
	aclrtPlaceHolderInfo *placeHolderArray, size_t placeHolderNum)
{
	struct kernel_launch l = simt_launch(gridDim, blockDim, hostArgs, argsSize);
	aclError rc = npu_unless_gone(OBJ_STREAM, stream, LOCKED(function_called(func, &l.func)));

	(void)dynUbufSize;
	l.holders = placeHolderArray;
	l.n_holders = (uint32_t)placeHolderNum;
	if (!rc)
		rc = npu_unless_gone(OBJ_STREAM, stream, check_simt(&l, cfg));
	return rc ? rc : LOCKED(launch_called(&l, func, cfg, stream));
}
