/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The exec family: a successful exec ends the run, so the end record is
 * written before; when exec fails the run goes on.  In a vfork child, whose process
 * id is not the one that made the calls, the program is noted and nothing else happens.
 */
#include <stdarg.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/process/process_state.h"
#include "interpose/common/compiler.h"
#include "interpose/process/process_tree.h"
#include "interpose/runtime/libc_hooks.h"
#include "interpose/process/life_cycle.h"

/* envp: NULL is no environment at all, as the kernel takes it. */
#define WITH_END(note, call)                                                                                 \
	({                                                                                                   \
		note;                                                                                        \
		bool ended_ = process_is_uninitialized() ? false : life_end(CHECKS_END_EXEC);                \
		int result_ = (call);                                                                        \
		if (ended_)                                                                                  \
			life_resume();                                                                       \
		result_;                                                                                     \
	})

ACL_HOOK NO_SANITIZE int execve(const char *path, char *const argv[], char *const envp[])
{
	return WITH_END(process_tree_note(path, false, argv, envp), HOOK_REAL(execve)(path, argv, envp));
}

ACL_HOOK NO_SANITIZE int execv(const char *path, char *const argv[])
{
	return WITH_END(process_tree_note(path, false, argv, environ), HOOK_REAL(execv)(path, argv));
}

ACL_HOOK NO_SANITIZE int execvp(const char *file, char *const argv[])
{
	return WITH_END(process_tree_note(file, true, argv, environ), HOOK_REAL(execvp)(file, argv));
}

ACL_HOOK NO_SANITIZE int execvpe(const char *file, char *const argv[], char *const envp[])
{
	return WITH_END(process_tree_note(file, true, argv, envp), HOOK_REAL(execvpe)(file, argv, envp));
}

ACL_HOOK NO_SANITIZE int fexecve(int fd, char *const argv[], char *const envp[])
{
	/* Without an environment the C library refuses it. */
	if (!envp)
		return HOOK_REAL(fexecve)(fd, argv, envp);
	return WITH_END(process_tree_note_at(fd, "", argv, envp), HOOK_REAL(fexecve)(fd, argv, envp));
}

/* Younger than the oldest C library we run on. */
ACL_HOOK NO_SANITIZE int execveat(int fd, const char *file, char *const argv[], char *const envp[], int flags)
{
	return WITH_END(process_tree_note_at(fd, file, argv, envp),
		(int)syscall(SYS_execveat, fd, file, argv, envp, flags));
}

NO_SANITIZE static size_t count_arguments(const char *first, va_list ap)
{
	size_t n = first ? 1 : 0;

	while (first && va_arg(ap, char *))
		n++;
	return n;
}

/* On the stack, as the C library does it: exec is called where malloc must not be. */
#define ARGV_OF(first)                                                                                       \
	va_list ap;                                                                                          \
	va_start(ap, first);                                                                                 \
	size_t n = count_arguments(first, ap) + 1;                                                           \
	va_end(ap);                                                                                          \
	char *argv[n];                                                                                       \
	va_start(ap, first);                                                                                 \
	argv[0] = (char *)first;                                                                             \
	for (size_t i = 1; i < n; i++)                                                                       \
		argv[i] = va_arg(ap, char *);

ACL_HOOK NO_SANITIZE int execl(const char *path, const char *arg, ...)
{
	ARGV_OF(arg);
	va_end(ap);
	return WITH_END(process_tree_note(path, false, argv, environ), HOOK_REAL(execv)(path, argv));
}

ACL_HOOK NO_SANITIZE int execlp(const char *file, const char *arg, ...)
{
	ARGV_OF(arg);
	va_end(ap);
	return WITH_END(process_tree_note(file, true, argv, environ), HOOK_REAL(execvp)(file, argv));
}

ACL_HOOK NO_SANITIZE int execle(const char *path, const char *arg, ...)
{
	ARGV_OF(arg);
	char *const *envp = va_arg(ap, char *const *);
	va_end(ap);
	return WITH_END(process_tree_note(path, false, argv, envp), HOOK_REAL(execve)(path, argv, envp));
}
