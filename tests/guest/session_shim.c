/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded before the library: the session and the group a process began in have
 * no number, as in a process namespace that was entered from outside; those that it
 * makes itself have one.
 */
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static pid_t outer_session, outer_group;

static __attribute__((constructor)) void note_outer(void)
{
	outer_session = (pid_t)syscall(SYS_getsid, 0);
	outer_group = (pid_t)syscall(SYS_getpgid, 0);
}

EXPORT pid_t getsid(pid_t pid)
{
	pid_t session = (pid_t)syscall(SYS_getsid, pid);

	return session == outer_session ? 0 : session;
}

EXPORT pid_t getpgid(pid_t pid)
{
	pid_t group = (pid_t)syscall(SYS_getpgid, pid);

	return group == outer_group ? 0 : group;
}
