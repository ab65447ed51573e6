/* SPDX-License-Identifier: Apache-2.0 */
/* Models and captures: status, members, what captured tasks use. */
#ifndef CHECKS_CAPTURE_STATE_H
#define CHECKS_CAPTURE_STATE_H

#include "checks/engine/instance.h"
#include "checks/state/stream_state.h"

/* Of the process; in the module's slot. */
struct process_captures {
	_Atomic uint32_t open;
};

static inline uint32_t captures_open(const struct checks *c)
{
	return load_relaxed(&module_slot(c, capture, struct process_captures)->open);
}

/* EMPTY: of a condition, nothing was captured into it yet. */
enum model_status { MODEL_BUILT, MODEL_CAPTURING, MODEL_INVALIDATED, MODEL_READY, MODEL_EMPTY };

/* How a task of it may inform the host, see signal_state.c: whenever it runs; or by a word that only the
 * device reads, as far as was seen. */
enum model_informs { INFORMS_ALWAYS = 1, INFORMS_BY_WORDS = 2 };

struct capture_streams;
struct model_accesses;
struct model_uses;

#define MODEL_EXECUTIONS 4

/* A task that executes the model; see model_execution.h. */
struct model_task {
	uint64_t stream; /* acl_ref, 0 = none */
	uint64_t position;
	uint64_t caller;
	uint32_t tid;
	uint32_t number; /* of the execution: 1, 2 … */
	uint16_t api;
	bool unseen; /* what it comes after */
};

#define MODEL_EXTERNAL_WAITS 4

/* A wait of a task for an ACL_EVENT_EXTERNAL event that no later task resets. */
struct model_external_wait {
	uint64_t event; /* acl_ref, 0 = none */
	struct acl_call_site at;
	uint32_t resets; /* of the event, where the model was executed first */
};

/* The first call of the capture that failed and was not tried again. */
struct capture_failure {
	struct acl_call_site at;
	int32_t error;
	uint64_t finding; /* serial of the finding about it, 0 = none */
	bool ignored; /* the program went on with a task of another kind */
	bool lost; /* some failed call has made the capture invalid */
};

struct model_state {
	_Alignas(8) struct acl_lock lock; /* it and what it guards stay with the slot, see MODEL_KEPT */
	_Atomic(struct model_uses *) uses;
	_Atomic(struct model_accesses *) accesses; /* pending_model.c */
	_Atomic(struct capture_streams *) streams; /* while it is captured; see capture_streams.h */
	_Atomic uint8_t status; /* enum model_status */
	_Atomic uint8_t mode; /* aclmdlRICaptureMode */
	_Atomic uint8_t exchange; /* of the thread that began the capture, there */
	_Atomic bool updated; /* a task update touched it */
	_Atomic uint32_t updates; /* of its groups that have begun and not ended, about; too many only cost a
				     search */
	_Atomic bool waits_outside; /* its tasks wait for what comes from outside: model_unseen.c */
	_Atomic uint32_t groups; /* task groups that are open, each on a stream of its own */
	_Atomic bool waits_unseen; /* a task of it waits for a notify, a word of memory, an external event */
	_Atomic bool waits_anywhere; /* which of its tasks come behind such a wait is not known */
	_Atomic bool kernels; /* a task of it is a kernel */
	_Atomic bool records; /* a task of it records, or writes, what others may wait for */
	_Atomic uint8_t informs; /* enum model_informs */
	_Atomic bool callbacks; /* a task of it is a host callback */
	_Atomic uint32_t callbacks_begun; /* of those that checks_callback_follow() follows */
	_Atomic bool sub; /* of a condition of another model, its parent */
	_Atomic bool parts; /* conditions of it have models of their own */
	_Atomic bool decides; /* which of its tasks run is decided when it runs */
	_Atomic bool cleaned; /* tasks may have been taken out of it again */
	_Atomic bool given_up; /* what was tried last for its capture failed */
	_Atomic uint32_t tasks;
	_Atomic uint64_t origin; /* acl_ref of the stream */
	_Atomic uint64_t parent; /* sub: acl_ref of the model of whose condition it is */
	_Atomic uint64_t thread; /* thread_identity() of the one that began the capture */
	_Atomic uint64_t updated_on, updated_at; /* the last end of an update: acl_ref of the stream, its
						    position; 0 = none, or being changed */
	_Atomic uint8_t change; /* enum model_change */
	_Atomic uint32_t task_thread; /* 1 + index of the thread in a call on one of its tasks, 0 = none */
	struct model_external_wait external_wait[MODEL_EXTERNAL_WAITS]; /* under the lock */
	struct capture_failure failure; /* under the lock */
	struct acl_call_site changed; /* under the lock: the last change of a task */
	_Atomic uint32_t executions; /* submitted so far */
	struct model_task execution[MODEL_EXECUTIONS]; /* under the lock, used from the first one on … */
	_Atomic uint32_t n_execution; /* … so many of them */
};

