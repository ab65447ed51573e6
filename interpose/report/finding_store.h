/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of this run as JSON, kept for the report: one a place, with its count. */
#ifndef INTERPOSE_FINDING_STORE_H
#define INTERPOSE_FINDING_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stored_finding {
	struct stored_finding *next;
	struct stored_finding *chain; /* of its hash bucket */
	uint64_t serial, count; /* the serial names the place */
	size_t length;
	char json[]; /* the members of an object */
};

/* NULL when there is no room. */
struct stored_finding *finding_store_add(uint64_t serial, const char *json, size_t length);
struct stored_finding *finding_store_find(uint64_t serial);
struct stored_finding *finding_store_first(void);
void finding_store_forked(void);

#endif
