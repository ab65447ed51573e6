/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scopes of expected failure, and of findings to ignore, that a program opens (aclcheck.h).  Each opening
 * wants a finding of its own; openings at the same place with the same rule
 * and reason are counted together.
 */
#ifndef INTERPOSE_EXPECT_SCOPE_H
#define INTERPOSE_EXPECT_SCOPE_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/common/thread_state.h"
#include "interpose/report/trace_provider.h"

struct expectation {
	const char *rule, *reason;
	uint64_t place; /* return address of the opening */
	bool ignores; /* it suppresses findings, and waits for none */
	uint64_t opened, met; /* openings; findings' scopes: one an opening */
};

/* A scope as the program opens it. */
struct expect_opening {
	const char *rule, *reason;
	uint64_t place; /* return address */
	bool ignores;
};

/* On this thread; gives the number of scopes open then: a name for this one. */
int expect_open(const struct expect_opening *o);
/* So many of this thread's stay open; as many as are, or more: that cannot be meant so. */
void expect_close(unsigned left);

/* fn: is told of what the program opens and closes from now on. */
void expect_listen(void (*fn)(const struct trace_said *said));
/* Nothing was opened or closed that the listener was not told of. */
bool expect_all_heard(void);

/*
 * The innermost open scope of this thread that takes findings of the rule, 0 =
 * none.  meet: a rule was just broken, so the scope has what it waits for.
 */
uint32_t expect_scope(const char *rule, bool meet);
/* The innermost open scope of this thread, whatever it waits for; 0 = none. */
uint32_t expect_inside(void);
/* Whether the thread has any open. */
static inline bool expect_any(void)
{
	return thread_self()->n_scopes != 0;
}

/* By what expect_scope() gave, and all from 1 on; false after the last. */
bool expect_get(uint32_t scope, struct expectation *out);

static inline bool expect_is_unmet(const struct expectation *e)
{
	return !e->ignores && e->met < e->opened;
}

/* Openings that never met what they wait for, those still open included. */
uint64_t expect_unmet(void);

/* In the child after fork: the forking thread's scopes go on, but it is the parent's that count them. */
void expect_forked(void);

#endif
