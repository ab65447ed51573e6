/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a call comes from exit handlers or destructors.  Handlers registered
 * after ours run before it, and an interpreter runs its own while main is still
 * on the stack: only the stack shows it.
 */
#include <stddef.h>

#include "interpose/process/exit_detection.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/common/thread_state.h"
#include "interpose/symbolize/unwind.h"

static bool runs(const char *function, const uint64_t *ips, unsigned n)
{
	uint64_t start, end;

	/* Not by dladdr: it takes the loader's lock, whose owner may wait for this thread. */
	if (!elf_elsewhere(function, &start, &end))
		return false;
	/* exit() does not return: the address may be the first one behind it. */
	for (unsigned i = 0; i < n; i++)
		if (ips[i] > start && ips[i] <= end)
			return true;
	return false;
}

enum acl_exiting exiting_now(uint64_t caller)
{
	uint64_t *ips = thread_self()->frames;
	unsigned n = unwind_stack(ips, THREAD_FRAMES);

	if (!n)
		ips[n++] = caller;
	if (runs("exit", ips, n) || runs("quick_exit", ips, n))
		return EXITING_PROCESS;
	return runs("Py_FinalizeEx", ips, n) ? EXITING_INTERPRETER : EXITING_NOT;
}
