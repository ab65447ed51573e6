/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Journal and report.  REPORT.part gets one line of JSON a record as things
 * happen; a normal end writes the report beside it and renames.  Called under
 * the sinks' lock.
 */
#ifndef INTERPOSE_JOURNAL_H
#define INTERPOSE_JOURNAL_H

#include "interpose/report/finding_record.h"
#include "interpose/report/injected_faults.h"

/* Claims the path the settings name and writes the start record. Nothing happens when none is named. */
void journal_begin(struct text *scratch);
bool journal_active(void);

void journal_finding(struct text *scratch, const struct finding_record *s);
/* A place reported before has broken its rule `count` times now. */
void journal_repeat(struct text *scratch, const struct finding_record *s);
void journal_reason(struct text *scratch, const char *reason, const char *text);

/* A fault was injected at a place where none was before. */
void journal_injected(struct text *scratch, const struct injected_fault *f);

/* Closes the journal: end record, and unless the process may go on (exec) the report. */
void journal_end(struct text *scratch, const struct checks *c, enum checks_end kind);
/* The announced exec failed. */
void journal_resume(struct text *scratch);
/* In the child: the parent's journal is not ours. */
void journal_forked(void);

/* Path of the report, of the journal while there is none; NULL without. */
const char *journal_path(void);

/* What the runtime says of its version, once it is known. */
void journal_runtime_version(const char *version);

#endif
