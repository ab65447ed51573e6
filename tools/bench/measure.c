/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring: CPU time of the calling thread (the machine is shared, wall time
 * proves nothing), variants interleaved so that a slow phase of the machine
 * hits all of them, lower quartile over repetitions: what neighbours do to caches
 * and clock only ever adds.
 */
#include <pthread.h>
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

struct partner {
	struct bench_variant *variant;
	bench_loop_fn loop;
	pthread_barrier_t *barrier;
	size_t calls;
	double ns;
};

static void *run_partner(void *argument)
{
	struct partner *p = argument;

	pthread_barrier_wait(p->barrier);
	p->ns = once(p->variant, p->loop, p->calls, 0);
	return NULL;
}

/* second NULL: the first is alone. */
static double on_threads(struct bench_variant *v, bench_loop_fn first, bench_loop_fn second, size_t calls)
{
	pthread_barrier_t barrier;
	struct partner a = {v, first, &barrier, calls, 0}, b = {v, second, &barrier, calls, 0};
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, second ? 2 : 1);
	pthread_create(&threads[0], NULL, run_partner, &a);
	if (second) {
		pthread_create(&threads[1], NULL, run_partner, &b);
		pthread_join(threads[1], NULL);
	}
	pthread_join(threads[0], NULL);
	pthread_barrier_destroy(&barrier);
	return second ? (a.ns + b.ns) / 2 : a.ns;
}

void bench_measure_two(struct bench_variant *variants, const bool *wanted, bench_loop_fn first,
	bench_loop_fn second, size_t calls, double *one, double *two)
{
	double alone[BENCH_VARIANTS][REPETITIONS], both[BENCH_VARIANTS][REPETITIONS];

	for (unsigned r = 0; r < REPETITIONS; r++) {
		for (unsigned v = 0; v < BENCH_VARIANTS; v++) {
			if (!wanted[v])
				continue;
			alone[v][r] = on_threads(&variants[v], first, NULL, calls);
			both[v][r] = on_threads(&variants[v], first, second, calls);
		}
	}
	for (unsigned v = 0; v < BENCH_VARIANTS; v++) {
		one[v] = wanted[v] ? quartile(alone[v], REPETITIONS) : 0;
		two[v] = wanted[v] ? quartile(both[v], REPETITIONS) : 0;
	}
}
