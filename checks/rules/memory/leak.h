/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of one sort, by creation sites: how leaks are reported. */
#ifndef CHECKS_LEAK_H
#define CHECKS_LEAK_H

#include "checks/engine/finding_statement.h"

#define LEAK_SITES 64

/* Creation sites of what is left, the largest first. */
struct leaks {
	uint64_t count, bytes;
	unsigned n;
	bool more; /* there are more sites than are kept */
	struct leak_site {
		uint64_t caller;
		uint64_t count, bytes;
		const void *sample; /* what its leak_part_fn understands */
	} site[LEAK_SITES];
};

/* A sample as a part of the finding. */
typedef struct finding_part (*leak_part_fn)(const void *sample);

void leak_add(struct leaks *l, uint64_t caller, uint64_t bytes, const void *sample);
/* One finding; key distinguishes several of the same rule. call NULL: the process ends. */
void leak_report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct leaks *l, uint64_t key, const char *what, const char *when, leak_part_fn part);

#endif
