/* SPDX-License-Identifier: Apache-2.0 */
/* Free standard descriptors are held meanwhile by ones that can neither be read nor written. */
#include "interpose/common/tool_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/common/compiler.h"

#define STANDARD 3

/* Bit i: descriptor i was free and is ours until released. */
NO_SANITIZE static unsigned standard_hold(void)
{
	unsigned held = 0;

	for (int fd = 0; fd < STANDARD; fd++) {
		int p;

		if (syscall(SYS_fcntl, fd, F_GETFD) >= 0) /* fcntl() is a cancellation point */
			continue;
		p = open("/", O_PATH | O_CLOEXEC);
		if (p >= 0 && p < STANDARD)
			held |= 1u << p;
		else if (p >= 0)
			close(p); /* another thread was faster */
	}
	return held;
}

NO_SANITIZE static void standard_release(unsigned held)
{
	int saved = errno;

	for (int fd = 0; fd < STANDARD; fd++)
		if (held & 1u << fd)
			close(fd);
	errno = saved;
}

NO_SANITIZE int tool_open(const char *path, int flags, mode_t mode)
{
	unsigned held = standard_hold();
	int fd = open(path, flags | O_CLOEXEC, mode);

	standard_release(held);
	return fd;
}

NO_SANITIZE int tool_socket(int domain, int type, int protocol)
{
	unsigned held = standard_hold();
	int fd = socket(domain, type | SOCK_CLOEXEC, protocol);

	standard_release(held);
	return fd;
}
