/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory. */
#ifndef CHECKS_PHYSICAL_STATE_H
#define CHECKS_PHYSICAL_STATE_H

#include "checks/engine/instance.h"

struct physical_state {
	_Atomic uint32_t references;
	_Atomic bool exported, imported;
};

static inline struct physical_state *physical_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
