/* SPDX-License-Identifier: Apache-2.0 */
/* The two sides of a copy, as the copy rules share them. */
#ifndef CHECKS_SIDES_H
#define CHECKS_SIDES_H

#include "checks/legs.h"
#include "checks/map.h"

/* Where an address lies, as far as anybody knows. */
enum location { PLACE_UNKNOWN, PLACE_PAGEABLE, PLACE_HOST, PLACE_DEVICE };

struct side {
	const char *name; /* "src" or "dst" */
	const void *address;
	struct acl_place place;
	enum location location;
	enum acl_host_class class;
};

/* Appends "src 0x… is 12 bytes into the 1 MiB page-locked host memory at 0x…" to the sentence. */
void side_describe(struct acl_finding *f, const struct side *s);
/* Address and biography. */
void side_add(struct checks *c, struct acl_finding *f, const struct side *s);
/* Size, kind and batch entry. */
void leg_add(struct acl_event *ev, struct acl_finding *f, const struct copy_leg *leg);

/* A copy between two devices (peer.c). */
void peer_copy(struct checks *c, struct acl_event *ev, const struct side *src, const struct side *dst);

#endif
