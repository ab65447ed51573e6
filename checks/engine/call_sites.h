/* SPDX-License-Identifier: Apache-2.0 */
/* The call sites (rule, function, caller) that broke a rule, with exact counts. */
#ifndef CHECKS_CALL_SITES_H
#define CHECKS_CALL_SITES_H

#include "checks/engine/instance.h"

bool call_sites_create(struct checks *c);
/* A child starts with none: what its parent did is the parent's. */
void call_sites_forked(struct checks *c);

/* where: the caller, or what distinguishes findings of the whole process. */
uint64_t call_site_key(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, uint64_t where);
/* How often it has been counted. */
uint64_t call_site_count(struct checks *c, uint64_t key);
/* Once more: the finding gets its count and its serial number. false: the table is full. */
bool call_site_count_one(
	struct checks *c, struct acl_call_record *call, uint64_t key, uint64_t caller, struct acl_finding *f);

#endif
