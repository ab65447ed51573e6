/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every bound of make bench.  Times differ by more than two between machines, so a
 * bound is a count of instructions, or a ratio of two times of one run.
 */
#ifndef BENCH_BOUNDS_H
#define BENCH_BOUNDS_H

/*
 * What is counted, in this order: name, loop, calls or entries, bound of instructions a
 * call or entry with all checks (0 = none), and how many percent of which other row it
 * may take (0 = any).  The last ones need what slows the others down.
 */
#define BENCH_COUNTED(X)                                                                                     \
	X(unchecked, unchecked, 5000, 220, 0, unchecked)                                                     \
	X(query, query, 5000, 300, 0, query)                                                                 \
	X(record, record, 5000, 350, 0, record)                                                              \
	X(wait, wait, 5000, 0, 0, wait)                                                                      \
	X(copy, copy_ten, 5000, 900, 0, copy)                                                                \
	X(batch_2, batch_2, 4096, 0, 0, batch_2)                                                             \
	X(batch_64, batch_64, 65536, 120, 0, batch_64)                                                       \
	X(batch_4096, batch_4096, 8192, 120, 0, batch_4096)                                                  \
	X(repeat, repeat, 1000, 900, 0, repeat)                                                              \
	X(register_10, register, 1000, 0, 0, register_10)                                                    \
	X(register_10000, register, 1000, 0, 200, register_10)                                               \
	X(copy_unordered, copy_ten, 5000, 700, 0, copy_unordered)                                            \
	X(cross_1, cross_1, 5000, 0, 0, cross_1)                                                             \
	X(cross_8, cross_8, 5000, 0, 0, cross_8)                                                             \
	X(cross_64, cross_64, 5000, 0, 0, cross_64)                                                          \
	X(pending_10, pending_10, 5000, 0, 0, pending_10)                                                    \
	X(pending_1000, pending_1000, 5000, 0, 200, pending_10)                                              \
	X(copy_1000, copy_random, 5000, 900, 0, copy_1000)                                                   \
	X(copy_10000, copy_random, 5000, 900, 0, copy_10000)                                                 \
	X(copy_two_devices, copy_random, 5000, 0, 110, copy_10000)                                           \
	X(replay_2, replay, 1000, 0, 0, replay_2)                                                            \
	X(replay_2000, replay, 1000, 0, 110, replay_2)                                                       \
	X(mix, mix, 20000, 0, 0, mix)                                                                        \
	X(mix_seen, mix, 20000, 0, 200, mix)

#define BOUND_OFF 12 /* instructions over the bare forward, checks off */
#define BOUND_REPORT 80 /* instructions that a report adds to a call */
#define BOUND_TWO_THREADS 1.15 /* of what the bare forward's two threads lose */
#define BOUND_SET 1.5 /* 1 000 of 1 000 000 blocks in use, over ten blocks */
#define BOUND_RANDOM 1.3 /* what random blocks add, over a random load of a cache line each */
#define BOUND_RESERVE 1.3 /* reserving 64 GiB over 4 KiB */
#define BOUND_BLOCK_BYTES 100 /* resident, of a live block */
#define BOUND_OBJECT_BYTES 200 /* of an event or a stream, new or recorded, waited for and launched on */
#define BOUND_AGAIN 10 /* of an object that comes after another one of its kind has gone */
#define BOUND_MIX 0.3 /* what clients do, a call over the bare forward, of a pair of events by hand */
#define BOUND_START_MS 1 /* starting a program that makes no call, over starting it without */
/* Times, ten times what a machine of today takes or half of it: the loader's and the disk's are in them. */
#define BOUND_FIRST_FINDING_MS 3 /* the first of the process, with names and lines */
#define BOUND_NEW_SITE_US 60 /* the next ones, each at a place where none was before */

#endif
