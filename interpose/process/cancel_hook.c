/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous cancellation may end a thread at any instruction, also where it
 * holds a lock of the tool.  To defer it in each call would cost as much as
 * the call; so threads that ask for it are noted, and only theirs are deferred meanwhile.
 */
#include <pthread.h>

#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/libc_hooks.h"

ACL_HOOK NO_SANITIZE int pthread_setcanceltype(int type, int *before)
{
	struct acl_thread *t = thread_self();
	int result;

	/* Noted early and forgotten late. */
	thread_cancel_type = HOOK_REAL(pthread_setcanceltype);
	if (type == PTHREAD_CANCEL_ASYNCHRONOUS)
		t->rare |= CANCEL_ASYNCHRONOUS;
	result = thread_cancel_type(type, before);
	if (!result && type == PTHREAD_CANCEL_DEFERRED)
		t->rare &= ~CANCEL_ASYNCHRONOUS;
	return result;
}
