/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of merging; other directories use report.h. */
#ifndef TOOLS_ACLCHECK_MERGE_PARTS_H
#define TOOLS_ACLCHECK_MERGE_PARTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

/* Memory or the end, as everywhere in the command. */
#define uthash_fatal(message) exit(COMMAND_MISUSE)
#include <uthash.h>

/* --- json_scan.c ----------------------------------------------------------- */

/*
 * Walking JSON text without building a tree: merging thousands of reports is
 * mostly looking at findings once and writing them as they were.
 */

struct span {
	const char *at, *end;
};

/*
 * Calls back for each member until one returns false. False: not a well-formed
 * object, by its brackets and quotes.
 */
typedef bool (*scan_member_fn)(void *context, struct span key, struct span value);
bool scan_object(struct span text, scan_member_fn member, void *context);
/* The object that text begins with; its end is moved there, unless a member stopped. */
bool scan_first_object(struct span *text, scan_member_fn member, void *context);
/*
 * The same of an object that any reader takes: complete, UTF-8, numbers of at most 17 digits.
 * False of a few that are good as well; jansson knows.
 */
bool scan_valid_object(struct span *text, scan_member_fn member, void *context);

/*
 * Calls back for each element until one returns false. An element begins what
 * it is given; it moves the end to its own.
 */
typedef bool (*scan_element_fn)(void *context, struct span *element);
bool scan_array(struct span text, scan_element_fn element, void *context);

/* Key without escapes equals the word? In the header: words are known when compiling. */
static inline bool span_is(struct span s, const char *word)
{
	const size_t n = strlen(word);

	return (size_t)(s.end - s.at) == n && !memcmp(s.at, word, n);
}

/* What a member of an object that is written begins with; *any: one came before. */
void member_write_key(FILE *to, bool *any, struct span key);
/* The inside of a string value; false when it is none. Escapes stay as they are. */
bool span_string(struct span value, struct span *inside);
/* First character that is no white space. */
struct span span_trim(struct span s);

/* --- mapped_file.c --------------------------------------------------------- */

/* A regular file as a stretch of memory. */

/* False after an error was said. */
bool mapped_file(const char *path, struct span *out);
void mapped_file_free(struct span mapped);

/* --- merge_sites.c --------------------------------------------------------- */

/* Where a finding was met: one fingerprint may stand for several lines of a function, or of several programs.
 */

/* One place: the nearest frame with a file, else the nearest. */
struct site;

/* Adds `count` findings whose stack is this JSON text; the site's number, 0 where the stack has no frame. */
json_int_t sites_add(struct site **sites, struct span stack, json_int_t count);
/* More findings at the site of a number. */
void sites_count(struct site *sites, json_int_t number, json_int_t more);
/* The sites of a finding that was merged before; false when it lists none. */
bool sites_take_over(struct site **sites, const json_t *finding);
/* As reports list them, most frequent first; a new reference, or text. */
json_t *sites_list(const struct site *sites);
void sites_write(const struct site *sites, FILE *to);
void sites_free(struct site *sites);

/* --- merge_read.c ---------------------------------------------------------- */

/* One finding of a report or a journal. */

struct finding_read {
	struct span fingerprint, count, serial, stack;
	struct span severity, advice, secondary, suppressed;
	bool merged; /* from a merged report: it lists ranks itself */
	bool expected;
	bool escaped; /* a key, or the severity, is written in another way than we do */
	/* The object without the members that merging makes; reused from finding to finding. */
	char *kept;
	size_t kept_size, kept_room;
};

/*
 * Reads the finding that *text begins with and moves its end there. False: not one that any reader takes,
 * or one with escaped keys; finding_read_rewritten() is for what jansson says of it.
 */
bool finding_read(struct finding_read *r, struct span *text);
/* The same of text that jansson wrote. */
bool finding_read_rewritten(struct finding_read *r, struct span *text);

/* --- merge_check.c --------------------------------------------------------- */

/* Whether a report is whole and agrees with itself. */

#define FINDING_TOTALS 7 /* keys of "totals" */

struct finding_counts {
	json_int_t of[FINDING_TOTALS];
	unsigned listed; /* severities of all, also of those that do not count: bits */
};

