/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring: CPU time of the calling thread (the machine is shared, wall time
 * proves nothing), variants interleaved so that a slow phase of the machine
 * hits all of them, lower quartile over repetitions: what neighbours do to caches
 * and clock only ever adds.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"

#define REPETITIONS 20

double bench_cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double bench_quantile(double *values, unsigned n, double part)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[(unsigned)(n * part)];
}

static double quartile(double *values, unsigned n)
{
	return bench_quantile(values, n, 0.25);
}

static double once(struct bench_variant *v, bench_loop_fn loop, size_t calls, size_t first)
{
	double start = bench_cpu_ns();

	loop(v, calls, first);
	return (bench_cpu_ns() - start) / (double)calls;
}

void bench_measure(
	struct bench_variant *variants, const bool *wanted, bench_loop_fn loop, size_t calls, double *ns)
{
	double samples[BENCH_VARIANTS][REPETITIONS];

	for (unsigned r = 0; r < REPETITIONS; r++)
		for (unsigned v = 0; v < BENCH_VARIANTS; v++)
			if (wanted[v])
				samples[v][r] = once(&variants[v], loop, calls, r * calls);
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		ns[v] = wanted[v] ? quartile(samples[v], REPETITIONS) : 0;
}

__thread unsigned bench_thread;

struct partner {
	struct bench_variant *variant;
	bench_loop_fn loop;
	pthread_barrier_t *barrier;
	unsigned number;
	size_t calls;
	double ns;
};

static void *run_partner(void *argument)
{
	struct partner *p = argument;

	bench_thread = p->number;
	pthread_barrier_wait(p->barrier);
	p->ns = once(p->variant, p->loop, p->calls, 0);
	return NULL;
}

static double on_threads(struct bench_variant *v, bench_loop_fn loop, unsigned n, size_t calls)
{
	struct partner partners[BENCH_THREADS];
	pthread_t threads[BENCH_THREADS];
	pthread_barrier_t barrier;
	double sum = 0;

	pthread_barrier_init(&barrier, NULL, n);
	for (unsigned i = 0; i < n; i++) {
		partners[i] = (struct partner){v, loop, &barrier, i, calls, 0};
		if (pthread_create(&threads[i], NULL, run_partner, &partners[i]))
			abort();
	}
	for (unsigned i = 0; i < n; i++) {
		pthread_join(threads[i], NULL);
		sum += partners[i].ns;
	}
	pthread_barrier_destroy(&barrier);
	return sum / n;
}

void bench_measure_threads(struct bench_variant *variants, const bool *wanted, bench_loop_fn loop,
	unsigned threads, size_t calls, double *ns)
{
	double samples[BENCH_VARIANTS][REPETITIONS];

	for (unsigned r = 0; r < REPETITIONS; r++)
		for (unsigned v = 0; v < BENCH_VARIANTS; v++)
			if (wanted[v])
				samples[v][r] = on_threads(&variants[v], loop, threads, calls);
	for (unsigned v = 0; v < BENCH_VARIANTS; v++)
		ns[v] = wanted[v] ? quartile(samples[v], REPETITIONS) : 0;
}

/* --- what a cache line takes from one core to the other ------------------------------------------- */

#define HANDED_OVER 100000

static struct {
	_Alignas(128) _Atomic size_t turn;
} line;

static void *hand_over(void *odd)
{
	for (size_t i = odd ? 1 : 0; i < HANDED_OVER; i += 2) {
		/* There may be just one core. */
		for (unsigned looks = 1; atomic_load(&line.turn) != i; looks++)
			if (looks % 4096 == 0)
				sched_yield();
		atomic_store(&line.turn, i + 1);
	}
	return NULL;
}

static double wall_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

double bench_line_ns(void)
{
	double samples[REPETITIONS];

	for (unsigned r = 0; r < REPETITIONS; r++) {
		double start = wall_ns();
		pthread_t other;

		atomic_store(&line.turn, 0);
		if (pthread_create(&other, NULL, hand_over, &line))
			abort();
		hand_over(NULL);
		pthread_join(other, NULL);
		samples[r] = (wall_ns() - start) / HANDED_OVER;
	}
	return quartile(samples, REPETITIONS);
}
