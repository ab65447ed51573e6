/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library is linked with --wrap for these: the C library's are cancellation
 * points, and a call of AscendCL is none.  A thread that is cancelled in one
 * ends in the middle of a call, and whatever it held is held for ever.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int __wrap_open(const char *path, int flags, ...);
int __wrap_close(int fd);
int __wrap_fcntl(int fd, int command, ...);
ssize_t __wrap_read(int fd, void *to, size_t n);
ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at);
ssize_t __wrap_write(int fd, const void *from, size_t n);
ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t at);
ssize_t __wrap_sendto(
	int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length);
ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);

int __wrap_open(const char *path, int flags, ...)
{
	int mode = 0;
	va_list ap;

	if (flags & (O_CREAT | O_TMPFILE)) {
		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int __wrap_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

int __wrap_fcntl(int fd, int command, ...)
{
	va_list ap;
	long argument;

	va_start(ap, command);
	argument = va_arg(ap, long);
	va_end(ap);
	return (int)syscall(SYS_fcntl, fd, command, argument);
}

ssize_t __wrap_read(int fd, void *to, size_t n)
{
	return syscall(SYS_read, fd, to, n);
}

ssize_t __wrap_pread(int fd, void *to, size_t n, off_t at)
{
	return syscall(SYS_pread64, fd, to, n, at);
}

ssize_t __wrap_write(int fd, const void *from, size_t n)
{
	return syscall(SYS_write, fd, from, n);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t n, off_t at)
{
	return syscall(SYS_pwrite64, fd, from, n, at);
}

ssize_t __wrap_sendto(
	int fd, const void *from, size_t n, int flags, const struct sockaddr *to, socklen_t length)
{
	return syscall(SYS_sendto, fd, from, n, flags, to, length);
}

ssize_t __wrap_recvmsg(int fd, struct msghdr *message, int flags)
{
	return syscall(SYS_recvmsg, fd, message, flags);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	return (int)syscall(SYS_nanosleep, time, left);
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000l};

	return (int)syscall(SYS_ppoll, fds, n, ms < 0 ? NULL : &time, NULL, (size_t)0);
}

/* The kernel's set of signals is one word. */
int __wrap_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	return (int)syscall(SYS_rt_sigtimedwait, set, info, timeout, sizeof(uint64_t));
}
