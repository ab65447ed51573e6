/* SPDX-License-Identifier: Apache-2.0 */
/* The call sites (rule, function, caller) that broke a rule, with exact counts. */
#ifndef CHECKS_CALL_SITES_H
#define CHECKS_CALL_SITES_H

#include "checks/engine/instance.h"

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
/* Whether one of the next n times is among those that are shown. */
bool call_site_shown_within(const struct call_site_count *s, unsigned n);
/* Once more: the finding gets its count and its serial number. false: it is not to be shown. */
bool call_site_count_one(struct checks *c, struct acl_call_record *call, struct call_site_count *s,
	uint64_t caller, struct acl_finding *f);

#endif
