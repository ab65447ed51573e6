/* SPDX-License-Identifier: Apache-2.0 */
/* Reaching the real runtime. */
#ifndef INTERPOSE_REAL_FUNCTION_H
#define INTERPOSE_REAL_FUNCTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The library to open when none is mapped, "" = by its name; valid for the process' life. */
void real_use(const char *path);

/* Looks for every function behind us in the global scope; opens nothing. */
void real_find_all(void);

/* Looks for one function everywhere, opening a runtime if none is known; only where dlopen is safe. */
bool real_find(unsigned api);

/*
 * The program is about to get this address of the function from its own look-up: true when it is the real
 * function of our wrapper, or becomes it because none is known or the known one is unloaded.
 */
bool real_accept(unsigned api, void *address);

/* Whether any function of a runtime was ever found. */
bool real_known(void);

/* An address inside the runtime, 0 when none is known. */
uint64_t real_sample(void);

/* Address ranges of the runtime's modules: calls from there are its own. */
#define RUNTIME_CODE_MODULES 4
struct runtime_code {
	struct {
		_Atomic uint64_t start, end;
	} ranges[RUNTIME_CODE_MODULES];
	_Atomic uint32_t n;
	_Atomic uint64_t low, high; /* all of them lie in between, and perhaps others */
	/* Calls from these addresses take the slow path: that range, or all there are. */
	_Atomic uint64_t slow_start, slow_size;
};
extern struct runtime_code runtime_code __attribute__((visibility("hidden")));

/* Whether a call from there is the runtime's, perhaps, or all calls take the slow path now. */
static inline bool takes_slow_path(uint64_t address)
{
	return address - atomic_load_explicit(&runtime_code.slow_start, memory_order_relaxed) <
	       atomic_load_explicit(&runtime_code.slow_size, memory_order_acquire);
}

/* all: from now on calls from everywhere do; else what may be the runtime's only. At first all do. */
void callers_slow(bool all);

static inline bool is_runtime_code(uint64_t address)
{
	uint32_t n = atomic_load_explicit(&runtime_code.n, memory_order_acquire);

	for (uint32_t i = 0; i < n; i++) {
		if (address >= atomic_load_explicit(&runtime_code.ranges[i].start, memory_order_relaxed) &&
			address < atomic_load_explicit(&runtime_code.ranges[i].end, memory_order_relaxed))
			return true;
	}
	return false;
}

/* What the rest of the library does when something changes here; process/ defines it. */
struct runtime_events {
	void (*first_name)(void); /* the program's dlsym is handed an acl function: libraries may be opened */
	void (*found)(unsigned api); /* a real function came or moved after the first call */
	void (*complain)(const char *text, const char *detail);
};
extern const struct runtime_events runtime_events;

#endif
