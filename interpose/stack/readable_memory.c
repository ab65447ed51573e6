/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arguments mostly lie on the stack of the thread that calls, above its frame; that
 * stays as long as the thread is on it (stack_memory.c) and is read as it is.
 */
#include "interpose/stack/readable_memory.h"

#include <string.h>

#include "interpose/common/kernel_copy.h"
#include "interpose/common/thread_state.h"
#include "interpose/stack/stack_memory.h"

static inline bool inside(uint64_t at, size_t size, uint64_t low, uint64_t high)
{
	return at >= low && at < high && size <= high - at;
}

/* The thread's own stack as far as it was learned, and where it is used now; behind all memory: not known. */
struct stack_now {
	uint64_t low, high, sp;
};

/* The frame that calls us may be deeper than any before. */
static inline __attribute__((always_inline)) struct stack_now stack_now(void)
{
	const struct acl_thread *t = thread_self();

	/* Threads beyond those that are followed share one state. */
	if (__builtin_expect(!atomic_load_explicit(&t->pointer, memory_order_relaxed), 0))
		return (struct stack_now){.sp = UINT64_MAX};
	return (struct stack_now){t->own_stack_low, t->own_stack_high,
		t->tool_stack ? t->outer_sp : (uintptr_t)__builtin_frame_address(0)};
}

/* Whether it lies on the stack, as far as that is known. */
static inline bool on_stack(const struct stack_now *s, const void *from, size_t size)
{
	uint64_t at = (uintptr_t)from, low, high;

	if (inside(at, size, s->low, s->high))
		return true;
	if (at < s->sp)
		return false;
	stack_memory_learn(s->sp, &low, &high);
	return inside(at, size, low, high);
}

bool readable_copy(void *to, const void *from, size_t size)
{
	const struct stack_now s = stack_now();

	if (__builtin_expect(!on_stack(&s, from, size), 0))
		return kernel_copy(to, from, size);
	memcpy(to, from, size);
	return true;
}

/* Mostly some lie on no stack: all those in one system call. */
bool readable_copy_pieces(const struct checks_piece *pieces, unsigned n)
{
	const struct stack_now s = stack_now();
	struct kernel_copy_list list;

	list.n = 0;
	for (const struct checks_piece *p = pieces; p < pieces + n; p++) {
		if (on_stack(&s, p->from, p->bytes)) {
			memcpy(p->to, p->from, p->bytes);
			continue;
		}
		if (list.n == KERNEL_COPY_LIST && !kernel_copy_all(&list))
			return false;
		list.here[list.n] = (struct iovec){p->to, p->bytes};
		list.there[list.n++] = (struct iovec){(void *)(uintptr_t)p->from, p->bytes};
	}
	return kernel_copy_all(&list);
}
