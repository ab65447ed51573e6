/* SPDX-License-Identifier: Apache-2.0 */
/* A small pool of stacks: mapped when needed, kept for good, one thread at a time on each. */
#include "interpose/stack/tool_stack.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"
#include "interpose/common/tool_memory.h"

#define STACKS 16 /* more threads than these wait for each other */
#define STACK_SIZE ((size_t)512 << 10) /* address space; what is touched stays a few pages */
#define GUARD_SIZE ((size_t)64 << 10) /* the largest page there is */

enum stack_state { STACK_ABSENT, STACK_FREE, STACK_TAKEN };

struct tool_stack {
	_Atomic uint32_t state; /* enum stack_state */
	char *low; /* behind the guard */
};

static struct tool_stack stacks[STACKS];
static _Atomic uint32_t given_back; /* counts; who waits sleeps on it */
static _Atomic uint32_t waiting;

/* tool_stack_<machine>.S */
void tool_stack_switch(void (*fn)(void *), void *arg, void *top) __attribute__((visibility("hidden")));

/*
 * Sanitizers, when one is in the process: ASan must know which stack is the
 * present one; TSan, which does not see atomics of code that was built without
 * it, that one use of the memory comes after the other.
 */
void __sanitizer_start_switch_fiber(void **fake, const void *low, size_t size) __attribute__((weak));
void __sanitizer_finish_switch_fiber(void *fake, const void **low, size_t *size) __attribute__((weak));
void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

/* Valgrind takes a new stack for a wild stack pointer otherwise. The instructions do nothing elsewhere. */
static __attribute__((noinline)) void valgrind_stack_register(const char *low, const char *high)
{
	volatile uint64_t request[6] = {0x1501, (uintptr_t)low, (uintptr_t)high - 1, 0, 0, 0};
#if defined(__x86_64__)
	uint64_t result = 0;

	__asm__ volatile(
		"rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
		: "+d"(result)
		: "a"(&request[0])
		: "cc", "memory");
#elif defined(__aarch64__)
	__asm__ volatile("mov x3, #0\n\tmov x4, %0\n\t"
			 "ror x12, x12, #3; ror x12, x12, #13; ror x12, x12, #51; ror x12, x12, #61\n\t"
			 "orr x10, x10, x10"
			 :
			 : "r"(&request[0])
			 : "cc", "memory", "x3", "x4");
#endif
}

/* Not reserved, as all our memory: so the kernel does not join it with mappings of the program's. */
static __attribute__((noinline)) bool stack_map(struct tool_stack *s)
{
	size_t size = GUARD_SIZE + STACK_SIZE;
	char *p = tool_memory_map(size, MAP_NORESERVE | MAP_STACK);

	if (!p)
		return false;
	mprotect(p, GUARD_SIZE, PROT_NONE);
	s->low = p + GUARD_SIZE;
	tool_memory_add(s->low, STACK_SIZE);
	valgrind_stack_register(s->low, s->low + STACK_SIZE);
	return true;
}

static struct tool_stack *take_from(uint32_t state)
{
	for (unsigned i = 0; i < STACKS; i++) {
		uint32_t found = state;

		if (atomic_load_explicit(&stacks[i].state, memory_order_relaxed) == state &&
			atomic_compare_exchange_strong_explicit(&stacks[i].state, &found, STACK_TAKEN,
				memory_order_acquire, memory_order_relaxed))
			return &stacks[i];
	}
	return NULL;
}

static struct tool_stack *take_new(void)
{
	struct tool_stack *s = take_from(STACK_ABSENT);

	if (!s || stack_map(s))
		return s;
	atomic_store_explicit(&s->state, STACK_ABSENT, memory_order_release);
	return NULL;
}

static bool any_mapped(void)
{
	for (unsigned i = 0; i < STACKS; i++)
		if (atomic_load_explicit(&stacks[i].state, memory_order_relaxed) != STACK_ABSENT)
			return true;
	return false;
}

static __attribute__((noinline)) struct tool_stack *take_after_waiting(void)
{
	const struct timespec while_asleep = {.tv_nsec = 100 * 1000 * 1000};
	struct tool_stack *s = NULL;

	atomic_fetch_add(&waiting, 1);
	while (any_mapped()) {
		uint32_t seen = atomic_load(&given_back);

		s = take_from(STACK_FREE);
		if (s)
			break;
		syscall(SYS_futex, &given_back, FUTEX_WAIT_PRIVATE, seen, &while_asleep, NULL, 0);
	}
	atomic_fetch_sub(&waiting, 1);
	return s;
}

/* NULL: there is none and no memory for one. */
static __attribute__((noinline)) struct tool_stack *stack_take_free(void)
{
	struct tool_stack *s = take_from(STACK_FREE);
	int saved = errno;

	if (!s)
		s = take_new();
	if (!s)
		s = take_after_waiting();
	if (s && __tsan_acquire)
		__tsan_acquire(s);
	errno = saved;
	return s;
}

