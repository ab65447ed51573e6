/* SPDX-License-Identifier: Apache-2.0 */
/* A function on a stack of its own that was filled with a pattern: the deepest byte that changed shows its
 * need. */
#ifndef GUEST_PAINTED_STACK_H
#define GUEST_PAINTED_STACK_H

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define PAINT 0xa5
#define PAGE 4096

/* A stack between two pages that no access may touch. */
static inline char *stack_new(size_t size)
{
	char *p = mmap(
		NULL, size + 2 * (size_t)PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || mprotect(p, PAGE, PROT_NONE) || mprotect(p + PAGE + size, PAGE, PROT_NONE))
		abort();
	return p + PAGE;
}

static inline size_t used(const char *stack, size_t size)
{
	size_t i = 0;

	while (i < size && (unsigned char)stack[i] == PAINT)
		i++;
	return size - i;
}

static struct {
	ucontext_t here, there;
	void (*fn)(unsigned, const void *);
	unsigned api;
	const void *args;
} job;

static inline void coroutine(void)
{
	job.fn(job.api, job.args);
}

/* Bytes that fn needs on a stack of that size. */
static inline size_t on_coroutine(
	void (*fn)(unsigned, const void *), unsigned api, const void *args, char *stack, size_t size)
{
	job.fn = fn;
	job.api = api;
	job.args = args;
	memset(stack, PAINT, size);
	getcontext(&job.there);
	job.there.uc_stack.ss_sp = stack;
	job.there.uc_stack.ss_size = size;
	job.there.uc_link = &job.here;
	makecontext(&job.there, coroutine, 0);
	swapcontext(&job.here, &job.there);
	return used(stack, size);
}

#endif
