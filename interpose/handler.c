/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether this thread runs a signal handler, whose interrupted code may hold
 * malloc's lock.  Only the stack tells: it holds the address through which
 * handlers return to the kernel.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/core.h"
#include "interpose/elfsym.h"
#include "interpose/stack.h"
#include "interpose/thread.h"

#ifdef __x86_64__
#define SIGNALS 64

/* As the kernel has it; the C library hides the restorer. */
struct kernel_action {
	uint64_t handler, flags, restorer, mask;
};

/* The C library gives every handler the same way back. */
static uint64_t way_back(void)
{
	static _Atomic uint64_t known;
	uint64_t found = atomic_load(&known);
	struct kernel_action action;

	for (int i = 1; i <= SIGNALS && !found; i++) {
		if (!syscall(SYS_rt_sigaction, i, NULL, &action, sizeof(action.mask)) && action.handler > 1)
			found = action.restorer;
	}
	atomic_store(&known, found);
	return found;
}
#else
/* The kernel's own code, mapped into every process. */
static uint64_t way_back(void)
{
	uint64_t start, end;

	return elf_elsewhere("__kernel_rt_sigreturn", &start, &end) ? start : 0;
}
#endif

bool stack_in_handler(void)
{
	uint64_t back = way_back();
	const uint64_t *ips;
	unsigned n = back ? stack_frames(stack_take(0), &ips) : 0;

	for (unsigned i = 0; i < n; i++) {
		if (ips[i] == back)
			return true;
	}
	return on_signal_stack();
}
