/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may make the site of a finding more than rule, function and caller: a bit for each, none of them set
 * in nearly every process, so that a repeated finding is counted after one look here.
 */
#ifndef INTERPOSE_SITE_CONDITIONS_H
#define INTERPOSE_SITE_CONDITIONS_H

#include <stdatomic.h>
#include <stdint.h>

enum site_condition {
	SITE_OF_TEST = 1, /* a test runs */
	SITE_OF_SCOPE = 2, /* a scope of expected failure was opened */
	SITE_OF_STACK = 4, /* an entry of the suppression file looks at the call stack */
	SITE_OF_LAYER = 8, /* a library was closed: another one may lie there now */
	SITE_OF_PYTHON = 16 /* there is an interpreter, or it was not looked for in all modules */
};

extern _Atomic uint32_t site_conditions __attribute__((visibility("hidden")));

static inline void site_condition_set(enum site_condition what)
{
	if (!(atomic_load(&site_conditions) & what))
		atomic_fetch_or(&site_conditions, what);
}

static inline void site_condition_clear(enum site_condition what)
{
	atomic_fetch_and(&site_conditions, ~(uint32_t)what);
}

#endif
