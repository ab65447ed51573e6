/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aclcheck fuzz-errors: one run of the program for each place that calls the runtime, in which the first call
 * there fails; and what the program made of it.
 */
#ifndef TOOLS_ACLCHECK_FUZZ_H
#define TOOLS_ACLCHECK_FUZZ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* --- trial.c ------------------------------------------------------------------ */

/* Runs of "aclcheck run" as children of this command. */

struct trial_options {
	const char *softnpu; /* "--softnpu…", NULL = the runtime that the program finds */
	const char *directory; /* where reports and outputs go */
	unsigned timeout; /* in seconds, 0 = none */
	char *const *program; /* ended by NULL */
};

/* Process id of the run, -1 after an error was said. name: of its files, NAME.json and NAME.log. */
pid_t trial_start(const struct trial_options *o, const char *name, const char *faults);
/* The report it left; NULL: none, or it cannot be read. */
json_t *trial_report(const struct trial_options *o, const char *name);
void trial_remove_files(const struct trial_options *o, const char *name);

/* --- outcome.c ---------------------------------------------------------------- */

/* What the program does when nothing fails: {"status": …, "found": {fingerprint: …}, "calls": {name: [least,
 * most]}}. */
json_t *reference_new(const json_t *report);
/* Another run of the same: what differs there says nothing. */
void reference_widen(json_t *reference, const json_t *report);
/* NULL, or why no trial is worth anything after this run. */
const char *reference_refusal(const json_t *report);

/* The places of the program that call the runtime, where an error can be returned. A new reference. */
json_t *places_of(const json_t *report);
/* "aclrtMalloc:at=app+0x1234:when=1:error=207001" of an element. False: it does not fit. */
bool place_fault(const json_t *place, char *out, size_t size);

/* What a run came to, in the order of the table: proven to be handled from STOPPED on. */
enum outcome {
	OUTCOME_CRASH,
	OUTCOME_HANG,
	OUTCOME_MISUSE, /* a finding that is none without the failure */
	OUTCOME_IGNORED, /* same end, same calls */
	OUTCOME_NOT_REACHED, /* no call failed this time */
	OUTCOME_LOST, /* no report */
	OUTCOME_STOPPED,
	OUTCOME_RETRIED,
	OUTCOME_OTHER_WAY,
	OUTCOMES
};
extern const char *const outcome_words[OUTCOMES];

/* report: of the run, may be NULL. detail: what shows it. */
enum outcome outcome_of(const json_t *reference, const json_t *report, char *detail, size_t size);

#endif