/* NULL, or why the finding is none that could be counted. */
const char *finding_check(const struct finding_read *r);
void finding_count(struct finding_counts *c, const struct finding_read *r, json_int_t count);
/* head: all members but the findings, of which there is a list or not. False: why says which key is wrong. */
bool report_check(const json_t *head, bool findings, const struct finding_counts *c, char *why, size_t size);
/* The number that is written there; otherwise: there is none. */
json_int_t span_number(struct span s, json_int_t otherwise);

/* --- merge_findings.c ------------------------------------------------------ */

/* Distinct findings of many processes: by fingerprint, in the order in which they came. */

#define FINDING_KEY_MAX 128

struct merged_finding {
	UT_hash_handle hh; /* in the order in which they came */
	/* Fingerprint; what was expected is kept apart from the same one where it was not. Journals' serials
	 * never mix. */
	char key[FINDING_KEY_MAX];
	char *text; /* as its first report had it, without what merging makes */
	size_t size;
	struct grade *grade;
	bool shown; /* not suppressed in one of them */
	bool text_shown; /* in that text */
	json_int_t count, processes;
	uint64_t last_process;
	struct site *sites;
	int *ranks; /* ascending, each once */
	size_t n_ranks;
};

struct finding_table {
	struct merged_finding *found;
	struct grade *grades; /* by what a report is evaluated by; few */
};

void finding_table_free(struct finding_table *table);

/* The finding of a fingerprint shorter than FINDING_KEY_MAX - 1, a new one when there is none. */
struct merged_finding *finding_of(struct finding_table *table, const struct finding_read *r);
/* It was found on a rank as well; -1 = on none. */
void finding_add_rank(struct merged_finding *f, int rank);
/* Ranks and processes that an input which is itself a merged report already lists. */
void finding_take_over(struct merged_finding *f, const json_t *finding);
/* All of them as reports list them, a new reference. */
json_t *finding_table_list(const struct finding_table *table);
/* What report_evaluate() needs of them, summed up, a new reference. */
json_t *finding_table_grades(const struct finding_table *table);
/* The same as finding_table_list(), as text. */
void finding_table_write(const struct finding_table *table, FILE *to);

/* Counts of a damaged or hostile file must not overflow sums. */
json_int_t sane_count(json_int_t n);

/* --- merge_rule_coverage.c ------------------------------------------------- */

/* How often rules were evaluated, over several processes. */

struct merged_rule_coverage {
	json_t *evaluated; /* rule -> times */
	json_t *off; /* rule -> processes that have it switched off */
	json_int_t processes; /* that reported; killed ones do not */
};

/* "rules" of a report, merged ones as well; anything else is passed over. */
void rule_coverage_add(struct merged_rule_coverage *a, const json_t *rules);
/* A new reference, NULL when no process reported; empties a. */
json_t *rule_coverage_result(struct merged_rule_coverage *a);

/* --- merge_call_coverage.c ------------------------------------------------- */

/* The "reach" and the "cost" of several processes in one. */

struct merged_call_coverage {
	json_t *calls, *around, *foreign; /* objects by name */
};

void call_coverage_add(struct merged_call_coverage *r, const json_t *reach);
/* A new reference, NULL when no process reported; empties r. */
json_t *call_coverage_result(struct merged_call_coverage *r);

/* Adds up integers, member by member; others stay as they came first. */
void counts_add(json_t *sum, const json_t *counts);

/* --- merge_sums.c ---------------------------------------------------------- */

/* What processes expected, added up: an entry of a file is met when any process met it. What was injected. */

/* Adds a report's member "expectations", which may be absent or damaged, to sums (NULL at first). */
void expectations_add(json_t **sums, const json_t *list);
/* The same one among the sums, NULL if there is none. */
json_t *expectations_find(json_t *sums, const json_t *one);
/* The same of "injected". */
void injected_add(json_t **sums, const json_t *list);
/* The sums as a list, a new reference; NULL when there are none. */
json_t *sums_list(json_t *sums);

/* --- last_calls_read.c ----------------------------------------------------- */

/* What the threads of a killed process called last, from the file beside its journal. */

/*
 * [{"thread": id, "calls": [{"call", "args", "result" | "inside"}]}], oldest
 * first; NULL when there is no such file, or none that can be trusted.
 */
json_t *last_calls_read(const char *path, json_int_t pid);

#endif
