/* SPDX-License-Identifier: Apache-2.0 */
/* Writes that return at once, each kind of file in its own way, and the time left to wait between them. */
#include "interpose/report/log_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/file_status.h"
#include "interpose/common/text.h"
#include "interpose/common/write_signals.h"

#define PATIENCE_MS 1000
#define SMALL 4096 /* what surely fits into a pipe that is ready */

#ifndef RWF_NOWAIT
#define RWF_NOWAIT 8
#endif

static _Atomic int patience = PATIENCE_MS;
static _Atomic uint64_t dropped;
static _Atomic uint64_t said; /* of them */

enum way {
	WAY_PLAIN, /* regular files: nothing to wait for */
	WAY_SOCKET,
	WAY_NOWAIT, /* the kernel is asked not to wait in this write */
	WAY_OWN, /* another opening of the same file, which does not wait */
	WAY_READY /* as much as fits when it is said to be ready */
};

struct stream {
	int fd;
	enum way way;
	bool opened; /* by us */
};

static ssize_t write_now(const struct stream *s, const char *p, size_t n)
{
	struct iovec part = {(void *)(uintptr_t)p, n};
	struct pollfd ready = {.fd = s->fd, .events = POLLOUT};

	switch (s->way) {
	case WAY_SOCKET:
		return sendto(s->fd, p, n, MSG_DONTWAIT | MSG_NOSIGNAL, NULL, 0);
	case WAY_NOWAIT:
#ifdef SYS_pwritev2
		return syscall(SYS_pwritev2, s->fd, &part, 1ul, -1l, -1l, RWF_NOWAIT);
#else
		(void)part;
		errno = ENOSYS;
		return -1;
#endif
	case WAY_READY:
		if (poll(&ready, 1, 0) <= 0) {
			errno = EAGAIN;
			return -1;
		}
		return write(s->fd, p, n < SMALL ? n : SMALL);
	default:
		return write(s->fd, p, n);
	}
}

static void open_anew(struct stream *s)
{
	char path[32];
	struct text t;
	int fd;

	text_init(&t, path, sizeof(path));
	text_str(&t, "/proc/self/fd/");
	text_uint(&t, (uint64_t)(unsigned)s->fd);
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	s->way = fd < 0 ? WAY_READY : WAY_OWN;
	s->opened = fd >= 0;
	s->fd = fd < 0 ? s->fd : fd;
}

static int now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int)((uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000);
}

/* False: the time is used up. */
static bool wait_until_ready(int fd)
{
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	int left = atomic_load(&patience), began = now_ms(), took;

	if (left <= 0 || poll(&ready, 1, left) == 0) {
		atomic_store(&patience, 0);
		return false;
	}
	took = now_ms() - began;
	atomic_fetch_sub(&patience, took > 0 ? took : 1);
	return true;
}

static bool write_all(struct stream *s, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write_now(s, p, n);

		if (done > 0) {
			p += done;
			n -= (size_t)done;
		} else if (done < 0 && s->way == WAY_NOWAIT &&
			   (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL || errno == EPERM)) {
			open_anew(s);
		} else if (done == 0 || (errno != EINTR && (errno != EAGAIN || !wait_until_ready(s->fd)))) {
			return false;
		}
	}
	return true;
}

static enum way way_to(int fd)
{
	struct stat st;

	if (filestat_fd(fd, &st) || S_ISREG(st.st_mode))
		return WAY_PLAIN;
	return S_ISSOCK(st.st_mode) ? WAY_SOCKET : WAY_NOWAIT;
}

/* So many are this thread's to speak of: not all records are written under the sinks' lock. */
static uint64_t dropped_to_say(void)
{
	uint64_t all = atomic_load(&dropped), before = atomic_load(&said);

	while (before < all && !atomic_compare_exchange_weak(&said, &before, all))
		;
	return before < all ? all - before : 0;
}

/* Before the next record that gets through; the one that was cut has no end of line. */
static bool say_dropped(struct stream *s)
{
	uint64_t n = dropped_to_say();
	char line[128];
	struct text t;

	if (!n)
		return true;
	text_init(&t, line, sizeof(line));
	text_str(&t, "\naclcheck: ");
	text_uint(&t, n);
	text_str(&t, n == 1 ? " record is missing here: not read in time\n"
			    : " records are missing here: not read in time\n");
	if (write_all(s, t.buf, t.len))
		return true;
	atomic_fetch_sub(&said, n);
	return false;
}

void log_stream_write(int fd, const char *record, size_t size)
{
	struct stream s = {.fd = fd, .way = way_to(fd)};
	struct write_signals signals;
	bool whole = false;

	if (write_signals_hold(&signals)) {
		whole = say_dropped(&s) && write_all(&s, record, size);
		write_signals_release(&signals);
	}
	if (!whole)
		log_stream_lost();
	if (s.opened)
		close(s.fd);
}

void log_stream_lost(void)
{
	atomic_fetch_add(&dropped, 1);
}

uint64_t log_stream_dropped(void)
{
	return atomic_load(&dropped);
}

void log_stream_forked(void)
{
	atomic_store(&dropped, 0);
	atomic_store(&said, 0);
}
