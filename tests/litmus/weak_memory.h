/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exhaustive runs under C11's memory model, of the checker's own code. Every location keeps all values that
 * were stored there, and a load may read any of them that C11 lets it: not one older than what happened
 * before, and not one older than what it has read there already. Each run makes other choices, until all
 * were made.
 *
 * The order of stores to one location is that of the run, so what a machine does that lets two threads
 * overwrite each other in another order than either of them sees (2+2W), and loads that read what is stored
 * later (load buffering), are not tried. No store of the checked code depends on either.
 */
#ifndef TESTS_LITMUS_WEAK_MEMORY_H
#define TESTS_LITMUS_WEAK_MEMORY_H

#include "tests/litmus/weak_atomics.h"

#define WEAK_THREADS 4

struct weak_test {
	const char *name;
	/* All there is before threads start. */
	void (*prepare)(void);
	/*
	 * Either a writer and a reader that stores nothing (but locks): the writer's stores are the same in
	 * every run, and the reader chooses among them.
	 */
	void (*write)(void);
	void (*read)(void);
	/* Or threads that do both, in every interleaving; after: when all are done. */
	void (*thread[WEAK_THREADS])(void);
	void (*after)(void);
};

/* In write: what follows is done by another thread, 0 to WEAK_THREADS - 2. */
void weak_writer(unsigned number);

/* What must be so; if it is not, the reads that led there are printed. */
#define weak_expect(condition) weak_expect_(condition, #condition, __FILE__, __LINE__)
void weak_expect_(bool holds, const char *text, const char *file, int line);

/* Memory, zeroed, that is there until the test is over. */
void *weak_alloc(size_t bytes);
/* Whether madvise gives pages back: they read as zeros then. */
extern bool weak_pages_return;

struct weak_result {
	uint64_t runs;
	uint64_t endless; /* runs that were given up: a load that reads the same old value for ever */
	bool failed, unfinished; /* unfinished: more runs than max */
};

/* quiet: nothing is printed. */
struct weak_result weak_explore(const struct weak_test *test, uint64_t max, bool quiet);

/* Those that were come across. */
extern struct weak_site *weak_sites;

#endif
