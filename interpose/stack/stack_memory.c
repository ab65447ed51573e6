/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread's own stack cannot go away under it, so it is read as it is once its
 * pages were found to be there without a gap.  Everything else (coroutines,
 * signal stacks, what a wrong frame pointer names) is copied by the kernel,
 * which fails where there is nothing.
 */
#include "interpose/stack/stack_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/kernel_copy.h"
#include "interpose/common/thread_state.h"
#include "interpose/stack/tool_stack.h"

#define PAGE UINT64_C(4096) /* or a part of a larger one */
#define MAIN_MOST (UINT64_C(8) << 20) /* of the main thread's stack, whatever its limit */
#define PAGES_MOST 256 /* of an own stack, looked at in one go */

NO_SANITIZE static uint64_t load(uint64_t address)
{
	return *(const volatile uint64_t *)(uintptr_t)address;
}

bool stack_memory_word(struct stack_memory *m, uint64_t address, uint64_t *word)
{
	uint64_t window = address & ~(uint64_t)(STACK_WINDOW - 1);
	bool good = true;

	if (address & 7)
		return false;
	if (address >= m->low && address < m->high) {
		*word = load(address);
		return true;
	}
	if (m->window != window || !window) {
		good = window && kernel_copy(m->copy, (const void *)(uintptr_t)window, sizeof(m->copy));
		m->window = good ? window : 0;
	}
	if (good)
		*word = m->copy[(address - window) / 8];
	else
		good = kernel_copy(word, (const void *)(uintptr_t)address, sizeof(*word));
	return good;
}

/* One byte of each page: in one system call, or one by one where that is forbidden. */
static bool pages_there(uint64_t low, uint64_t high)
{
	struct iovec pages[PAGES_MOST], here;
	char bytes[PAGES_MOST];
	size_t n = 0;

	for (uint64_t at = low; at < high && n < PAGES_MOST; at += PAGE)
		pages[n++] = (struct iovec){(void *)(uintptr_t)at, 1};
	here = (struct iovec){bytes, n};
	if (syscall(SYS_process_vm_readv, getpid(), &here, 1UL, pages, n, 0UL) == (long)n)
		return true;
	if (errno != EPERM && errno != ENOSYS && errno != EACCES)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!kernel_copy(bytes, pages[i].iov_base, 1))
			return false;
	return true;
}

/* Whether all of it up to end is there, and not too much to look at; both then belong to one stack. */
static bool reaches(uint64_t sp, uint64_t end)
{
	uint64_t low = sp & ~(PAGE - 1);
	int saved = errno;
	bool there;

	if (sp >= end || end - low > (PAGES_MOST - 1) * PAGE)
		return false;
	there = pages_there(low, end & ~UINT64_C(7));
	errno = saved;
	return there;
}

/* Looks whether the stack that sp is on reaches up to what is known, or to what lies at a stack's high end.
 */
static void learn(struct acl_thread *t, uint64_t sp)
{
	uint64_t end = t->own_stack_high;

	/* Threads beyond those that are followed share one state. */
	if (!atomic_load_explicit(&t->pointer, memory_order_relaxed))
		return;
	if (!reaches(sp, t->own_stack_low)) {
		end = (uint64_t)pthread_self();
		if (!reaches(sp, end)) {
			end = getauxval(AT_EXECFN);
			if (!reaches(sp, end))
				return;
		}
	}
	t->own_stack_low = sp & ~(PAGE - 1);
	t->own_stack_high = end & ~UINT64_C(7);
}

bool stack_memory_own(uint64_t sp, uint64_t *low, uint64_t *high)
{
	struct acl_thread *t = thread_self();
	bool own = sp >= t->own_stack_low && sp < t->own_stack_high;

	*low = own ? t->own_stack_low : 0;
	*high = own ? t->own_stack_high : 0;
	return own;
}

static void learn_there(void *sp)
{
	learn(thread_self(), *(uint64_t *)sp);
}

bool stack_memory_learn(uint64_t sp, uint64_t *low, uint64_t *high)
{
	if (stack_memory_own(sp, low, high))
		return true;
	/* A stack of the tool is as sure, and none of the thread's: it may lie right below what ends a stack.
	 */
	if (tool_stack_bounds(low, high) && sp >= *low && sp < *high)
		return true;
	tool_stack_run(learn_there, &sp);
	return stack_memory_own(sp, low, high);
}

/*
 * Of a stack that is mapped as a whole, how far down it surely goes.  Each page that is looked at costs, and
 * most threads never go deep: little at first, more each time that was not enough.
 */
static uint64_t mapped_below(struct acl_thread *t, uint64_t page)
{
	static const uint64_t depths[] = {UINT64_C(96) << 10, UINT64_C(256) << 10, UINT64_C(1) << 20};
	const uint8_t most = sizeof(depths) / sizeof(*depths);
	uint8_t n = t->room_learned < most ? t->room_learned + 1 : most;

	while (n--)
		if (pages_there(page - depths[n], page)) {
			t->room_learned += t->room_learned < most;
			return page - depths[n];
		}
	return page;
}

static void learn_room(struct acl_thread *t, uint64_t sp)
{
	uint64_t page = sp & ~(PAGE - 1), low = 0, high, most;
	struct rlimit limit;

	if (!stack_memory_learn(sp, &low, &high))
		return;
	/* The main thread's grows when it is used. */
	if (high == (getauxval(AT_EXECFN) & ~UINT64_C(7))) {
		most = getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur > MAIN_MOST ? MAIN_MOST
										     : limit.rlim_cur;
		low = high - most;
	} else {
		low = mapped_below(t, page);
	}
	if (low + THREAD_ROOM < page) {
		t->room_low = low + THREAD_ROOM;
		t->room_size = high - t->room_low;
	}
}

void stack_room_learn(uint64_t sp)
{
	struct acl_thread *t = thread_self();
	int saved = errno;

	if (t->room_asked == (sp & ~(PAGE - 1)))
		return;
	t->room_asked = sp & ~(PAGE - 1);
	learn_room(t, sp);
	errno = saved;
}
