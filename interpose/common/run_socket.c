/* SPDX-License-Identifier: Apache-2.0 */
/* The asking side, in the processes below; nothing allocates or locks. */
#include "interpose/common/run_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/text.h"
#include "interpose/common/tool_open.h"

#define ANCESTORS_MAX 64
#define ANSWER_WAIT_MS 2000
#define STRANGERS_MAX 2 /* any process can take an ancestor's name; so many are waited for, and no more */

NO_SANITIZE void run_pid_namespace(char *out, size_t size)
{
	ssize_t n = readlink("/proc/self/ns/pid", out, size - 1);

	out[n > 0 ? n : 0] = '\0';
}

NO_SANITIZE socklen_t run_socket_address(pid_t command, struct sockaddr_un *address)
{
	char space[64];
	struct text t;

	run_pid_namespace(space, sizeof(space));
	memset(address, 0, sizeof(*address));
	address->sun_family = AF_UNIX;
	/* The first byte stays zero: the name lives as long as the socket. */
	text_init(&t, address->sun_path + 1, sizeof(address->sun_path) - 1);
	text_str(&t, "aclcheck-join-");
	text_uint(&t, (uint64_t)command);
	text_char(&t, '-');
	text_str(&t, space);
	return *space && !t.cut ? (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + t.len) : 0;
}

/* 0 = it has none; -1 = it is gone. */
NO_SANITIZE static pid_t parent_of(pid_t pid)
{
	char path[48], line[512], *at;
	pid_t parent = 0;
	struct text t;
	ssize_t n;
	int fd;

	text_init(&t, path, sizeof(path));
	text_str(&t, "/proc/");
	text_uint(&t, (uint64_t)pid);
	text_str(&t, "/stat");
	fd = tool_open(path, O_RDONLY, 0);
	n = fd < 0 ? 0 : read(fd, line, sizeof(line) - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	/* "7 (name) S 1": the name may hold anything. */
	at = strrchr(line, ')');
	if (!at || strlen(at) < 5)
		return -1;
	for (at += 4; *at >= '0' && *at <= '9'; at++)
		parent = parent * 10 + (*at - '0');
	return parent;
}

/* Only the ancestor itself may answer. */
NO_SANITIZE static bool is_from(struct msghdr *message, pid_t pid)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
		if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_CREDENTIALS) {
			struct ucred sender;

			memcpy(&sender, CMSG_DATA(c), sizeof(sender));
			return sender.pid == pid;
		}
	return false;
}

NO_SANITIZE static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What the ancestor has sent; 0: it was another process, or no answer. */
NO_SANITIZE static size_t receive_from(int fd, pid_t from, char *answer, size_t size)
{
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct ucred))];
	struct iovec part = {answer, size};
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
	ssize_t n = recvmsg(fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	return n > 0 && !(message.msg_flags & MSG_TRUNC) && !answer[n - 1] && is_from(&message, from)
		       ? (size_t)n
		       : 0;
}

/* Handlers of the program may run meanwhile, and other processes may send something. */
NO_SANITIZE static size_t take_answer(int fd, pid_t from, char *answer, size_t size)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int64_t until = now_ms() + ANSWER_WAIT_MS, left;
	size_t n = 0;

	while (!n && (left = until - now_ms()) > 0) {
		int count = poll(&ready, 1, (int)left);

		if (count > 0)
			n = receive_from(fd, from, answer, size);
		else if (count == 0 || errno != EINTR)
			return 0;
	}
	return n;
}

/* False: there is no such command. One whose queue is full is waited for. */
NO_SANITIZE static bool send_question(int fd, const struct sockaddr_un *address, socklen_t length)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	int64_t until = now_ms() + ANSWER_WAIT_MS;

	do {
		if (sendto(fd, "join", 4, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)address,
			    length) == 4)
			return true;
		if (errno != EAGAIN && errno != EINTR)
			return false;
		nanosleep(&nap, NULL);
	} while (now_ms() < until);
	return false;
}

/* Of one that is gone the way up is lost, but by then what it has left has another parent. */
NO_SANITIZE static pid_t next_ancestor(pid_t pid)
{
	pid_t parent = parent_of(pid);

	return parent < 0 ? getppid() : parent;
}

NO_SANITIZE static size_t ask_ancestors(int fd, char *answer, size_t size)
{
	unsigned strangers = 0;
	pid_t pid = getppid();

	for (unsigned i = 0; pid > 0 && i < ANCESTORS_MAX; i++, pid = next_ancestor(pid)) {
		struct sockaddr_un address;
		socklen_t n = run_socket_address(pid, &address);
		size_t got;

		if (!n)
			return 0;
		if (!send_question(fd, &address, n))
			continue;
		got = take_answer(fd, pid, answer, size);
		if (got || ++strangers == STRANGERS_MAX)
			return got;
	}
	return 0;
}

NO_SANITIZE size_t run_ask(char *answer, size_t size)
{
	int saved = errno, on = 1, fd = tool_socket(AF_UNIX, SOCK_DGRAM, 0);
	size_t n = 0;

	/* With credentials wanted the kernel gives the socket a name of its own, which an answer needs. */
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)))
		n = ask_ancestors(fd, answer, size);
	if (fd >= 0)
		close(fd);
	errno = saved;
	return n;
}

NO_SANITIZE const char *run_answer_get(const char *answer, size_t size, const char *word)
{
	const char *end = answer + size;

	while (answer < end) {
		const char *value = answer + strlen(answer) + 1;

		if (value >= end)
			return NULL;
		if (!strcmp(answer, word))
			return value;
		answer = value + strlen(value) + 1;
	}
	return NULL;
}
