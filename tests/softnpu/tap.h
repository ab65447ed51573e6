/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cases that each run in a process of their own, so that one cannot disturb the
 * next and a crash is one failed case.
 */
#ifndef SOFTNPU_TAP_H
#define SOFTNPU_TAP_H

#include <stdbool.h>
#include <stddef.h>

struct tap_case {
	const char *name;
	void (*run)(void);
};

/* The case that a function is. */
#define C(function)                                                                                          \
	{                                                                                                    \
		.name = #function, .run = function                                                           \
	}

/* In a case: the value must be the wanted one. */
#define IS(expr, want) tap_is(#expr, (long)(expr), (long)(want), __FILE__, __LINE__)
#define OK(expr) IS(expr, 0)
#define TRUE(expr) IS(!!(expr), 1)

void tap_is(const char *expr, long got, long want, const char *file, int line);
/* Ends the case: it cannot be tried here. */
void tap_skip(const char *reason) __attribute__((noreturn));
/* Whether something failed in this case so far. */
bool tap_failed(void);
/* Runs each case in a child with these environment settings (NULL-terminated NAME=VALUE list, or NULL). */
void tap_run(const struct tap_case *cases, size_t n, const char *label, const char *const *env);
/* Prints the plan; the exit code of the program. */
int tap_done(void);

#endif
