/* SPDX-License-Identifier: Apache-2.0 */
/* Finding the functions behind the hooks: the next ones in the program's scope, which need not be the C library's. */
#include "interpose/hooks.h"

#include <dlfcn.h>
#include <stddef.h>

#include "interpose/dl.h"
#include "interpose/elfsym.h"

static void *real[HOOK_COUNT];
static const char *const names[HOOK_COUNT] = {
	[HOOK_exit] = "exit",
	[HOOK__exit] = "_exit",
	[HOOK__Exit] = "_Exit",
	[HOOK_quick_exit] = "quick_exit",
	[HOOK_execv] = "execv",
	[HOOK_execve] = "execve",
	[HOOK_execvp] = "execvp",
	[HOOK_execvpe] = "execvpe",
	[HOOK_fexecve] = "fexecve",
};

static void find(enum hook h)
{
	void *p = true_dlsym(RTLD_NEXT, names[h]);

	if (!p)
		p = elf_libc(names[h]);
	__atomic_store_n(&real[h], p, __ATOMIC_RELAXED);
}

void hooks_find(void)
{
	for (unsigned h = 0; h < HOOK_COUNT; h++)
		find(h);
}

void *hook_real(enum hook h)
{
	if (!__atomic_load_n(&real[h], __ATOMIC_RELAXED))
		find(h);
	return __atomic_load_n(&real[h], __ATOMIC_RELAXED);
}
