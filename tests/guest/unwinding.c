/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwinding against the C library's own: the same frames from every kind of
 * function, on threads, coroutines and signal stacks, from the cache and without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/stack/stack_memory.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/unwind.h"

typedef void (*look_fn)(void *);

void frames_plain(look_fn look, void *arg);
void frames_realigned(look_fn look, void *arg);
void frames_variable(look_fn look, void *arg, size_t n);
void frames_deep(look_fn look, void *arg, int depth);
void frames_signal(look_fn look, void *arg);
void frames_leaf_signal(look_fn look, void *arg);

#define MOST 64

struct seen {
	char first, name[16]; /* a string for frames_realigned */
	uint64_t ours[MOST];
	unsigned n_ours;
	void *theirs[MOST + 16];
	int n_theirs;
	bool over_there; /* on the tool's own stack */
};

static void look_here(void *context)
{
	struct seen *s = context;

	s->n_theirs = backtrace(s->theirs, MOST + 16);
	s->n_ours = unwind_stack(s->ours, MOST);
}

static void look(void *context)
{
	struct seen *s = context;

	if (s->over_there)
		tool_stack_run(look_here, s);
	else
		look_here(s);
}

/* The program is the tool itself here: its frames are dropped by us, so they are dropped from the other list.
 */
static void compare(const struct seen *s)
{
	unsigned n = 0;

	for (int i = 0; i < s->n_theirs && n < MOST; i++) {
		if (module_is_self((uintptr_t)s->theirs[i]))
			continue;
		if (n >= s->n_ours)
			fail_msg("%u frames, more are there", n);
		assert_int_equal(s->ours[n], (uintptr_t)s->theirs[i]);
		n++;
	}
	assert_true(n > 1);
	assert_int_equal(n, s->n_ours);
}

static void all_kinds(bool over_there)
{
	struct seen s = {.first = 'x', .over_there = over_there};

	/* The second time from the cache. */
	for (int round = 0; round < 2; round++) {
		frames_plain(look, &s), compare(&s);
		frames_realigned(look, &s), compare(&s);
		frames_variable(look, &s, 4321), compare(&s);
		frames_deep(look, &s, 20), compare(&s);
		frames_signal(look, &s), compare(&s);
		frames_leaf_signal(look, &s), compare(&s);
	}
}

static void test_main_thread(void **state)
{
	(void)state;
	all_kinds(false);
	all_kinds(true);
	unwind_forget();
	all_kinds(false);
}

static void *in_thread(void *unused)
{
	(void)unused;
	all_kinds(false);
	all_kinds(true);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t t[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&t[i], NULL, in_thread, NULL), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
}

static ucontext_t here, there;

static void coroutine(void)
{
	all_kinds(false);
	all_kinds(true);
}

static void test_coroutine(void **state)
{
	size_t size = 256 << 10;
	char *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_ptr_not_equal(stack, MAP_FAILED);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = size;
	there.uc_link = &here;
	makecontext(&there, coroutine, 0);
	swapcontext(&here, &there);
	munmap(stack, size);
}

static void test_signal_stack(void **state)
{
	static char room[64 << 10];
	stack_t alternate = {.ss_sp = room, .ss_size = sizeof(room)}, off = {.ss_flags = SS_DISABLE};

	(void)state;
	assert_int_equal(sigaltstack(&alternate, NULL), 0);
	all_kinds(false);
	assert_int_equal(sigaltstack(&off, NULL), 0);
}

/* Memory that is not there is no reason to fault, whatever a frame says. */
static void test_memory(void **state)
{
	struct stack_memory m = {.low = 0};
	uint64_t word, stored = 42;
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_true(stack_memory_word(&m, (uintptr_t)&stored, &word));
	assert_int_equal(word, 42);
	assert_false(stack_memory_word(&m, (uintptr_t)&stored + 1, &word));
	assert_false(stack_memory_word(&m, 0, &word));
	assert_false(stack_memory_word(&m, 8, &word));
	assert_false(stack_memory_word(&m, UINT64_C(0x8000000000000000), &word));
	*(uint64_t *)(p + page - 8) = 7;
	munmap(p + page, page);
	assert_false(stack_memory_word(&m, (uintptr_t)p + page, &word));
	assert_true(stack_memory_word(&m, (uintptr_t)p + page - 8, &word));
	assert_int_equal(word, 7);
	munmap(p, page);
}

static void note_mask(void *mask)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, mask, 8);
}

/* What the tool's stack does to signals, and how many can be on one. */
static void test_tool_stack(void **state)
{
	uint64_t before, inside, with, after;

	(void)state;
	note_mask(&before);
	tool_stack_run(note_mask, &inside);
	note_mask(&after);
	assert_int_equal(before, after);
	assert_true(inside & UINT64_C(1) << (SIGALRM - 1));
	assert_false(inside & UINT64_C(1) << (SIGSEGV - 1));
	tool_stack_with_signals(note_mask, &with);
	assert_int_equal(with, before);
}

static void ignore(void *unused)
{
	(void)unused;
}

static int afterwards_on_own;

static void note_afterwards(void)
{
	uint64_t low, high;

	afterwards_on_own += !tool_stack_bounds(&low, &high);
}

static void ask_afterwards(void *unused)
{
	(void)unused;
	tool_stack_afterwards(note_afterwards);
	assert_int_equal(afterwards_on_own, 1);
}

/* At once on the own stack, else when the thread is back there; and once. */
static void test_afterwards(void **state)
{
	(void)state;
	tool_stack_afterwards(note_afterwards);
	assert_int_equal(afterwards_on_own, 1);
	tool_stack_run(ask_afterwards, NULL);
	assert_int_equal(afterwards_on_own, 2);
	tool_stack_run(ignore, NULL);
	assert_int_equal(afterwards_on_own, 2);
}

static void end_child(void *code)
{
	_exit(*(int *)code);
}

/* The first of the process, so that no stack is there yet. */
static void test_no_memory(void **state)
{
	struct rlimit nothing = {1, 1};
	int status, code = 3;
	pid_t child = fork();

	(void)state;
	if (!child) {
		setrlimit(RLIMIT_AS, &nothing);
		tool_stack_run(end_child, &code);
		_exit(4);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(WEXITSTATUS(status), 3);
}

static _Atomic int ran;

static void stay(void *unused)
{
	(void)unused;
	usleep(1000);
	ran++;
}

static void *stay_often(void *unused)
{
	for (int i = 0; i < 5; i++)
		tool_stack_run(stay, unused);
	return NULL;
}

static void test_more_threads_than_stacks(void **state)
{
	pthread_t t[40];

	(void)state;
	for (int i = 0; i < 40; i++)
		assert_int_equal(pthread_create(&t[i], NULL, stay_often, NULL), 0);
	for (int i = 0; i < 40; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(ran, 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_main_thread),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_coroutine),
		cmocka_unit_test(test_signal_stack),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_tool_stack),
		cmocka_unit_test(test_afterwards),
		cmocka_unit_test(test_more_threads_than_stacks),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("unwinding", tests, NULL, NULL);
}