#define MODEL_KEPT offsetof(struct model_state, status)

static inline struct model_state *model_state(struct acl_object *o)
{
	return object_extra(o);
}

/* The model is being captured, invalidated or not. */
static inline bool capture_is_open(struct acl_object *model)
{
	uint8_t status = load_relaxed(&model_state(model)->status);

	return status == MODEL_CAPTURING || status == MODEL_INVALIDATED;
}

/* The stream that the capture began on; NULL: none. */
static inline struct acl_object *capture_origin(struct checks *c, struct acl_object *capture)
{
	return capture ? object_of(c, load_relaxed(&model_state(capture)->origin)) : NULL;
}

/* Something was captured into it: its streams and tasks are its own, and go with it. A built model has the
 * program's. */
static inline bool model_was_captured(struct acl_object *model)
{
	return load_relaxed(&model_state(model)->origin) != 0;
}

/* Another one than that of a later thread in the place of one that ended. */
static inline uint64_t thread_identity(const struct checks *c, const struct acl_thread *t)
{
	return (uint64_t)load_relaxed(&t->tid) << 32 | (uint64_t)(t - c->threads);
}

/* The model that the call names, NULL = not known or gone. */
static inline struct acl_object *model_argument(struct checks *c, const struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL);
	struct acl_object *m = value ? object_find(c, ACL_HANDLE_MODEL, value) : NULL;

	return m && object_usable(m) ? m : NULL;
}

#define MODE_NONE 3

/* A moment a captured task used an object or a block. */
struct model_use {
	uint64_t what; /* acl_ref, or block_ref */
	uint64_t caller;
	uint32_t tid;
	uint16_t api;
	bool in_group; /* captured in a task group: an update may have replaced it */
	bool given; /* an address in it is among a kernel's arguments, no more is known */
};

/* The resource's own last use may be later; the one that the model repeats is what matters here. */
static inline struct acl_call_site model_use_site(const struct model_use *use)
{
	return (struct acl_call_site){.caller = use->caller, .tid = use->tid, .api = use->api};
}

/* A wait for an external event that neither the model nor the program has reset since the first execution;
 * before and at that it begins. false = none. */
bool model_wait_unreset(struct checks *c, struct acl_object *model, struct model_external_wait *wait);

/* Of an open capture; at.caller 0 = none. */
struct capture_failure capture_failure(struct acl_object *model);
/* What was tried last for the open capture failed: who ends it now gives it up. */
static inline bool capture_given_up(struct acl_object *model)
{
	return load_relaxed(&model_state(model)->given_up);
}

/* Open capture of the stream, NULL = none. */
struct acl_object *capture_of(struct checks *c, struct acl_object *stream);
/* Some open capture of a context; context NULL: of a device; neither (-1): of the process. */
struct acl_object *capture_in(struct checks *c, struct acl_object *context, int device);
/* The live models that use an object or block, one after the other, beginning with *at 0; *use says where. */
struct acl_object *model_using_next(struct checks *c, uint64_t what, uint32_t *at, struct model_use *use);
/* Some such model. */
static inline struct acl_object *model_using(struct checks *c, uint64_t what, struct model_use *use)
{
	return model_using_next(c, what, &(uint32_t){0}, use);
}
/* What a model uses, one after the other in no order, beginning with *at 0; false: no more. */
bool model_use_next(struct acl_object *model, uint32_t *at, struct model_use *use);
/* Lowest mode of open captures: of the context, of those the thread began; MODE_NONE. */
unsigned capture_mode_of_context(struct acl_object *context);
unsigned capture_mode_of_thread(struct acl_thread *t);
/* The open captures that the calling thread began in its current context, one after the other, beginning
 * with *at 0; NULL: no more. */
struct acl_object *capture_by_thread_next(struct checks *c, const struct acl_call_record *call, uint32_t *at);
/* Some such capture. */
struct acl_object *capture_by_thread(struct checks *c, const struct acl_call_record *call);
/* Whether modes forbid synchronous memory calls: of the context's captures, of the thread's own, the one it
 * exchanged. */
bool capture_mode_forbids(unsigned context, unsigned thread, unsigned exchange);
/* The mode that aclmdlRICaptureThreadExchangeMode is to set; MODE_NONE = not known. */
unsigned capture_mode_wanted(const struct acl_call_record *call);

#endif