static __attribute__((noinline)) void stack_give_back(struct tool_stack *s)
{
	if (__tsan_release)
		__tsan_release(s);
	atomic_store_explicit(&s->state, STACK_FREE, memory_order_release);
	atomic_fetch_add(&given_back, 1);
	if (atomic_load(&waiting))
		syscall(SYS_futex, &given_back, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

#define SIGNAL_BIT(n) (UINT64_C(1) << ((n)-1))
/* All that can be held back: faults cannot, and SIGSYS may be how a sandbox does system calls. 32, 33: the C
 * library's. */
#define HELD_BACK                                                                                            \
	(~(SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) |              \
		SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGSYS) | SIGNAL_BIT(SIGABRT) | SIGNAL_BIT(32) |            \
		SIGNAL_BIT(33)))

/* Not by sigprocmask: the C library's sigset_t is sixteen times as large. */
static void set_mask(int how, const uint64_t *set, uint64_t *before)
{
	syscall(SYS_rt_sigprocmask, how, set, before, sizeof(*set));
}

struct run {
	void (*fn)(void *);
	void *arg;
	/* What ASan's functions hand from one stack to the other. */
	void *fake;
	const void *low;
	size_t size;
};

NO_SANITIZE static void run_there(void *context)
{
	struct run *r = context;

	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(NULL, &r->low, &r->size);
	r->fn(r->arg);
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(NULL, r->low, r->size);
}

NO_SANITIZE static void run_on(struct tool_stack *s, struct run *r)
{
	if (__sanitizer_start_switch_fiber)
		__sanitizer_start_switch_fiber(&r->fake, s->low, STACK_SIZE);
	tool_stack_switch(run_there, r, s->low + STACK_SIZE);
	if (__sanitizer_finish_switch_fiber)
		__sanitizer_finish_switch_fiber(r->fake, NULL, NULL);
}

/* What the thread had set, kept over there: here is little room. */
static __attribute__((noinline)) void hold_back(struct acl_thread *t)
{
	static const uint64_t mask = HELD_BACK;
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	t->cancel_state = (uint8_t)cancel;
	set_mask(SIG_BLOCK, &mask, &t->held_mask);
}

static __attribute__((noinline)) void let_go(struct acl_thread *t)
{
	uint64_t mask = t->held_mask;
	int cancel = t->cancel_state;

	/* A handler may run at once, and come here again. */
	set_mask(SIG_SETMASK, &mask, NULL);
	pthread_setcancelstate(cancel, NULL);
}

static __attribute__((noinline)) void run_afterwards(struct acl_thread *t)
{
	void (*fn)(void) = t->afterwards;

	t->afterwards = NULL;
	fn();
}

void tool_stack_run(void (*fn)(void *), void *arg)
{
	struct acl_thread *t = thread_self();
	struct run r = {.fn = fn, .arg = arg};

	/* More threads than are followed: those have no place to keep what they had. */
	if (t->tool_stack || !atomic_load_explicit(&t->pointer, memory_order_relaxed)) {
		fn(arg);
		return;
	}
	hold_back(t);
	t->tool_stack = stack_take_free();
	if (t->tool_stack) {
		t->outer_sp = (uintptr_t)&r;
		run_on(t->tool_stack, &r);
		stack_give_back(t->tool_stack);
		t->tool_stack = NULL;
		let_go(t);
	} else {
		let_go(t);
		fn(arg);
	}
	if (t->afterwards)
		run_afterwards(t);
}

void tool_stack_afterwards(void (*fn)(void))
{
	struct acl_thread *t = thread_self();

	if (t->tool_stack)
		t->afterwards = fn;
	else
		fn();
}

/* A handler on an alternate signal stack stays undisturbed: the kernel would begin at its top again. */
void tool_stack_with_signals(void (*fn)(void *), void *arg)
{
	struct acl_thread *t = thread_self();
	uint64_t held;

	if (!t->tool_stack || on_signal_stack()) {
		fn(arg);
		return;
	}
	set_mask(SIG_SETMASK, &t->held_mask, &held);
	fn(arg);
	set_mask(SIG_SETMASK, &held, NULL);
}

bool tool_stack_bounds(uint64_t *low, uint64_t *high)
{
	const struct tool_stack *s = thread_self()->tool_stack;

	*low = s ? (uintptr_t)s->low : 0;
	*high = s ? (uintptr_t)s->low + STACK_SIZE : 0;
	return s != NULL;
}

void tool_stack_forked(void)
{
	for (unsigned i = 0; i < STACKS; i++) {
		struct tool_stack *s = &stacks[i];

		if (s != thread_self()->tool_stack && atomic_load(&s->state) == STACK_TAKEN)
			atomic_store(&s->state, s->low ? STACK_FREE : STACK_ABSENT);
	}
	atomic_store(&waiting, 0);
}
