/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The start code of every program calls __libc_start_main with main and with the
 * loader's end function, which the C library registers first of all exit
 * functions, so that it runs last.  Both are replaced by functions that call them.
 */
#include "interpose/process/program_start.h"

#include <stddef.h>
#include <stdint.h>

#include "interpose/common/compiler.h"
#include "interpose/process/libc_events.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/libc_hooks.h"

typedef int main_fn(int argc, char **argv, char **envp);

int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
	void (*loader_end)(void), void *stack_end);

static main_fn *program_main;
static void (*true_loader_end)(void);
static void (*on_main_returned)(void);
static void (*on_end)(int status);

void program_start_watch(void (*main_returned)(void), void (*end)(int status))
{
	on_main_returned = main_returned;
	on_end = end;
}

static int run_main(int argc, char **argv, char **envp)
{
	int status = program_main(argc, argv, envp);

	if (on_main_returned)
		on_main_returned();
	return status;
}

/* Called as the C library calls all functions of __cxa_atexit: with the exit status behind the argument. */
static void process_end(void *unused, int status)
{
	(void)unused;
	true_loader_end();
	if (on_end)
		on_end(status);
}

NO_SANITIZE ACL_HOOK int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
	void (*fini)(void), void (*loader_end)(void), void *stack_end)
{
	if (!loader_end || !program_start_is_ours())
		return HOOK_REAL(__libc_start_main)(main, argc, argv, init, fini, loader_end, stack_end);
	program_main = main;
	true_loader_end = loader_end;
	return HOOK_REAL(__libc_start_main)(
		run_main, argc, argv, init, fini, (void (*)(void))(uintptr_t)process_end, stack_end);
}

bool program_started(void)
{
	return program_main != NULL;
}

bool program_start_is_ours(void)
{
	static int known; /* 1 = yes, -1 = no */

	if (!known)
		known = libc_events_known() && elf_program_binds(
						       "__libc_start_main", (uintptr_t)program_start_is_ours)
				? 1
				: -1;
	return known > 0;
}
