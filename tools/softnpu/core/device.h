/* SPDX-License-Identifier: Apache-2.0 */
/* Devices, contexts and what is current in a thread. */
#ifndef SOFTNPU_DEVICE_H
#define SOFTNPU_DEVICE_H

#include "tools/softnpu/memory/arena.h"
#include "tools/softnpu/core/npu.h"
#include "tools/softnpu/core/object.h"

struct stream;

/* Memory of a device for the runtime's own use; it goes with the device at the latest. */
struct kept_memory {
	char *addr; /* NULL until it is asked for */
	unsigned releases; /* of the device, when it was made */
};

struct device {
	int id;
	unsigned set_count; /* aclrtSetDevice not yet taken back */
	struct context *primary; /* default context, while set_count > 0 */
	struct context *retired; /* the one that was, kept for the next set */
	unsigned contexts; /* explicit ones; each keeps the device open */
	struct arena memory;
	unsigned peer[MAX_DEVICES]; /* how often access from this device to that one is enabled */
	unsigned streams, events, notifies; /* in use */
	uint32_t cores[2]; /* aclrtSetDeviceResLimit */
	bool cores_set[2];
	struct kept_memory cores_meet; /* aclrtGetHardwareSyncAddr */
	uint64_t executed; /* tasks that began, for SOFTNPU_LOST_DEVICE */
	unsigned releases; /* of all that was on it */
};

struct context {
	struct object obj;
	struct device *dev;
	bool primary;
	bool dying; /* being destroyed: takes no more part */
	bool gone; /* destroyed: the handle is all that is left */
	unsigned bound; /* threads that made it current, those that ended included */
	struct stream *default_stream;
	struct list streams; /* struct stream.link, the default stream included */
	struct list models; /* struct model.link */
	bool stops; /* all its streams stop at a failed task, as one of them was set to */
	aclError failure; /* of such a task: nothing is submitted any more */
	int64_t sys_params[8]; /* aclSysParamOpt */
	unsigned sys_params_set; /* bit mask */
	struct kept_memory overflows; /* where kernels note an overflow */
};

/* Per thread. Objects are named by handle and generation: a dead one is recognised. */
struct thread_state {
	void *context; /* set explicitly, or NULL */
	uint64_t context_generation;
	int device; /* bound by aclrtSetDevice, -1 = none */
	int scheduler; /* aclrtSetTsDevice; there is no other than 0, ACL_TS_ID_AICORE */
	int bound_scheduler; /* what it was when the device was bound */
	int exchange_mode; /* aclmdlRICaptureThreadExchangeMode */
	unsigned captures[3]; /* by mode: begun here, less those that were ended here, whoever began them */
	uint32_t last_task_id;
	void *last_stream; /* handle of the stream it was for */
	void *last_model; /* of what is captured there, or NULL, and the place in it */
	unsigned last_lane, last_index;
	/* Of the last task: captured, with the origin caching operator information; part of a built model. */
	bool last_captured, last_cached, last_built;
};

struct thread_state *npu_thread(void);

/* NULL when there is no such device. Neither needs the lock, nor does the device's id. */
struct device *device_find(int64_t id);
struct device *device_get(int id); /* id is known to be valid */
/* Whether the device is gone (SOFTNPU_LOST_DEVICE): 507010, noted as an error, or 0. */
aclError device_check_lost(int id);
/* The context that calls of this thread work in. NULL: none, 107002. */
struct context *context_current(void);
/* Same, but 107002 is reported. what: for the message. */
aclError context_need(struct context **ctx);
/* Makes a context with its default stream. */
struct context *context_new(struct device *dev, bool primary);
/* The default context of a device that has none. */
struct context *context_primary(struct device *dev);
/* Waits for its streams and destroys what it owns. */
void context_destroy(struct context *ctx);
size_t context_streams(const struct context *ctx, aclrtStream **all); /* *all is the caller's */
void context_bind(struct context *ctx);
void context_unbind(void);
/* aclInit named a default device: the lookup sets it in threads that have none. */
void device_set_default(int id);
aclError device_set(int id);
/* The first use of a device, without the lock. Says whether it is that. */
bool device_notify_of_opening(int id);
/* Memory, events and notifies go with the device's last user. */
void device_release(struct device *dev);
void devices_forget(void);
/* What the devices share lets each reach the other's memory. */
void peers_connect(int a, int b);
/* Whether the device has a context. */
bool device_is_open(int id);
/* Whether any device has one. */
bool contexts_exist(void);

/* The program set the mode in which numbers overflow to infinity, and no stream watches for it. */
bool overflows_are_infinite(void);

/* Subsystems that keep objects of a device; called when it is released. */
void memory_release_device(struct device *dev);
void memory_release_context(struct context *ctx);
void events_release_device(struct device *dev);
void notifies_release_device(struct device *dev);
void cnt_notifies_release_device(struct device *dev);

#endif
