/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams to the command. */
#include "interpose/common/notify_parent.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/text.h"
#include "interpose/common/tool_open.h"

socklen_t notify_address(const char *job, struct sockaddr_un *address)
{
	struct text t;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	/* The first byte stays zero: the name lives as long as the socket. */
	text_init(&t, address->sun_path + 1, sizeof(address->sun_path) - 1);
	text_fmt(&t, "aclcheck-%s", job);
	if (t.cut || strncmp(job, "run-", 4) != 0)
		return 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.len);
}

void notify_parent(const char *job, const char *line)
{
	struct sockaddr_un address;
	socklen_t n = notify_address(job, &address);
	int saved = errno, fd;

	fd = n ? tool_socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0) : -1;
	if (fd >= 0) {
		sendto(fd, line, strnlen(line, NOTIFY_MAX), MSG_NOSIGNAL, (struct sockaddr *)&address, n);
		close(fd);
	}
	errno = saved;
}
