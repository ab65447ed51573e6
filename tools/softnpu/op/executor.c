/* SPDX-License-Identifier: Apache-2.0 */
/* libnnopbase: what a program can do with an executor. */
#include <stdlib.h>

#include "tensor.h"

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	if (!executor)
		return NN_INNER_NULL;
	executor->repeatable = true;
	return NN_OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	if (!executor)
		return NN_INNER_NULL;
	free(executor);
	return NN_OK;
}

/* The tensor gets other data, and with it whatever operand it is: its place among those given names nothing.
 */
static aclnnStatus set_addr(aclOpExecutor *e, aclTensor *tensor, void *addr)
{
	if (!tensor)
		return NN_INNER_NULL;
	tensor->view.data = addr;
	if (!e)
		return NN_INNER_NULL;
	for (uint32_t i = 0; i < e->args.n_tensors; i++)
		if (e->operands[i] == tensor)
			e->args.t[i].data = addr;
	return NN_OK;
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	(void)index;
	return set_addr(executor, tensor, addr);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	(void)index;
	return set_addr(executor, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	(void)index;
	return set_addr(executor, tensor, addr);
}

aclnnStatus aclnnInit(const char *configPath)
{
	(void)configPath;
	return NN_OK;
}

aclnnStatus aclnnFinalize(void)
{
	return NN_OK;
}
