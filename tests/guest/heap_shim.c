/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded before everything else: writes each allocator call of the process
 * with its arguments and its answer into the file that HEAP_LOG names, and does
 * nothing else.  Addresses are what they are in the brk heap, and their
 * distance from the next lower 64 MiB (glibc's further heaps) elsewhere: where
 * the kernel puts a mapping depends on every library there is.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define EXPORT __attribute__((visibility("default")))
#define LOG_SIZE (64u << 20)

static char *log_at;
static _Atomic size_t used;

static void open_log(void)
{
	const char *path = getenv("HEAP_LOG");
	int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644) : -1;

	if (fd < 0 || ftruncate(fd, LOG_SIZE))
		_exit(99);
	log_at = mmap(NULL, LOG_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (log_at == MAP_FAILED)
		_exit(99);
}

/* The mapping has no number of its own in the program: descriptors are as without the shim afterwards. */
static void put(char *line, size_t n)
{
	size_t at;

	if (!log_at)
		open_log();
	at = atomic_fetch_add(&used, n);
	if (at + n <= LOG_SIZE)
		memcpy(log_at + at, line, n);
}

static size_t hex(char *out, uint64_t v)
{
	size_t n = 0;

	for (int shift = 60; shift >= 0; shift -= 4)
		if (n || v >> shift || !shift)
			out[n++] = "0123456789abcdef"[v >> shift & 15];
	return n;
}

static uint64_t placed(const void *p)
{
	uintptr_t a = (uintptr_t)p;

	if (a < 0x7f0000000000)
		return a;
	/* A block with a mapping of its own begins behind its size, at the start of a page. */
	return (a & 0xfff) == 0x10 ? 0x10 : a & 0x3ffffff;
}

static void note(const char *call, uint64_t a, uint64_t b, const void *p)
{
	char line[128];
	size_t n = strlen(call);
	int saved = errno;

	memcpy(line, call, n);
	line[n++] = ' ';
	n += hex(line + n, a);
	line[n++] = ' ';
	n += hex(line + n, b);
	line[n++] = ' ';
	n += hex(line + n, placed(p));
	line[n++] = ' ';
	n += hex(line + n, (uint64_t)(syscall(SYS_gettid) == getpid()));
	line[n++] = '\n';
	put(line, n);
	errno = saved;
}

EXPORT void *malloc(size_t n)
{
	void *p = __libc_malloc(n);

	note("malloc", n, 0, p);
	return p;
}

EXPORT void *calloc(size_t n, size_t size)
{
	void *p = __libc_calloc(n, size);

	note("calloc", n, size, p);
	return p;
}

EXPORT void *realloc(void *old, size_t n)
{
	uint64_t was = placed(old);
	void *p = __libc_realloc(old, n);

	note("realloc", was, n, p);
	return p;
}

EXPORT void free(void *p)
{
	note("free", 0, 0, p);
	__libc_free(p);
}

EXPORT void *memalign(size_t align, size_t n)
{
	void *p = __libc_memalign(align, n);

	note("memalign", align, n, p);
	return p;
}

EXPORT void *aligned_alloc(size_t align, size_t n)
{
	return memalign(align, n);
}

EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
	*out = memalign(align, n);
	return *out ? 0 : ENOMEM;
}
