/* SPDX-License-Identifier: Apache-2.0 */
/* What descriptors of copies hold: from where to where a copy goes that is given only its descriptor. */
#ifndef CHECKS_DESCRIBED_COPY_H
#define CHECKS_DESCRIBED_COPY_H

#include "checks/engine/instance.h"

struct described_copy {
	uint16_t api; /* that filled it in: enum acl_api; its arguments name the ranges */
	const void *src, *dst;
	uint64_t bytes;
};

/*
 * What the copy does whose descriptor the call names; false: it is not known, or something else may have
 * written the descriptor since it was filled in.
 */
bool described_copy(struct checks *c, const struct acl_call_record *call, struct described_copy *out);

/* The bytes of the descriptor that the call names were set before the call, and nothing was written there
 * since.
 */
bool descriptor_is_cleared(struct checks *c, const struct acl_call_record *call);

#endif
