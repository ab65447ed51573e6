/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: the list each is in. */
#ifndef CHECKS_LABEL_STATE_H
#define CHECKS_LABEL_STATE_H

#include "checks/engine/instance.h"

#define LABEL_WAS_LISTED 1u

struct label_state {
	_Atomic uint64_t list; /* handle of the living list it is in, LABEL_WAS_LISTED, 0 = never in one */
};

static inline struct label_state *label_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
