/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of one sort, by creation sites: the way leaks are told. */
#ifndef CHECKS_LEAK_H
#define CHECKS_LEAK_H

#include "checks/engine/finding_report.h"

#define LEAK_SITES 64

/* Creation sites of what is left, the largest first. */
struct leaks {
	uint64_t count, bytes;
	unsigned n;
	struct leak_site {
		uint64_t caller;
		uint64_t count, bytes;
		const void *sample; /* what leak_show understands */
	} site[LEAK_SITES];
};

typedef void (*leak_show_fn)(struct checks *c, struct acl_finding *f, const void *sample);

void leak_add(struct leaks *l, uint64_t caller, uint64_t bytes, const void *sample);
/* One finding; key tells apart several of the same rule. call NULL: the process ends. */
void leak_tell(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct leaks *l, uint64_t key, const char *what, const char *when, leak_show_fn show);

#endif
