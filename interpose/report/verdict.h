/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of a run: pass, fail or inconclusive, and why it is inconclusive. */
#ifndef INTERPOSE_VERDICT_H
#define INTERPOSE_VERDICT_H

#include "checks/checks.h"
#include "interpose/report/finding_status.h"

enum acl_verdict { ACL_VERDICT_PASS, ACL_VERDICT_FAIL, ACL_VERDICT_INCONCLUSIVE };
extern const char *const acl_verdict_names[];

/* Reasons the tool itself gives; verdict_inconclusive() may name others. */
#define REASON_NOTHING "nothing-observed"
#define REASON_CHECKS_OFF "checks-off"
#define REASON_CONFIG "bad-configuration"
#define REASON_TABLE "table-full"
#define REASON_REPORT "report-lost"

/* The least severity of a finding that makes the verdict fail. */
enum acl_severity verdict_least_severity(void);
/* Takes a finding into account. */
void verdict_count(const struct acl_finding *f, enum finding_status status);
/* The checker's totals without what does not count; that apart, by status. c may be NULL; out comes in
 * zeroed. */
void verdict_totals(const struct checks *c, struct checks_totals *out, uint64_t set_aside[FINDING_STATUSES]);
enum finding_status verdict_status_of(uint64_t serial);
/* Expectations of this run that were not met. */
void verdict_unmet(uint64_t n);
/* Notes a reason once; false when it was known. Both strings are copied. */
bool verdict_add_reason(const char *reason, const char *text);
/*
 * The same for every other part of the library, from any thread that does not hold the sinks' lock: a reason
 * that is new is passed on to the listener, which writes it down.  errno is kept.
 */
typedef void (*verdict_reason_fn)(const char *reason, const char *text);
void verdict_inconclusive(const char *reason, const char *text);
void verdict_listen(verdict_reason_fn fn);
/* The i-th reason, NULL after the last. */
const char *verdict_reason(unsigned i, const char **text);

/*
 * fail outranks inconclusive; that outranks an expectation that was not met, as
 * what was expected may be among what was not seen.
 */
enum acl_verdict verdict_get(void);
/* The exit code a program that ends with `code` shall have (ACLCHECK_EXITCODE replaces only 0). */
int verdict_exit_code(int code);
/* In the child after fork: nothing found yet. */
void verdict_forked(void);

#endif
