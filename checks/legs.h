/* SPDX-License-Identifier: Apache-2.0 */
/* The copy functions seen alike: each moves one or more legs from src to dst. */
#ifndef CHECKS_LEGS_H
#define CHECKS_LEGS_H

#include "checks/event.h"

struct copy_leg {
	const void *dst, *src; /* NULL: a device symbol */
	uint64_t dst_span, src_span; /* bytes from first to last touched */
	int kind; /* aclrtMemcpyKind; batches have none and count as DEFAULT */
	unsigned dst_param, src_param; /* position in the argument list, 99 for elements of arrays */
	uint64_t index; /* of the batch entry */
};

/* Number of legs of this call, 0 when it copies nothing or its arrays are missing. */
uint64_t legs_count(const struct acl_event *ev);
/* Leg number i, i < legs_count(). */
struct copy_leg legs_at(const struct acl_event *ev, uint64_t i);

#endif
