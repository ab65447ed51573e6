/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions a test runs, for a library built with -finstrument-functions:
 * their offsets in it, one a line, in the file $MUTATE_REACH when the test ends.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS (1u << 16)

static _Atomic uintptr_t seen[SLOTS];

void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *function, void *caller)
{
	uintptr_t f = (uintptr_t)function;

	(void)caller;
	for (uintptr_t i = f >> 4, tries = 0; tries < SLOTS; i++, tries++) {
		uintptr_t found = atomic_load_explicit(&seen[i % SLOTS], memory_order_relaxed);

		/* Nearly always; an exchange that changes nothing takes much longer. */
		if (found == f)
			return;
		found = 0;
		if (atomic_compare_exchange_strong(&seen[i % SLOTS], &found, f) || found == f)
			return;
	}
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function;
	(void)caller;
}

__attribute__((destructor, no_instrument_function)) static void write_down(void)
{
	const char *path = getenv("MUTATE_REACH");
	FILE *file = path ? fopen(path, "w") : NULL;
	Dl_info info;

	if (!file)
		return;
	for (unsigned i = 0; i < SLOTS; i++)
		if (seen[i] && dladdr((void *)seen[i], &info))
			fprintf(file, "%lx\n", (unsigned long)(seen[i] - (uintptr_t)info.dli_fbase));
	fclose(file);
}
