/* SPDX-License-Identifier: Apache-2.0 */
/* The printers of reports, and what they share. Strings of the program are escaped by each for its own
 * format. */
#ifndef TOOLS_ACLCHECK_FORMATS_H
#define TOOLS_ACLCHECK_FORMATS_H

#include <stdint.h>
#include <stdio.h>

#include "tools/aclcheck/report/report.h"

/* Formats: a table of printers. */
struct report_format {
	const char *name;
	void (*print)(FILE *to, const json_t *report);
};
extern const struct report_format report_formats[]; /* ended by a NULL name */
const struct report_format *report_format_find(const char *name);
/* Names the most alike and all formats; COMMAND_MISUSE. */
int report_format_unknown(const char *name);
/* "text|json|…" */
const char *report_format_names(void);

/* Writes to a file (by rename) or to stdout when path is NULL or "-". False after an error was said. */
/* Whether all that was printed has been taken; else an error was said. */
bool report_flushed(FILE *to);
bool report_write(const char *path, const struct report_format *format, const json_t *report);

/* What the command line says about printing. */
struct format_options {
	size_t max_findings; /* text: shown in full, ten times as many in a line each; SIZE_MAX = all in full
			      */
	bool names_processes; /* text: each one, also where there are no findings */
	bool keeps_exit_code; /* an inconclusive run does not fail the step it runs in */
};
extern struct format_options format_options;

struct graded_finding {
	const json_t *finding;
	unsigned gravity; /* 0 = fails */
	size_t number; /* its place in the report */
};

/* What failed first, then by severity; as many as the report has findings. To be freed. */
struct graded_finding *findings_by_gravity(const json_t *report);

/* The findings of a job in a line each, what failed first, below its totals. */
void print_job_summary(FILE *to, const json_t *report);

void print_text(FILE *to, const json_t *report);
/* One finding of print_text(), in full. */
void print_text_finding(FILE *to, const json_t *finding);
void print_json(FILE *to, const json_t *report);
void print_sarif(FILE *to, const json_t *report);
void print_junit(FILE *to, const json_t *report);
void print_tap(FILE *to, const json_t *report);
void print_tap14(FILE *to, const json_t *report);
void print_github(FILE *to, const json_t *report);
/* The page of the step in $GITHUB_STEP_SUMMARY; false when there is none. */
bool github_summary(const json_t *report);
void print_gitlab(FILE *to, const json_t *report);
void print_html(FILE *to, const json_t *report);
/* Rule coverage: a line a rule, by family. */
void print_rules(FILE *to, const json_t *report);

/* The frame to look at first: the nearest one with a file, else the nearest; NULL without stack. */
const json_t *finding_frame(const json_t *finding);
/* "3 processes on ranks 0-2, 5", "" for a single process. Static buffer. */
const char *finding_ranks(const json_t *finding);
/* Does the finding fail under the threshold of the report's verdict? */
bool finding_failed(const json_t *report, const json_t *finding);
/* An element of "injected": a call failed or took longer, and is not only listed. */
bool injected_changed(const json_t *injected);
/* Where its calls come from: the Python code around an extension module is said rather than the module. */
const char *injected_place(const json_t *injected);
/* What was done to which call where, and how the program took it. Static buffer. */
const char *injected_text(const json_t *injected);
/* The last part alone, "" where it was only delayed. */
const char *injected_noticed(const json_t *injected);

/* "scope opened in copy_in (demo.c:42): 1 of 3 times seen", of an expectation that was not met. Static
 * buffer. */
const char *expectation_place(const json_t *report, const json_t *expectation);
/* "advice", "a consequence", "suppressed: reason", "expected: reason", "known" or "": why a finding does not
 * count. Static buffer. */
const char *finding_status(const json_t *finding);
/* "copy_in (demo.c:42)"; valid until the next call. */
const char *frame_place(const json_t *frame);
/* The same of the frame to look at first, "" without stack. */
const char *finding_place(const json_t *finding);
/* The same of the frame that called it, "" without one. */
const char *finding_caller(const json_t *finding);

/* Text of an XML or HTML document: markup escaped, characters XML forbids replaced. */
void put_xml(FILE *to, const char *s);

/* Safe for a terminal or a log line: see text_safe(). */
void put_safe(FILE *to, const char *s);

#endif
