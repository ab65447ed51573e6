/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's functions behind the hooks of hooks.list. */
#ifndef INTERPOSE_LIBC_HOOKS_H
#define INTERPOSE_LIBC_HOOKS_H

enum hook {
	HOOK___libc_start_main,
	HOOK_exit,
	HOOK__exit,
	HOOK__Exit,
	HOOK_quick_exit,
	HOOK_execv,
	HOOK_execve,
	HOOK_execvp,
	HOOK_execvpe,
	HOOK_fexecve,
	HOOK_posix_spawn,
	HOOK_posix_spawnp,
	HOOK_system,
	HOOK_popen,
	HOOK_dlclose,
	HOOK_daemon,
	HOOK_pthread_setcanceltype,
	HOOK_COUNT
};

/* From the constructor, when no lock can be held yet: a hook may run in a signal handler. */
void hooks_find(void);

/* The function behind us, never NULL after hooks_find(). */
void *hook_real(enum hook h);

/* A function of the C library as the program sees it. */
#define ACL_HOOK __attribute__((visibility("default")))

#define HOOK_REAL(name) ((__typeof__(&name))hook_real(HOOK_##name))

#endif
