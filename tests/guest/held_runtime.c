/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A runtime that runs no callback: it holds what was launched or registered last until the program runs it.
 * Linked with tools/bench/empty_runtime.c, which has the rest.
 */
#include "held_runtime.h"

#define API __attribute__((visibility("default")))

struct held held;

API aclError aclrtLaunchHostFunc(aclrtStream stream, aclrtHostFunc fn, void *args)
{
	(void)stream;
	held = (struct held){fn, args, held.registered};
	return ACL_SUCCESS;
}

API aclError aclrtSetExceptionInfoCallback(aclrtExceptionInfoCallback callback)
{
	held.registered = callback;
	return ACL_SUCCESS;
}

API aclError aclmdlRIDestroy(aclmdlRI modelRI)
{
	(void)modelRI;
	return ACL_SUCCESS;
}
