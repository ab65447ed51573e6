/* SPDX-License-Identifier: Apache-2.0 */
/* The findings of this run as JSON, kept for the report: one a place, with its count. */
#ifndef INTERPOSE_KEPT_H
#define INTERPOSE_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept {
	struct kept *next;
	struct kept *chain; /* of its hash bucket */
	uint64_t serial, count; /* the serial names the place */
	size_t length;
	char json[]; /* the members of an object */
};

/* NULL when there is no room. */
struct kept *kept_add(uint64_t serial, const char *json, size_t length);
struct kept *kept_find(uint64_t serial);
struct kept *kept_first(void);
void kept_forked(void);

#endif
