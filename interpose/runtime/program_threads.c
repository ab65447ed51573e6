/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nothing says who started a thread.  One that the runtime gave a name of its own is
 * the runtime's: a program's has the program's name, or one that the program chose.
 */
#include "interpose/runtime/program_threads.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "interpose/common/text.h"
#include "interpose/common/tool_open.h"

/* Names of threads begin so. */
static const char *const runtime_names[] = {"softnpu-"};

/* An entry of a directory as the kernel writes it. */
struct entry {
	uint64_t inode, offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static bool is_runtime_thread(const char *tid)
{
	char path[64], name[16] = "";
	struct text t;
	ssize_t n;
	int fd;

	text_init(&t, path, sizeof(path));
	text_fmt(&t, "/proc/self/task/%s/comm", tid);
	fd = tool_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	n = read(fd, name, sizeof(name));
	close(fd);
	for (size_t i = 0; i < sizeof(runtime_names) / sizeof(runtime_names[0]); i++) {
		size_t length = strlen(runtime_names[i]);

		if (n > (ssize_t)length && !memcmp(name, runtime_names[i], length))
			return true;
	}
	return false;
}

static bool any_among(const char *entries, long bytes, const char *own)
{
	const struct entry *e;

	for (long at = 0; at < bytes; at += e->bytes) {
		e = (const struct entry *)(entries + at);
		if (e->name[0] != '.' && strcmp(e->name, own) && !is_runtime_thread(e->name))
			return true;
	}
	return false;
}

bool program_threads_possible(void)
{
	_Alignas(8) char entries[2048];
	char own[24];
	struct text t;
	bool any = false;
	long n;
	int fd = tool_open("/proc/self/task", O_RDONLY | O_DIRECTORY, 0);

	if (fd < 0)
		return true;
	text_init(&t, own, sizeof(own));
	text_uint(&t, (uint64_t)syscall(SYS_gettid));
	while (!any && (n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		any = any_among(entries, n, own);
	close(fd);
	return any || n < 0;
}
