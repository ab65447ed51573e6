/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suppressions: known findings that neither show nor fail; and expectations:
 * findings that must be there, and do not fail.  Used by the library on
 * findings and by the command on reports.
 *
 *	{"suppressions": [{"rule": "async-copy-*", "function": "legacy_*", "reason": "…"}],
 *	 "expect": [{"rule": "event-*", "file": "test_*.c", "reason": "…", "until": "2027-01-31"}]}
 *
 * Every member that is there must match; * and ? are wildcards.  function,
 * file and module must match one and the same frame of the stack; object is
 * the kind, role or value of an object of the finding; rank is a number or a
 * list of ranges ("0-3,8").  reason is required; after the day `until` the
 * entry no longer holds.
 */
#ifndef INTERPOSE_SUPPRESSION_H
#define INTERPOSE_SUPPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct suppress_frame {
	const char *function, *symbol, *file, *module; /* NULL = unknown */
};

/* What is known of a finding; see suppress_match(). */
struct suppress_subject {
	const char *rule, *call, *fingerprint;
	const struct suppress_frame *frames;
	unsigned n_frames;
	const char *const *objects; /* kinds, roles and values */
	unsigned n_objects;
	int rank; /* -1 = none */
};

struct suppression {
	const char *rule, *call, *fingerprint, *function, *file, *module, *object, *rank, *reason, *until;
	bool expected; /* an entry of "expect" */
	bool expired;
	uint64_t matched; /* findings it stood for */
};

/*
 * Reads a file; today is "2026-11-21".  Every mistake is said through
 * complain as one line that names file, entry and key; entries without
 * mistakes hold.
 */
void suppress_load(const char *path, const char *today, void (*complain)(const char *line));

/*
 * The first entry that matches, counted; NULL if none does.  Expectations come
 * before suppressions.  Not for two threads at once.
 */
const struct suppression *suppress_match(const struct suppress_subject *s);

/* Whether an entry that may take findings of the rule, NULL = of any, looks at the call stack. */
bool suppress_by_stack(const char *rule);

/* All that were read, expectations first. */
const struct suppression *suppress_list(size_t *n);

/* The i-th member of an entry as the file names it; value is NULL where the entry lacks it. False after the
 * last. */
bool suppress_member(const struct suppression *p, unsigned i, const char **key, const char **value);

/* In the child after fork: nothing was matched yet. */
void suppress_forked(void);

/* "*" and "?" in pattern; bytes count, whatever the encoding. */
bool glob_match(const char *pattern, const char *s);

/* A day of the calendar as in "2027-01-31". */
bool suppress_is_date(const char *s);
/* No text at all, or nothing but blanks. */
bool suppress_is_blank(const char *s);

#endif
