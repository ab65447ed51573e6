/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was expected, by scopes of the program and by entries of a file: what of
 * it came true.  A negative test that no longer trips fails the run.
 */
#ifndef INTERPOSE_EXPECTATIONS_H
#define INTERPOSE_EXPECTATIONS_H

#include "checks/checks.h"
#include "interpose/common/json_writer.h"

/* An expectation to report. */
struct unmet {
	const char *rule, *reason;
	uint64_t place, opened, met; /* place is 0 for an entry of a file */
	bool expired; /* no longer holds: not unmet, but to be taken out */
};

/* At the end, before the verdict is asked for. */
void expectations_evaluate(enum checks_end kind);
/* Those this process answers for by itself, after expectations_evaluate(); none when it is part of a job. */
void expectations_each_unmet(void (*each)(void *context, const struct unmet *u), void *context);

/* All of them, met or not, as member "expectations"; nothing when there are none. */
void expectations_json(struct jout *j);

/* In the child after fork: files' entries are the parent's to answer for. */
void expectations_forked(void);

#endif
