/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Included before all else in the checker's sources when they are built for the litmus tests: C11 atomics
 * become calls of the memory model (weak_memory.h), which decides what a load reads. The sources themselves
 * stay as they are, so what is proven is proven of them.
 */
#ifndef TESTS_LITMUS_WEAK_ATOMICS_H
#define TESTS_LITMUS_WEAK_ATOMICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* An atomic operation of the source. */
struct weak_site {
	const char *file;
	int line;
	const char *what; /* "load", "store" or "rmw" */
	bool known, ordered, weakened; /* ordered: more than relaxed; weakened: not any more */
	struct weak_site *next;
};

uint64_t weak_load(struct weak_site *site, void *at, unsigned size, memory_order order);
void weak_store(struct weak_site *site, void *at, uint64_t value, unsigned size, memory_order order);
enum weak_operation { WEAK_EXCHANGE, WEAK_ADD, WEAK_SUB, WEAK_OR, WEAK_AND };
uint64_t weak_rmw(struct weak_site *site, void *at, enum weak_operation operation, uint64_t operand,
	unsigned size, memory_order order);
bool weak_compare_exchange(struct weak_site *site, void *at, uint64_t *expected, uint64_t wanted,
	unsigned size, memory_order order);
long weak_futex(long number, void *word, int operation, uint32_t value);
int weak_madvise(void *begin, size_t bytes, int advice);

#define WEAK_SITE(what_)                                                                                     \
	({                                                                                                   \
		static struct weak_site site_ = {.file = __FILE__, .line = __LINE__, .what = what_};         \
		&site_;                                                                                      \
	})
/* The type of what p points to, without _Atomic. */
#define WEAK_TYPE(p) __typeof__((void)0, *(p))
#define WEAK_BITS(v)                                                                                         \
	({                                                                                                   \
		__auto_type bits_of_ = (v);                                                                  \
		uint64_t bits_ = 0;                                                                          \
		memcpy(&bits_, &bits_of_, sizeof(bits_of_));                                                 \
		bits_;                                                                                       \
	})
#define WEAK_VALUE(type, bits)                                                                               \
	({                                                                                                   \
		uint64_t from_ = (bits);                                                                     \
		type value_;                                                                                 \
		memcpy(&value_, &from_, sizeof(value_));                                                     \
		value_;                                                                                      \
	})

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_and_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_compare_exchange_weak_explicit
#undef atomic_load
#undef atomic_store
#undef atomic_exchange
#undef atomic_fetch_add
#undef atomic_fetch_sub
#undef atomic_fetch_or
#undef atomic_fetch_and
#undef atomic_compare_exchange_strong
#undef atomic_compare_exchange_weak
#undef atomic_thread_fence /* none is modelled: a use of it shall not compile */

#define atomic_load_explicit(p, order)                                                                       \
	WEAK_VALUE(WEAK_TYPE(p), weak_load(WEAK_SITE("load"), (void *)(p), sizeof(*(p)), order))
#define atomic_store_explicit(p, v, order)                                                                   \
	({                                                                                                   \
		WEAK_TYPE(p) stored_ = (v);                                                                  \
		weak_store(WEAK_SITE("store"), (void *)(p), WEAK_BITS(stored_), sizeof(*(p)), order);        \
	})
#define WEAK_RMW(p, operation, v, order)                                                                     \
	({                                                                                                   \
		WEAK_TYPE(p) operand_ = (v);                                                                 \
		WEAK_VALUE(WEAK_TYPE(p), weak_rmw(WEAK_SITE("rmw"), (void *)(p), operation,                  \
						 WEAK_BITS(operand_), sizeof(*(p)), order));                 \
	})
#define atomic_exchange_explicit(p, v, order) WEAK_RMW(p, WEAK_EXCHANGE, v, order)
#define atomic_fetch_add_explicit(p, v, order) WEAK_RMW(p, WEAK_ADD, v, order)
#define atomic_fetch_sub_explicit(p, v, order) WEAK_RMW(p, WEAK_SUB, v, order)
#define atomic_fetch_or_explicit(p, v, order) WEAK_RMW(p, WEAK_OR, v, order)
#define atomic_fetch_and_explicit(p, v, order) WEAK_RMW(p, WEAK_AND, v, order)
#define atomic_compare_exchange_strong_explicit(p, e, v, order, failing)                                     \
	({                                                                                                   \
		WEAK_TYPE(p) *expected_ = (e), wanted_ = (v);                                                \
		uint64_t seen_ = WEAK_BITS(*expected_);                                                      \
		bool done_ = weak_compare_exchange(                                                          \
			WEAK_SITE("rmw"), (void *)(p), &seen_, WEAK_BITS(wanted_), sizeof(*(p)), order);     \
		if (!done_)                                                                                  \
			memcpy(expected_, &seen_, sizeof(*expected_));                                       \
		done_;                                                                                       \
	})
#define atomic_compare_exchange_weak_explicit atomic_compare_exchange_strong_explicit

/* The order of all sequentially consistent operations is not modelled: less is promised, more is tried. */
#define atomic_load(p) atomic_load_explicit(p, memory_order_seq_cst)
#define atomic_store(p, v) atomic_store_explicit(p, v, memory_order_seq_cst)
#define atomic_exchange(p, v) atomic_exchange_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_add(p, v) atomic_fetch_add_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_sub(p, v) atomic_fetch_sub_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_or(p, v) atomic_fetch_or_explicit(p, v, memory_order_seq_cst)
#define atomic_fetch_and(p, v) atomic_fetch_and_explicit(p, v, memory_order_seq_cst)
#define atomic_compare_exchange_strong(p, e, v)                                                              \
	atomic_compare_exchange_strong_explicit(p, e, v, memory_order_seq_cst, memory_order_seq_cst)
#define atomic_compare_exchange_weak atomic_compare_exchange_strong

/* What the sources ask the kernel for. */
#define syscall(number, word, operation, value, ...) weak_futex(number, word, operation, value)
#define madvise(begin, bytes, advice) weak_madvise(begin, bytes, advice)

#endif
