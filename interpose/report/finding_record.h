/* SPDX-License-Identifier: Apache-2.0 */
/* A finding on its way to the sinks, and its printers. Called under the sinks' lock. */
#ifndef INTERPOSE_FINDING_RECORD_H
#define INTERPOSE_FINDING_RECORD_H

#include "checks/checks.h"
#include "interpose/report/fingerprint.h"
#include "interpose/common/json_writer.h"
#include "interpose/report/verdict.h"

struct finding_record {
	const struct acl_finding *f;
	unsigned api; /* of the call, of the object's creation for findings of the whole process */
	uint64_t caller;
	const uint64_t *ips; /* the stack of the finding */
	unsigned n_ips;
	enum finding_status status;
	const char *reason; /* why it does not count */
	bool in_program; /* expected by a scope that the program opened */
	const char *test; /* that ran, NULL = none */
	char fingerprint[FINGERPRINT_SIZE];
};

/* Fills in stack and fingerprint, and decides by suppressions and expectations whether the finding counts. */
void finding_record_init(struct finding_record *s, const struct acl_finding *f);

/* The innermost frame of a finding as it was then, 0: not the calling code, or long ago. */
uint64_t finding_noted_site(uint64_t serial);

/* In the child after fork: its findings are numbered anew. */
void finding_record_forked(void);

/* For people: one record, ready to be written. */
void finding_text(struct text *t, const struct finding_record *s, bool colour);
/* The same in a line of its own. */
void finding_line(struct text *t, const struct finding_record *s, bool colour);
/* For machines: the members of one JSON object, count left out. */
void finding_json(struct jout *j, const struct finding_record *s);

/* A frame of a stack; key is NULL in an array. */
void finding_frame_json(struct jout *j, const char *key, uint64_t address);

/* Frames worth showing: how the C library got to main says nothing. */
unsigned finding_stack_depth(const uint64_t *ips, unsigned n);

/* The interned stack of an earlier call, 0: its caller is all that is known. */
uint32_t finding_site_stack(const struct acl_call_site *site);

/*
 * The frames that are known of an earlier call: its stack, or its caller alone, which *caller holds then.
 * None: the caller is what leads from Python code to C functions, and the same for all of it.
 */
unsigned finding_site_frames(const struct acl_call_site *site, uint64_t *caller, const uint64_t **ips);

/* "copy_in (demo.c:42)" */
void finding_call_site(struct text *t, uint64_t address);

/*
 * The summary at the end of the run; c may be NULL.  report: path to name, or
 * NULL; not_shown: findings that were counted only.
 */
void summary_text(
	struct text *t, const struct checks *c, const char *report, uint64_t not_shown, bool colour);

#endif
