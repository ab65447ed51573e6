/* SPDX-License-Identifier: Apache-2.0 */
/* A socket that is read at the end only: the first words matter, and the kernel keeps those. */
#include "tools/aclcheck/run/run.h"

#include <unistd.h>

#include "interpose/common/notify_parent.h"
#include "interpose/common/text.h"

int notices_open(const char *job)
{
	struct sockaddr_un address;
	socklen_t n = notify_address(job, &address);
	int fd = n ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd >= 0 && bind(fd, (struct sockaddr *)&address, n)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whoever sent it, it is shown to people: made safe, and JSON wants good UTF-8. */
bool notices_close(int fd, char *line, size_t size)
{
	char raw[NOTIFY_MAX];
	ssize_t n = fd < 0 ? -1 : recv(fd, raw, sizeof(raw), 0);
	struct text t;

	text_init(&t, line, size);
	if (n > 0)
		text_safe(&t, raw, (size_t)n);
	if (fd >= 0)
		close(fd);
	return n > 0;
}
