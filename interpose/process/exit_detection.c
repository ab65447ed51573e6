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

static bool runs(const struct elf_function *f, const uint64_t *ips, unsigned n)
{
	/* exit() does not return: the address may be the first one behind it. */
	for (unsigned i = 0; f->start && i < n; i++)
		if (ips[i] > f->start && ips[i] <= f->end)
			return true;
	return false;
}

enum acl_exiting exiting_now(uint64_t caller)
{
	enum { EXIT, QUICK_EXIT, PYTHON, FUNCTIONS };
	struct elf_function f[FUNCTIONS] = {
		{.name = "exit"}, {.name = "quick_exit"}, {.name = "Py_FinalizeEx"}};
	uint64_t *ips = thread_self()->frames;
	unsigned n = unwind_stack(ips, THREAD_FRAMES);

	if (!n)
		ips[n++] = caller;
	/* Not by dladdr: it takes the loader's lock, whose owner may wait for this thread. */
	elf_functions_elsewhere(f, FUNCTIONS);
	if (runs(&f[EXIT], ips, n) || runs(&f[QUICK_EXIT], ips, n))
		return EXITING_PROCESS;
	return runs(&f[PYTHON], ips, n) ? EXITING_INTERPRETER : EXITING_NOT;
}
