/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams to the command. */
#include "interpose/common/notify_parent.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "interpose/common/run_socket.h"
#include "interpose/common/text.h"
#include "interpose/common/tool_open.h"

/* Behind so many bytes: a name that begins with NUL lives as long as the socket. */
static socklen_t parent_address(
	const char *job, const char *place, size_t skipped, struct sockaddr_un *address)
{
	struct text t;

	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	text_init(&t, address->sun_path + skipped, sizeof(address->sun_path) - skipped);
	text_fmt(&t, "%saclcheck-%s", place, job);
	if (t.cut || strncmp(job, RUN_JOB, strlen(RUN_JOB)) != 0)
		return 0;
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.len);
}

socklen_t notify_address(const char *job, struct sockaddr_un *address)
{
	return parent_address(job, "", 1, address);
}

socklen_t notify_address_tmp(const char *job, struct sockaddr_un *address)
{
	return parent_address(job, "/tmp/", 0, address);
}

/* Needs no descriptor. */
static bool leave_link(const char *directory, const char *line)
{
	char path[PATH_MAX], target[NOTIFY_MAX];
	struct text t;

	if (!*directory || !*line)
		return false;
	text_init(&t, path, sizeof(path));
	text_fmt(&t, "%s/%u" NOTIFY_SUFFIX, directory, (uint64_t)getpid());
	text_init(&t, target, sizeof(target));
	text_put(&t, line, strnlen(line, sizeof(target) - 1));
	return !symlink(target, path) || errno == EEXIST;
}

void notify_parent(const char *job, const char *directory, const char *line)
{
	struct sockaddr_un address;
	socklen_t n = notify_address(job, &address);
	const size_t size = strnlen(line, NOTIFY_MAX);
	int saved = errno, fd = tool_socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	bool sent = false;

	if (fd >= 0) {
		sent = n && sendto(fd, line, size, MSG_NOSIGNAL, (struct sockaddr *)&address, n) >= 0;
		n = sent ? 0 : notify_address_tmp(job, &address);
		if (n)
			sent = sendto(fd, line, size, MSG_NOSIGNAL, (struct sockaddr *)&address, n) >= 0;
		close(fd);
	} else if (errno == EMFILE || errno == ENFILE) {
		sent = leave_link(directory, line);
	}
	if (!sent)
		notify_by_name();
	errno = saved;
}

void notify_by_name(void)
{
	char name[16];
	int saved = errno;

	if (!prctl(PR_GET_NAME, name)) {
		prctl(PR_SET_NAME, NOTIFY_NAME);
		prctl(PR_SET_NAME, name);
	}
	errno = saved;
}
