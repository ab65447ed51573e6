/* SPDX-License-Identifier: Apache-2.0 */
/* libopapi: making executors and running them. */
#include <stdlib.h>

#include "tensor.h"

aclOpExecutor *executor_new(const char *name, softnpu_kernel kernel)
{
	aclOpExecutor *e = calloc(1, sizeof(*e));

	if (e) {
		e->name = name;
		e->kernel = kernel;
	}
	return e;
}

void executor_add(aclOpExecutor *e, const aclTensor *t)
{
	e->operands[e->args.n_tensors] = t;
	e->args.t[e->args.n_tensors++] = t->view;
}

aclnnStatus executor_run(aclOpExecutor *e, aclrtStream stream)
{
	aclError rc;

	if (!e)
		return NN_NULL;
	rc = softnpu_launch_host(e->name, e->kernel, &e->args, sizeof(e->args), stream);
	if (!e->repeatable)
		free(e);
	return rc ? NN_RUNTIME : NN_OK;
}
