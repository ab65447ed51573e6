/* SPDX-License-Identifier: Apache-2.0 */
/* The call sites (rule, function, caller) that broke a rule, with exact counts. */
#ifndef CHECKS_CALL_SITES_H
#define CHECKS_CALL_SITES_H

#include "checks/engine/instance.h"

/* Where a rule was broken. */
struct call_site_entry {
	_Atomic uint64_t key; /* 0 = free */
	_Atomic uint64_t count;
	_Atomic uint64_t next; /* the next count that is shown; 0 = the first */
	_Atomic uint64_t caller, serial;
	_Atomic uint16_t rule, api;
	_Atomic uint8_t severity;
	_Atomic bool advice, secondary;
	_Atomic bool owed; /* the last that was to be shown could not be */
};

bool call_sites_create(struct checks *c);
/* A child starts with none: what its parent did is the parent's. */
void call_sites_forked(struct checks *c);

/* A call site as one finding has it. */
struct call_site_count {
	uint64_t key;
	uint64_t place; /* what the host said of it (checks_host.place) */
	struct call_site_entry *entry; /* NULL: it has not been counted yet */
};

/* where: the caller, or what distinguishes findings of the whole process. */
void call_site_look(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	uint64_t where, struct call_site_count *out);
/* The site where the function breaks the rule, by its caller alone, and its key; NULL: not counted yet. */
struct call_site_entry *call_site_known(
	struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule, uint64_t *key);
uint64_t call_site_serial(const struct call_site_entry *s);
/* Whether one of the next n times is among those that are shown. */
bool call_site_shown_within(const struct call_site_count *s, unsigned n);
#define SITE_MARGIN 8 /* so near to a time that is shown other threads may be there first */

/*
 * Once more, when that is not to be shown: the finding's serial number. 0: it is not such a time, and not
 * counted; a child's table is empty.
 */
static inline uint64_t call_site_count_repeat(struct call_site_entry *s, uint64_t key)
{
	if (load_relaxed(&s->key) != key || load_relaxed(&s->count) + SITE_MARGIN >= load_acquire(&s->next))
		return 0;
	counter_inc(&s->count);
	return load_relaxed(&s->serial);
}

/* Once more: the finding gets its count and its serial number. false: it is not to be shown; written: it can
 * be. */
bool call_site_count_one(struct checks *c, struct acl_call_record *call, struct call_site_count *s,
	uint64_t caller, struct acl_finding *f, bool written);

#endif
