/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The least that the generated wrappers need: finds the real functions and lets
 * every call through, so that they can be tested without the rest of the library.
 * PASSIVE_OFF=1 leaves every state 0: then only the plain forward runs.
 * PASSIVE_EXPECT=n ends a program with 3 unless that many calls were entered and left.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "aclcheck/model.h"
#include "interpose/call/wrapped_call.h"

uint32_t acl_state[ACL_API_COUNT];
void (*acl_real[ACL_API_COUNT])(void);
static unsigned entered, left;

static void __attribute__((constructor)) resolve(void)
{
	bool off = getenv("PASSIVE_OFF");

	for (unsigned i = 0; i < ACL_API_COUNT; i++) {
		void *real = dlsym(RTLD_NEXT, acl_apis[i].name);

		memcpy(&acl_real[i], &real, sizeof(real));
		acl_state[i] = off ? 0 : ACL_STATE_CHECK;
	}
}

void acl_call_enter(struct acl_call *call, unsigned api, void *args, void *caller)
{
	static struct acl_thread thread;

	acl_call_record_init(&call->event, api, args, (uintptr_t)caller);
	entered++;
	call->thread = acl_real[api] ? &thread : NULL;
	call->before.busy = NULL;
	call->answered = false;
}

void acl_call_leave(struct acl_call *call)
{
	if (call->event.api < ACL_API_COUNT)
		left++;
}

static void __attribute__((destructor)) balance(void)
{
	const char *expected = getenv("PASSIVE_EXPECT");

	if (!expected || (entered == (unsigned)atoi(expected) && left == entered))
		return;
	printf("# %u calls entered, %u left instead of %s\n", entered, left, expected);
	fflush(stdout);
	_exit(3);
}
