/* SPDX-License-Identifier: Apache-2.0 */
/* libnnopbase: what a program can do with an executor. */
#include <stdlib.h>

#include "tensor.h"

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
	if (!executor)
		return NN_NULL;
	executor->repeatable = true;
	return NN_OK;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
	if (!executor)
		return NN_NULL;
	free(executor);
	return NN_OK;
}

/* Other data for an operand of a repeatable executor, named by its position among those given. */
static aclnnStatus set_addr(aclOpExecutor *e, size_t index, const aclTensor *tensor, void *addr)
{
	if (!e || !tensor || !addr)
		return NN_NULL;
	if (index >= e->args.n_tensors || e->operands[index] != tensor)
		return NN_INVALID;
	e->args.t[index].data = addr;
	return NN_OK;
}

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	return set_addr(executor, index, tensor, addr);
}

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	return set_addr(executor, index, tensor, addr);
}

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t index, aclTensor *tensor, void *addr)
{
	return executor ? set_addr(executor, executor->args.n_tensors - 1 + index, tensor, addr) : NN_NULL;
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
