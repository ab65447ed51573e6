/* SPDX-License-Identifier: Apache-2.0 */
/* Events.  Each record is an object of its own, so that a wait can mean the record it was submitted after. */
#ifndef SOFTNPU_EVENT_H
#define SOFTNPU_EVENT_H

#include "tools/softnpu/sync/stream.h"

/* How an event was made decides how it behaves; see runtime-semantics: D, F, X, I, E, H. */
enum event_kind {
	EVENT_DEFAULT, /* aclrtCreateEvent */
	EVENT_FLAG, /* aclrtCreateEventWithFlag */
	EVENT_EX, /* aclrtCreateEventExWithFlag */
	EVENT_IPC, /* ...Ex with ACL_EVENT_IPC */
	EVENT_EXTERNAL, /* ...WithFlag with ACL_EVENT_EXTERNAL */
	EVENT_DEVICE_ONLY
};

struct shared;

struct record {
	unsigned refs;
	bool done;
	bool built; /* a task of a model that is built: each execution does it again */
	uint64_t time; /* ns, when done */
	int stream; /* its id, -1 for what a model records */
	uint64_t before; /* records of that stream that came before, counted once there is a pool */
	uint64_t number; /* among those of a shared event; 0: another one followed before it was shared */
	struct list waiters; /* lanes */
};

struct event {
	struct object obj;
	enum event_kind kind;
	uint32_t flags;
	uint32_t id;
	struct device *dev;
	struct record *latest; /* as submitted; NULL = never recorded */
	bool reset; /* since that record: what waits is for another one, what asks is about that one */
	bool external; /* a capture used it with a flag: this works however often it is recorded afterwards */
	bool signalled; /* as executed: a record ran and no reset since */
	struct list waiters; /* lanes that wait for any record to run */
	struct npu_condition recorded; /* the host waits */
	unsigned waits; /* submitted and not over */
	int record_flag, wait_flag; /* of the first ...WithFlag call; -1 = none yet */
	struct capture *capture; /* recorded in this open capture */
	struct list captured; /* in that capture's events */
	unsigned capture_edge; /* which edge of its model that record is */
	struct shared *ipc; /* state shared with other processes, or NULL */
};

aclError event_new(enum event_kind kind, uint32_t flags, struct event **ev);
/* Living event behind a handle, or an error. */
aclError event_find(aclrtEvent handle, struct event **ev);
bool event_waitable(const struct event *ev);
struct record *record_new(int stream);
void record_get(struct record *r);
void record_put(struct record *r);
void record_complete(struct record *r);

/* Operations on the device side, for streams and for models. Each holds the event. */
struct op *event_record_op(struct event *ev, struct record *r); /* r may be NULL: in a model */
struct op *event_wait_op(
	struct event *ev, struct record *r, uint32_t timeout_ms); /* r NULL: wait for any record */
struct op *event_reset_op(struct event *ev);
/* A wait inside a model for the latest record made outside. */
struct op *event_outside_wait_op(struct event *ev);

/* Counters of an event that is shared; 0 when it is not. */
uint64_t event_ipc_submit(struct event *ev);
uint64_t event_ipc_submitted(const struct event *ev);
bool event_ipc_done(const struct event *ev, uint64_t number);
void event_ipc_complete(struct event *ev, uint64_t number);
/* The event an operation of a model is about, or NULL. */
struct event *op_event(const struct op *op);

#endif
