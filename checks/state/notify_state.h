/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: latest wait, balance of records and waits. */
#ifndef CHECKS_NOTIFY_STATE_H
#define CHECKS_NOTIFY_STATE_H

#include "checks/engine/instance.h"

enum notify_flag {
	NOTIFY_IMPORTED = 1u << 0,
	NOTIFY_EXPORTED = 1u << 1,
	NOTIFY_CHECKS_PID = 1u << 2, /* exported: only listed processes may import it */
	NOTIFY_LISTED = 1u << 3, /* processes were listed */
	NOTIFY_NUMBERED =
		1u << 4, /* its id was asked for, or it is for kernels: the device may use it unseen */
	NOTIFY_CAPTURED = 1u << 5, /* a captured model uses it: when, nobody sees */
	NOTIFY_TOLD = 1u << 6 /* a finding about its waits was given */
};

struct notify_state {
	_Atomic uint64_t stream, position; /* latest wait: acl_ref of the stream, its position */
	_Atomic uint64_t caller; /* of that wait */
	_Atomic uint32_t flags; /* enum notify_flag */
	_Atomic uint32_t waits, records;
	_Atomic int32_t
		balance; /* records submitted without a wait for them; negative: waits that came first */
	_Atomic uint16_t api; /* of the latest wait */
};

static inline struct notify_state *notify_state(struct acl_object *o)
{
	return object_extra(o);
}

#endif
