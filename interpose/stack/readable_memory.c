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

bool readable_copy(void *to, const void *from, size_t size)
{
	const struct acl_thread *t = thread_self();
	uint64_t at = (uintptr_t)from, sp, low, high;

	/* Threads beyond those that are followed share one state. */
	if (__builtin_expect(!atomic_load_explicit(&t->pointer, memory_order_relaxed), 0))
		return kernel_copy(to, from, size);
	if (__builtin_expect(inside(at, size, t->own_stack_low, t->own_stack_high), 1)) {
		memcpy(to, from, size);
		return true;
	}
	/* The frame that calls us may be deeper than any before. */
	sp = t->tool_stack ? t->outer_sp : (uintptr_t)__builtin_frame_address(0);
	if (at >= sp) {
		stack_memory_learn(sp, &low, &high);
		if (inside(at, size, low, high)) {
			memcpy(to, from, size);
			return true;
		}
	}
	return kernel_copy(to, from, size);
}
