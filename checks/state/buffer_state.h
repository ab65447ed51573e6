/* SPDX-License-Identifier: Apache-2.0 */
/* Shared buffers (aclrtMbuf). */
#ifndef CHECKS_BUFFER_STATE_H
#define CHECKS_BUFFER_STATE_H

#include "checks/engine/instance.h"

struct mbuf_state {
	_Atomic uint64_t size; /* as the runtime answered, 0 = it was not queried */
	_Atomic uint64_t requested; /* when it was made, 0 = that was not seen */
	_Atomic uint32_t appended; /* buffers in the chain behind it */
};

static inline struct mbuf_state *mbuf_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
