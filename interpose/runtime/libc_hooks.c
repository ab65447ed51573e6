/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the functions behind the hooks: the next ones in scope, not always the C library's. */
#include "interpose/runtime/libc_hooks.h"

#include <dlfcn.h>
#include <stddef.h>

#include "interpose/common/compiler.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/elf_symbols.h"

static void *real[HOOK_COUNT];
static const char *const names[HOOK_COUNT] = {
	[HOOK___libc_start_main] = "__libc_start_main",
	[HOOK_exit] = "exit",
	[HOOK__exit] = "_exit",
	[HOOK__Exit] = "_Exit",
	[HOOK_quick_exit] = "quick_exit",
	[HOOK_execv] = "execv",
	[HOOK_execve] = "execve",
	[HOOK_execvp] = "execvp",
	[HOOK_execvpe] = "execvpe",
	[HOOK_fexecve] = "fexecve",
	[HOOK_posix_spawn] = "posix_spawn",
	[HOOK_posix_spawnp] = "posix_spawnp",
	[HOOK_system] = "system",
	[HOOK_popen] = "popen",
	[HOOK_dlclose] = "dlclose",
	[HOOK_daemon] = "daemon",
	[HOOK_pthread_setcanceltype] = "pthread_setcanceltype",
};

void hooks_find(void)
{
	for (unsigned h = 0; h < HOOK_COUNT; h++) {
		void *p = true_dlsym(RTLD_NEXT, names[h]);

		real[h] = p ? p : elf_libc(names[h]);
	}
}

/*
 * Before our constructor only the C library itself is to be trusted: a
 * sanitizer's runtime may exec the program anew before its own functions work.
 */
NO_SANITIZE void *hook_real(enum hook h)
{
	return real[h] ? real[h] : elf_libc(names[h]);
}
