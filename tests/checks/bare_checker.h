/* SPDX-License-Identifier: Apache-2.0 */
/* A checker on memory of the kernel, without the fixture's process around it. */
#ifndef TESTS_CHECKS_BARE_CHECKER_H
#define TESTS_CHECKS_BARE_CHECKER_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks/checks.h"

static inline void *memory(void *context, size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)context;
	return p == MAP_FAILED ? NULL : p;
}

/* The same, and how much it was. */
static size_t n_memory;

static inline void *counted(void *context, size_t bytes)
{
	n_memory += bytes;
	return memory(context, bytes);
}

static inline void *refused(void *context, size_t bytes)
{
	(void)context;
	(void)bytes;
	return NULL;
}

static inline struct checks *checker(void)
{
	struct checks_host host = {.memory = memory};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	return checks_create(&config, &host);
}

/* Bytes of the process that are there. */
static inline long resident(void)
{
	long total, pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%ld %ld", &total, &pages) != 2)
		pages = 0;
	if (f)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

#endif
