/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a call comes from exit handlers or destructors.  Handlers registered
 * after ours run before it, and an interpreter runs its own while main is still
 * on the stack: only the stack tells.
 */
#include <dlfcn.h>
#include <string.h>

#include "interpose/core.h"
#include "interpose/dl.h"
#include "interpose/stack.h"

static bool ends_the_process(uint64_t ip)
{
	static const char *const names[] = { "exit", "quick_exit", "Py_FinalizeEx" };
	Dl_info info;

	/* exit() does not return: the address may be the first one behind it. */
	if (!true_dladdr((const void *)(uintptr_t)(ip - 1), &info) || !info.dli_sname)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(info.dli_sname, names[i]))
			return true;
	}
	return false;
}

bool exiting_now(uint64_t caller)
{
	const uint64_t *ips;
	unsigned n = stack_frames(stack_take(caller), &ips);

	for (unsigned i = n; i-- > 0;) {
		if (ends_the_process(ips[i]))
			return true;
	}
	return false;
}
