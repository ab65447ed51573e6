/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmark's parts share: variants of the call path, loops, and measured rows. */
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
	X(aclrtHostRegister)                                                                                 \
	X(aclrtHostUnregister)                                                                               \
	X(aclrtCreateStream)                                                                                 \
	X(aclrtCreateEventExWithFlag)                                                                        \
	X(aclrtRecordEvent)                                                                                  \
	X(aclrtStreamWaitEvent)                                                                              \
	X(aclrtQueryEventStatus)                                                                             \
	X(aclrtMemcpyAsync)                                                                                  \
	X(aclrtMemcpyBatchAsync)                                                                             \
	X(aclrtSynchronizeStream)                                                                            \
	X(aclmdlRICaptureBegin)                                                                              \
	X(aclmdlRICaptureEnd)                                                                                \
	X(aclmdlRIExecuteAsync)                                                                              \
	X(aclrtStreamGetId)                                                                                  \
	X(aclrtGetCurrentContext)                                                                            \
	X(aclrtSetCurrentContext)                                                                            \
	X(aclrtDestroyStream)                                                                                \
	X(aclrtDestroyEvent)                                                                                 \
	X(aclrtSynchronizeEvent)                                                                             \
	X(aclrtFreeHost)                                                                                     \
	X(aclrtGetMemInfo)                                                                                   \
	X(aclrtValueWrite)                                                                                   \
	X(aclrtValueWait)                                                                                    \
	X(aclrtLaunchKernel)                                                                                 \
	X(aclmdlRICaptureTaskGrpBegin)                                                                       \
	X(aclmdlRICaptureTaskGrpEnd)                                                                         \
	X(aclmdlRICaptureTaskUpdateBegin)                                                                    \
	X(aclmdlRICaptureTaskUpdateEnd)

/* UNORDERED: the checks but for the rules about what is in flight; counted only. */
enum bench_variant_id {
	BENCH_DIRECT,
	BENCH_BARE,
	BENCH_OFF,
	BENCH_CHECKS,
	BENCH_VARIANTS,
	BENCH_UNORDERED = BENCH_VARIANTS,
	BENCH_LIBRARIES
};

#define BENCH_STREAMS 64
#define BENCH_BATCH 4096 /* entries of the longest batch */

struct bench_variant {
	const char *name;
	void *library;
#define BENCH_MEMBER(function) __typeof__(&function) function;
	BENCH_FUNCTIONS(BENCH_MEMBER)
#undef BENCH_MEMBER
	aclrtStream streams[BENCH_STREAMS];
	aclrtEvent events[BENCH_STREAMS];
	void *host; /* pinned, a piece for each stream */
	void **blocks; /* device, 4 KiB each; then those of mixed sizes, 512 bytes to 64 KiB */
	void **order; /* the same blocks, or those of mixed sizes, shuffled */
	void **batch; /* BENCH_BATCH blocks of their own */
	void *large; /* device, a block with many accesses */
	aclmdlRI model; /* captured by bench_capture() */
	size_t n_blocks, n_order;
	size_t n_registered; /* ranges of host memory */
	void **many; /* objects of one kind, bench_many() */
	struct bench_mix *mix; /* by device, bench_mix() */
};

/* One loop of n calls; first counts on over repetitions so that every block gets its turn. */
typedef void (*bench_loop_fn)(struct bench_variant *v, size_t n, size_t first);

#define BENCH_LOOPS(X)                                                                                       \
	X(unchecked)                                                                                         \
	X(query)                                                                                             \
	X(record)                                                                                            \
	X(record_threads)                                                                                    \
	X(wait)                                                                                              \
	X(cross_1)                                                                                           \
	X(cross_8)                                                                                           \
	X(cross_64)                                                                                          \
	X(pending_10)                                                                                        \
	X(pending_1000)                                                                                      \
	X(storm)                                                                                             \
	X(mix)                                                                                               \
	X(record_many)                                                                                       \
	X(replay)                                                                                            \
	X(copy_ten)                                                                                          \
	X(copy_set)                                                                                          \
	X(copy_random)                                                                                       \
	X(copy_mixed)                                                                                        \
	X(copy_threads)                                                                                      \
	X(batch_2)                                                                                           \
	X(batch_64)                                                                                          \
	X(batch_4096)                                                                                        \
	X(repeat)                                                                                            \
	X(reserve_small)                                                                                     \
	X(reserve_vast)                                                                                      \
	X(register)

/* NULL: no loop of this name. */
bench_loop_fn bench_loop(const char *name);

/* As many places that break a rule for the first time: when it began, and when each was over. */
#define BENCH_SITES 256
void bench_new_sites(struct bench_variant *v, double *ns);

/* Streams, events, host memory, and what batches and registering use. */
void bench_objects(struct bench_variant *v);
/* Up to so many blocks. */
void bench_grow(struct bench_variant *v, size_t blocks);
/* In place of all but the first few: so many of sizes of which nothing can be reckoned from the ones before.
 */
#define BENCH_KEPT 1000
void bench_grow_mixed(struct bench_variant *v, size_t blocks);
/* Up to so many registered ranges. */
void bench_register(struct bench_variant *v, size_t ranges);
/* A model of so many copies. */
void bench_capture(struct bench_variant *v, size_t copies);
/* Two devices are in use from now on; the objects stay on the first. */
void bench_two_devices(struct bench_variant *v);
/* Everything submitted is done: another loop may use the same blocks on other streams. */
void bench_settle(struct bench_variant *v);

/* CPU nanoseconds a call, lower quartile over repetitions, variants interleaved. */
void bench_measure(
	struct bench_variant *variants, const bool *wanted, bench_loop_fn loop, size_t calls, double *ns);

/* CPU time of this thread; of n values, which get sorted, the one that this part of them is below. */
double bench_cpu_ns(void);
double bench_quantile(double *values, unsigned n, double part);

/* The same of so many new threads at once, each by its number bench_thread; CPU time of a thread, the mean of
 * them. */
#define BENCH_THREADS 16
extern __thread unsigned bench_thread;
void bench_measure_threads(struct bench_variant *variants, const bool *wanted, bench_loop_fn loop,
	unsigned threads, size_t calls, double *ns);

/* Nanoseconds until another core has read what one has written, and that in turn: threads that share what
 * they write pay this. */
double bench_line_ns(void);

/* So many objects of one kind, up to BENCH_MANY, and none again. */
#define BENCH_MANY 1000000
enum bench_kind {
	BENCH_BLOCK,
	BENCH_EVENT,
	BENCH_STREAM,
	BENCH_EVENT_USED, /* recorded, and another stream waits for it */
	BENCH_STREAM_USED /* has waited for an event and launched a kernel, all done */
};
void bench_many(struct bench_variant *v, enum bench_kind kind, size_t n);
void bench_none(struct bench_variant *v, enum bench_kind kind, size_t n);

/* What clients do, on so many devices; two threads for each. A call's CPU time is that of both. */
#define BENCH_MIX_THREADS 2
void bench_mix(struct bench_variant *v, size_t devices, bool words);
void bench_loop_mix(struct bench_variant *v, size_t n, size_t first);

#endif
