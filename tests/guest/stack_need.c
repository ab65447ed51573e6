/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much stack calls need, measured by painting: each call runs on a stack
 * of its own that was filled with a pattern, and the deepest byte that changed
 * shows.  Linked with all symbols bound, so that the dynamic linker is not
 * measured.  Prints one line a measurement: name and bytes.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "acl/acl.h"
#include "aclcheck/model.h"
#include "painted_stack.h"

int64_t test_invoke(unsigned api, const void *args);

#define MOST ((size_t)256 << 10) /* of one call: the measurement must outlive what it finds */

static char page[PAGE * 2]; /* what arguments point to */

static void invoke(unsigned api, const void *args)
{
	test_invoke(api, args);
}

/* Arguments of zero; or small numbers, handles, and addresses of memory that holds one more address. */
static void fill(char *args, unsigned api, bool memory)
{
	uint64_t inner = (uintptr_t)(page + PAGE);

	memset(args, 0, acl_apis[api].args_size);
	memset(page, 0, sizeof(page));
	memcpy(page, &inner, sizeof(inner));
	for (unsigned i = 0; memory && i < acl_apis[api].n_params; i++) {
		const struct acl_param *p = &acl_params(&acl_apis[api])[i];
		uint64_t address = (uintptr_t)page;

		if (p->kind == ACL_KIND_POINTER || p->kind == ACL_KIND_STRING)
			memcpy(args + p->offset, &address, sizeof(address));
		else if (p->kind == ACL_KIND_HANDLE)
			memcpy(args + p->offset, &inner, sizeof(inner));
		else if (p->kind == ACL_KIND_INT || p->kind == ACL_KIND_UINT)
			args[p->offset] = 3;
	}
}

static void every(void)
{
	static const char *const ways[] = {"zero", "memory"};
	char *stack = stack_new(MOST), args[256];

	aclInit(NULL);
	aclrtSetDevice(0);
	for (unsigned way = 0; way < 2; way++) {
		for (unsigned api = 0; api < acl_api_count; api++) {
			fill(args, api, way == 1);
			printf("%s-%s %zu\n", acl_apis[api].name, ways[way],
				on_coroutine(invoke, api, args, stack, MOST));
		}
	}
}

static void first_call(unsigned api, const void *args)
{
	(void)api;
	aclInit(args);
}

/* Broken rules at different places, so that each is a finding of its own. */
static void findings(unsigned api, const void *args)
{
	(void)api;
	(void)args;
	aclInit(NULL);
	aclrtFree((void *)0x1230);
	aclrtFree(NULL);
	aclrtMemcpy(NULL, 1, NULL, 2, ACL_MEMCPY_HOST_TO_DEVICE);
}

static void first(void)
{
	char *stack = stack_new(MOST);

	printf("first %zu\n", on_coroutine(first_call, 0, NULL, stack, MOST));
	printf("finding %zu\n", on_coroutine(findings, 0, NULL, stack, MOST));
}

/* On the smallest stacks: an overflow ends the program at the guard page. */
static void small(size_t size)
{
	char *stack = stack_new(size);

	on_coroutine(first_call, 0, NULL, stack, size);
	on_coroutine(findings, 0, NULL, stack, size);
	puts("ok");
}

static struct {
	char *stack;
	size_t size, used;
	void (*fn)(unsigned, const void *);
} signalled;

/* What lies below the handler's own frame is painted now: the kernel wrote the rest. */
static __attribute__((noinline)) void paint_below(void)
{
	char *here = __builtin_frame_address(0);

	for (volatile char *p = signalled.stack; p < here - 256; p++)
		*p = (char)PAINT;
}

static void on_signal(int number)
{
	const char *here = __builtin_frame_address(0);

	(void)number;
	paint_below();
	signalled.fn(0, NULL);
	signalled.used =
		used(signalled.stack, signalled.size) - (size_t)(signalled.stack + signalled.size - here);
}

static void in_handler(const char *name, void (*fn)(unsigned, const void *))
{
	signalled.fn = fn;
	raise(SIGUSR1);
	printf("%s %zu\n", name, signalled.used);
}

/* The kernel's own frame and two KiB. */
static void signal_stack(void)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
	stack_t alternate = {.ss_size = size, .ss_sp = NULL};

	size = size < PAGE ? PAGE : size;
	alternate.ss_size = size;
	signalled.size = (size + PAGE - 1) / PAGE * PAGE;
	signalled.stack = stack_new(signalled.size);
	/* Its low end lies at the guard page. */
	alternate.ss_sp = signalled.stack;
	signalled.size = size;
	if (sigaltstack(&alternate, NULL) || sigaction(SIGUSR1, &action, NULL))
		abort();
	in_handler("signal-first", first_call);
	in_handler("signal-finding", findings);
}

static void *thread(void *unused)
{
	(void)unused;
	first_call(0, NULL);
	for (int i = 0; i < 3; i++)
		findings(0, NULL);
	return NULL;
}

/* 0: the smallest size there is. */
static void threads(size_t size)
{
	pthread_attr_t attr;
	pthread_t t[4];

	if (!size)
		size = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, size))
		abort();
	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], &attr, thread, NULL))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	puts("ok");
}

#define WITHIN ((size_t)2 << 20)

/* Pages below this frame that are there, of a stack of which less was never used. */
static __attribute__((noinline)) unsigned pages_below(void)
{
	static unsigned char there[WITHIN / PAGE];
	unsigned n = 0;
	char *from = (char *)((uintptr_t)__builtin_frame_address(0) / PAGE * PAGE) - WITHIN;

	if (mincore(from, WITHIN, there))
		abort();
	for (size_t i = 0; i < sizeof(there); i++)
		n += there[i] & 1;
	return n;
}

static __attribute__((noinline)) void call_below(size_t bytes)
{
	char *volatile used = __builtin_alloca(bytes);

	*used = 0;
	aclrtSetDevice(0);
}

static void *deeper(void *unused)
{
	(void)unused;
	aclInit(NULL);
	aclrtSetDevice(0);
	printf("shallow %u\n", pages_below());
	call_below((size_t)100 << 10);
	printf("deeper %u\n", pages_below());
	call_below((size_t)600 << 10);
	printf("deepest %u\n", pages_below());
	return NULL;
}

/* The process ends on the small stack. */
static void ending(unsigned api, const void *args)
{
	(void)api;
	(void)args;
	fflush(stdout);
	_exit(3);
}

int main(int argc, char **argv)
{
	size_t size = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "every"))
		every();
	else if (!strcmp(argv[1], "first"))
		first();
	else if (!strcmp(argv[1], "small"))
		small(size);
	else if (!strcmp(argv[1], "signal"))
		signal_stack();
	else if (!strcmp(argv[1], "threads"))
		threads(size);
	else if (!strcmp(argv[1], "deeper")) {
		pthread_t t;

		if (pthread_create(&t, NULL, deeper, NULL) || pthread_join(t, NULL))
			abort();
	} else if (!strcmp(argv[1], "end")) {
		aclInit(NULL);
		aclInit(NULL);
		on_coroutine(ending, 0, NULL, stack_new(size), size);
	}
	return 0;
}
