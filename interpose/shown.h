/* SPDX-License-Identifier: Apache-2.0 */
/* A finding on its way to the sinks, and its printers. Called under the sinks' lock. */
#ifndef INTERPOSE_SHOWN_H
#define INTERPOSE_SHOWN_H

#include "checks/checks.h"
#include "interpose/fingerprint.h"
#include "interpose/json_out.h"
#include "interpose/verdict.h"

struct shown {
	const struct acl_finding *f;
	unsigned api; /* of the call, of the object's creation for findings of the whole process */
	uint64_t caller;
	const uint64_t *ips; /* the stack of the finding */
	unsigned n_ips;
	enum verdict_excuse excuse;
	const char *reason; /* of the excuse */
	bool in_program; /* expected by a scope that the program opened */
	char fingerprint[FINGERPRINT_SIZE];
};

/* Fills stack and fingerprint. */
void shown_init(struct shown *s, const struct acl_finding *f);

/* For people: one record, ready to be written. */
void shown_text(struct text *t, const struct shown *s, bool colour);
/* For machines: the members of one JSON object, count left out. */
void shown_json(struct jout *j, const struct shown *s);

/* A frame of a stack; key is NULL in an array. */
void shown_frame_json(struct jout *j, const char *key, uint64_t address);

/* Frames worth showing: how the C library got to main says nothing. */
unsigned shown_depth(const uint64_t *ips, unsigned n);

/* "copy_in (demo.c:42)" */
void shown_place(struct text *t, uint64_t address);

/* The summary at the end of the run; c may be NULL. report: path to name, or NULL. */
void summary_text(struct text *t, const struct checks *c, const char *report, bool colour);

#endif
