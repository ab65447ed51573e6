/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as jansson trees: read, merged, compared, given a verdict. */
#ifndef TOOLS_ACLCHECK_REPORT_H
#define TOOLS_ACLCHECK_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "checks/engine/rule_table.h"
#include "tools/aclcheck/common/command.h"

/* --- members and verdict (report.c) ---------------------------------------- */

enum fail_on { FAIL_ON_ERROR, FAIL_ON_WARNING, FAIL_ON_NEW };

/* "error", "warning", "new"; false = none of these. */
bool fail_on_parse(const char *word, enum fail_on *out);

/* Does a test that expected something (an element of "expectations") no longer trip? */
bool expectation_unmet(const json_t *expectation);
/* Its pattern: the rule, else the fingerprint. */
const char *expectation_rule(const json_t *expectation);
/* Does a finding make a verdict fail? Marks of suppression and baseline are members of it. */
bool finding_fails(const json_t *finding, enum fail_on fail_on);
/* The key of "totals" that counts the finding, "" for one that another explains: listed, not counted. */
const char *finding_total(const json_t *finding);
/* By what it was evaluated last: after a merge, what its processes were set to. */
enum fail_on report_fail_on(const json_t *report);
/* Sets "verdict" and "totals" from the findings, doubts and expectations. */
void report_evaluate(json_t *report, enum fail_on fail_on);
/* COMMAND_PASS, COMMAND_FAIL or COMMAND_INCONCLUSIVE. */
int report_exit(const json_t *report);

/* --- merge.c --------------------------------------------------------------- */

/*
 * One report out of many: reports and journals go in one after the other,
 * memory grows with distinct findings and the number of processes only.
 */

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/* A report, a journal, or a directory of both. False after an error was said; what could be read counts. */
bool merge_add(struct merge *m, const char *path);
/* Processes read so far. */
size_t merge_processes(const struct merge *m);
/* One report was read, and what made its findings fail was that its baseline did not have them. */
bool merge_is_against_baseline(const struct merge *m);
/* A doubt of the command's own. */
void merge_inconclusive(struct merge *m, const char *reason, const char *text);

/* The merged report, a new reference. */
json_t *merge_result(struct merge *m);
/*
 * Writes the merged report without making a tree of its findings; its other members, a new reference.
 * Once, instead of merge_result().
 */
json_t *merge_write(struct merge *m, FILE *to);

/* --- baseline.c ------------------------------------------------------------ */

/* Noise control on reports: suppressions and baselines. */

/* Reads suppressions; false after errors were said. */
bool suppressions_read(const char *path);
/* Marks findings, and says which suppressions are unused or expired. */
void suppressions_apply(json_t *report);

/* An older report, a new reference; NULL after an error was said. */
json_t *baseline_read(const char *path);
/* Marks each finding as known by it or not. */
void baseline_apply(json_t *report, const json_t *old);
/*
 * Findings by fingerprint, a new reference.  What a test expected is no known
 * finding: where it is not expected, it is new.
 */
json_t *baseline_fingerprints(const json_t *report);

/* --- rule_coverage.c ------------------------------------------------------- */

/* Rule coverage of the program's own runs: which rules its calls evaluated. */

enum coverage_state { COVERAGE_OFF, COVERAGE_NEVER, COVERAGE_SILENT, COVERAGE_BROKEN };

struct coverage_totals {
	unsigned on, evaluated, broken;
};

/* Whether the report says it at all: those of killed processes do not. */
bool coverage_reported(const json_t *report);
/* times: how often the rule was evaluated. OFF: a process had it switched off, or it cannot be
 * checked from outside the runtime. */
enum coverage_state coverage_state(const json_t *report, const struct acl_rule *rule, json_int_t *times);
/* Over one family, NULL = all rules. */
struct coverage_totals coverage_count(const json_t *report, const char *family);
/* " (did you mean 'x'?)" of the rule or family most like a word, "" when none is. */
const char *rule_suggestion(const char *word);
/* Names of the families sorted, ended by NULL. */
const char *const *rule_families(void);

/* --- rule_help.c ------------------------------------------------------------- */

/* The public page about a rule's function, "" where none is known. Static buffer. */
const char *rule_url(const struct acl_rule *rule);

/* --- repository.c ------------------------------------------------------------ */

/* The checkout that CI services name, else the one around the current directory; "" = none. */
const char *repository_root(void);
/* A source file relative to its checkout, else as it is. Points into file. */
const char *repository_path(const char *file);
/* The commit checked out there, "" when it is not known. */
const char *repository_revision(void);

/* --- missing_lines.c ------------------------------------------------------- */

/* Lines that the checked process did not find itself: looked up here, where libdw may be used. */

/* Gives file and line to the frames of a report that have a build-id and an offset instead. */
void missing_lines_resolve(json_t *report);
/* libdw, which finds them, is on this host. */
bool missing_lines_possible(void);

#endif
