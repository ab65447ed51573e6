/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets and links that are read at the end only: the first words matter, and the kernel keeps those. */
#include "tools/aclcheck/run/run.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/common/notify_parent.h"
#include "interpose/common/text.h"

static int bound(const struct sockaddr_un *address, socklen_t n)
{
	int fd = n ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0) : -1;

	if (fd >= 0 && bind(fd, (const struct sockaddr *)address, n)) {
		close(fd);
		return -1;
	}
	return fd;
}

void notices_open(struct notices *n, const char *job, const char *directory)
{
	struct sockaddr_un address;
	socklen_t size = notify_address(job, &address);

	n->fd[0] = bound(&address, size);
	size = notify_address_tmp(job, &address);
	n->fd[1] = bound(&address, size);
	n->path[0] = '\0';
	n->directory = directory;
	if (n->fd[1] < 0)
		return;
	snprintf(n->path, sizeof(n->path), "%s", address.sun_path);
	/* Also those that gave up their rights; what they say is only counted against the verdict. */
	chmod(n->path, 0666);
}

/* Whoever sent it, it is shown to people: made safe, and JSON wants good UTF-8. */
static bool notice_put(const char *raw, ssize_t n, char *line, size_t size)
{
	struct text t;

	if (n <= 0)
		return false;
	text_init(&t, line, size);
	text_safe(&t, raw, (size_t)n);
	return true;
}

static bool notice_take(int fd, char *line, size_t size)
{
	char raw[NOTIFY_MAX];

	return notice_put(raw, fd < 0 ? -1 : recv(fd, raw, sizeof(raw), 0), line, size);
}

static bool is_link(const char *name)
{
	const size_t n = strlen(name), suffix = strlen(NOTIFY_SUFFIX);

	return n > suffix && !strcmp(name + n - suffix, NOTIFY_SUFFIX);
}

static bool take_link(const char *directory, char *line, size_t size)
{
	DIR *links = opendir(directory);
	char raw[NOTIFY_MAX];
	struct dirent *d;
	bool taken = false;

	while (links && !taken && (d = readdir(links)))
		taken = is_link(d->d_name) &&
			notice_put(raw, readlinkat(dirfd(links), d->d_name, raw, sizeof(raw)), line, size);
	if (links)
		closedir(links);
	return taken;
}

bool notices_close(struct notices *n, char *line, size_t size)
{
	const bool any = notice_take(n->fd[0], line, size) || notice_take(n->fd[1], line, size) ||
			 take_link(n->directory, line, size);

	for (unsigned i = 0; i < 2; i++)
		if (n->fd[i] >= 0)
			close(n->fd[i]);
	if (*n->path)
		unlink(n->path);
	return any;
}
