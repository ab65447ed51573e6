/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What checks/ keeps of a call from its enter to its leave.  Every field has one
 * meaning; what only one module needs is a note with an owner, so that modules
 * on the same function cannot take each other's.
 */
#ifndef CHECKS_CALL_STATE_H
#define CHECKS_CALL_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct acl_block;
struct acl_object;
struct call_hooks;
struct stream_snapshot;

/* FAILED: after LEAVE, only when a function that returns aclError returned one. */
enum acl_phase { ACL_ENTER, ACL_LEAVE, ACL_FAILED, ACL_PHASES };

#define CALL_NOTES 6 /* modules that note something of one call; more are not kept */

struct call_state {
	const struct call_hooks *hooks; /* those of its enter and leave; set in enter */
	/* Zero at first, from here to the notes. */
	uint8_t phase; /* enum acl_phase */
	uint8_t n_notes;
	bool record_counted : 1; /* the record counts among the event's attempts */
	bool device_ends : 1; /* the reset takes its device out of use */
	bool found_error : 1; /* a primary finding of this call weighs as much as an error */
	bool runs_on : 1; /* stream_runs_on() */
	uint32_t releasing_generation; /* of releasing */
	uint64_t finding; /* serial of the first primary finding of this call, 0 = none */
	struct acl_object *stream; /* the one the call names, the default stream for NULL */
	struct acl_object *event; /* the one the call names */
	struct acl_object *named; /* the last other object that it names by handle */
	uint64_t evaluated; /* what it evaluates, by EVALUATED_… */
	uint64_t capture; /* acl_ref of the model that the stream is captured into, 0 = none */
	uint64_t position; /* of the task the call submits to its stream, 0 = it submits none */
	struct acl_object *observed; /* the stream whose progress the call shows, up to … */
	uint64_t observed_position;
	struct stream_snapshot *snapshot; /* of all streams that a device synchronise waits for */
	uint64_t
		operation; /* number of its decoding on this thread, 0 = not decoded; see state/operation.h */
	uint64_t destroying; /* acl_ref of the object that the call destroys */
	struct acl_block *releasing; /* the block that the call releases */
	struct call_note {
		const void *owner;
		uint64_t value;
	} notes[CALL_NOTES]; /* the first n_notes are in use */
};

static inline void call_state_init(struct call_state *s)
{
	_Static_assert(ACL_ENTER == 0, "a new call is in its first phase");
	const size_t first = offsetof(struct call_state, phase), half = offsetof(struct call_state, capture),
		     all = offsetof(struct call_state, notes);

	/* In pieces: compilers turn a larger memset into "rep stos", which takes longer than all the rest. */
	memset((char *)s + first, 0, half - first);
	memset((char *)s + half, 0, all - half);
}

/* What the owner noted of this call; 0 = nothing. owner: the address of anything that is the module's alone.
 */
static inline uint64_t call_state_note(const struct call_state *s, const void *owner)
{
	for (unsigned i = 0; i < s->n_notes; i++)
		if (s->notes[i].owner == owner)
			return s->notes[i].value;
	return 0;
}

static inline void call_state_note_set(struct call_state *s, const void *owner, uint64_t value)
{
	unsigned i = 0;

	while (i < s->n_notes && s->notes[i].owner != owner)
		i++;
	if (i == CALL_NOTES)
		return;
	s->notes[i] = (struct call_note){owner, value};
	if (i == s->n_notes)
		s->n_notes++;
}

#define call_note(call, owner) call_state_note(&(call)->state, owner)
#define call_note_set(call, owner, value) call_state_note_set(&(call)->state, owner, value)

#endif
