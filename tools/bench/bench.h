/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark's parts share: variants of the call path, and measured rows. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/acl.h"

/* The functions measured, as one variant of the call path offers them. */
#define BENCH_FUNCTIONS(X)                                                                                   \
	X(aclInit)                                                                                           \
	X(aclrtSetDevice)                                                                                    \
	X(aclrtGetDevice)                                                                                    \
	X(aclrtMalloc)                                                                                       \
	X(aclrtFree)                                                                                         \
	X(aclrtReserveMemAddress)                                                                            \
	X(aclrtReleaseMemAddress)                                                                            \
	X(aclrtMallocHost)                                                                                   \
	X(aclrtCreateStream)                                                                                 \
	X(aclrtCreateEventExWithFlag)                                                                        \
	X(aclrtRecordEvent)                                                                                  \
	X(aclrtStreamWaitEvent)                                                                              \
	X(aclrtQueryEventStatus)                                                                             \
	X(aclrtMemcpyAsync)                                                                                  \
	X(aclrtSynchronizeStream)                                                                            \
	X(aclrtStreamGetId)

enum bench_variant_id { BENCH_DIRECT, BENCH_BARE, BENCH_OFF, BENCH_CHECKS, BENCH_VARIANTS };

#define BENCH_STREAMS 64

struct bench_variant {
	const char *name;
	void *library;
#define BENCH_MEMBER(function) __typeof__(&function) function;
	BENCH_FUNCTIONS(BENCH_MEMBER)
#undef BENCH_MEMBER
	aclrtStream streams[BENCH_STREAMS];
	aclrtEvent events[BENCH_STREAMS];
	void *host; /* pinned, 1 MiB */
	void **blocks; /* device, 4 KiB each; then those of mixed sizes, 512 bytes to 64 KiB */
	void **order; /* the same blocks, or those of mixed sizes, shuffled */
	size_t n_blocks, n_order;
};

/* One loop of n calls; i counts on over repetitions so that every block gets its turn. */
typedef void (*bench_loop_fn)(struct bench_variant *v, size_t n, size_t first);

/* CPU nanoseconds a call, lower quartile over repetitions, variants interleaved. */
void bench_measure(
	struct bench_variant *variants, const bool *wanted, bench_loop_fn loop, size_t calls, double *ns);

/* The same on a new thread alone and on two at once, each its own streams; CPU time of a thread. */
void bench_measure_two(struct bench_variant *variants, const bool *wanted, bench_loop_fn first,
	bench_loop_fn second, size_t calls, double *one, double *two);

#endif
