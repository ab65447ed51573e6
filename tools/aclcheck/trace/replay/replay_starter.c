/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process that starts the workers.  What a fork takes over is copied as soon as either side writes to it:
 * from the reader, which holds the whole recording's state, a worker took a fifth of its time for that.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/aclcheck/trace/replay/replay.h"

static struct {
	pid_t pid;
	int fd;
} starter = {.fd = -1};

union descriptor {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr alignment;
};

/* A message with room for one descriptor. */
static struct msghdr message(struct iovec *content, union descriptor *fd)
{
	return (struct msghdr){.msg_iov = content,
		.msg_iovlen = 1,
		.msg_control = fd->bytes,
		.msg_controllen = sizeof(fd->bytes)};
}

/* -1: there is none any more. */
static int receive(int from, struct replay_start *s)
{
	union descriptor room;
	struct iovec content = {s, sizeof(*s)};
	struct msghdr m = message(&content, &room);
	const struct cmsghdr *c;
	ssize_t n;
	int fd = -1;

	while ((n = recvmsg(from, &m, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
		;
	c = n == (ssize_t)sizeof(*s) ? CMSG_FIRSTHDR(&m) : NULL;
	if (c && c->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

/* Those that have ended, so that they are there no more; how they did is in memory shared with the reader. */
static void reap(int how)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, how)) > 0 || (pid < 0 && errno == EINTR))
		;
}

static void __attribute__((noreturn)) be_starter(int from)
{
	static struct replay_start s;
	int fd;

	while ((fd = receive(from, &s)) >= 0) {
		reap(WNOHANG);
		if (!fork()) {
			close(from);
			replay_worker(fd, &s);
		}
		close(fd);
	}
	reap(0);
	_exit(0);
}

bool replay_starter_begin(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	fflush(NULL);
	starter.pid = fork();
	if (!starter.pid) {
		close(ends[1]);
		be_starter(ends[0]);
	}
	close(ends[0]);
	starter.fd = ends[1];
	return starter.pid > 0;
}

bool replay_start(const struct replay_start *s, int fd)
{
	union descriptor room = {.bytes = {0}};
	struct iovec content = {(void *)s, sizeof(*s)};
	struct msghdr m = message(&content, &room);
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);
	ssize_t n;

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	while ((n = sendmsg(starter.fd, &m, MSG_NOSIGNAL)) < 0 && errno == EINTR)
		;
	return n == (ssize_t)sizeof(*s);
}

void replay_starter_end(void)
{
	close(starter.fd);
	while (waitpid(starter.pid, NULL, 0) < 0 && errno == EINTR)
		;
}
