/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies: latest wait, balance of records and waits, the count, who shares them. */
#ifndef CHECKS_NOTIFY_STATE_H
#define CHECKS_NOTIFY_STATE_H

#include "checks/state/value_history.h"

enum notify_flag {
	NOTIFY_IMPORTED = 1u << 0,
	NOTIFY_EXPORTED = 1u << 1,
	NOTIFY_CHECKS_PID = 1u << 2, /* exported: only listed processes may import it */
	NOTIFY_LISTED = 1u << 3, /* processes were listed */
	NOTIFY_NUMBERED =
		1u << 4, /* its id was queried, or it is for kernels: the device may use it unseen */
	NOTIFY_CAPTURED = 1u << 5, /* a captured or built model uses it: when, is not seen */
	NOTIFY_TIMED = 1u << 6 /* a wait for it ends after a time, too */
};

struct notify_state {
	_Atomic uint64_t stream, position; /* latest wait: acl_ref of the stream, its position */
	_Atomic uint64_t alone; /* its position again, where it was the only wait without a record; else 0 */
	_Atomic uint64_t where; /* of that wait */
	_Atomic uint64_t record_stream, record_position; /* of the latest record, as stream and position */
	_Atomic uint32_t flags; /* enum notify_flag */
	_Atomic uint32_t waits, records;
	_Atomic int32_t
		balance; /* records submitted without a wait for them; negative: waits that came first */
};

static inline struct notify_state *notify_state(struct acl_object *o)
{
	return object_extra(o);
}

/* Of a counting notify; begins as that of others. */
struct counter_state {
	struct notify_state notify;
	struct acl_lock lock;
	struct value_history count;
};

static inline struct counter_state *counter_state(struct acl_object *o)
{
	return object_extra(o);
}

static inline bool notify_has(struct acl_object *o, unsigned flags)
{
	return load_relaxed(&notify_state(o)->flags) & flags;
}

/* Only calls that are seen record it or wait for it. */
static inline bool notify_is_followed(struct acl_object *o)
{
	return !notify_has(o, NOTIFY_IMPORTED | NOTIFY_EXPORTED | NOTIFY_NUMBERED | NOTIFY_CAPTURED);
}

/* Whether all that records it are calls of this process, its models among them; NULL: not known, so no. */
bool notify_is_recorded_here(struct acl_object *o);

/* Of a wait: no record has changed the count since it was made, and 0 does not end it. *timed: it ends after
 * a time. */
bool counter_wait_is_hopeless(struct checks *c, const struct acl_call_record *call, bool *timed);

/* The notify that a call uses. NULL: not made while we looked. */
struct acl_object *notify_of(struct checks *c, const struct acl_call_record *call);
/* What the record that the call is does to the balance; REPLACES: one that no wait has taken is lost. */
enum notify_effect { NOTIFY_UNCHANGED, NOTIFY_CHANGED, NOTIFY_REPLACES };
enum notify_effect notify_record_effect(const struct acl_call_record *call);
/* The stream of the latest wait, when nothing the host did shows that the wait is over. */
struct acl_object *notify_still_waiting(struct checks *c, struct acl_object *o);
/* Device of the notify that was exported under the key, by this process or one that is seen as well; -1 =
 * unknown. */
int notify_exporter(struct checks *c, const char *key);

#endif
