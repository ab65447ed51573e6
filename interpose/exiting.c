/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a call comes from exit handlers or destructors.  Handlers registered
 * after ours run before it, and an interpreter runs its own while main is still
 * on the stack: only the stack tells.
 */
#include <stddef.h>

#include "interpose/core.h"
#include "interpose/elfsym.h"
#include "interpose/stack.h"

/* Not by dladdr: it takes the loader's lock, whose owner may wait for this thread. */
bool exiting_now(uint64_t caller)
{
	static const char *const ends[] = {"exit", "quick_exit", "Py_FinalizeEx"};
	const uint64_t *ips;
	unsigned n = stack_frames(stack_take(caller), &ips);
	uint64_t start, end;

	for (size_t e = 0; e < sizeof(ends) / sizeof(ends[0]); e++) {
		if (!elf_elsewhere(ends[e], &start, &end))
			continue;
		/* exit() does not return: the address may be the first one behind it. */
		for (unsigned i = 0; i < n; i++) {
			if (ips[i] > start && ips[i] <= end)
				return true;
		}
	}
	return false;
}
