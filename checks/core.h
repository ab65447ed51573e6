/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the checker: the instance, the threads, what topics share. Rules include this and the state they
 * read. */
#ifndef CHECKS_CORE_H
#define CHECKS_CORE_H

#include "aclcheck/needs.h"
#include "checks/atom.h"
#include "checks/checks.h"
#include "checks/map.h"
#include "checks/object.h"
#include "checks/topic.h"

#define ACL_THREADS 16384 /* live at once; more are not followed */
#define ACL_CALLBACKS 8 /* one inside the other; deeper ones are of unknown kind */
#define ACL_DEVICES 64 /* device ids beyond are not tracked: their rules stay silent */

/* Slots of acl_event.carry. */
enum acl_carry {
	CARRY_FINDING, /* serial of the first primary finding of this call */
	CARRY_GOING, /* acl_ref or block being destroyed */
	CARRY_POSITION, /* stream position taken in enter */
	CARRY_CAPTURE, /* acl_ref of the capture (a model) the call's stream belongs to */
	CARRY_STREAM, /* struct acl_object: stream the call names, the default stream for NULL */
	CARRY_EVENT, /* struct acl_object: event the call names */
	CARRY_COUNTED, /* the record counts among the attempts */
	CARRY_NOTE /* the rule's own */
};

/*
 * One thread of the program, found by pthread id; another kernel id behind the
 * same pthread id is a new thread.  Written by the thread itself, except
 * captures[].
 */
struct acl_thread {
	_Alignas(64) _Atomic uint64_t pthread_id;
	_Atomic uint32_t tid;
	_Atomic uint8_t exchange; /* aclmdlRICaptureMode of the thread */
	_Atomic bool context_unknown; /* something below us set a context */
	_Atomic int16_t device; /* bound to this device's default context, -1 = not */
	_Atomic uint64_t context; /* acl_ref of the explicit context, 0 = none */
	_Atomic uint32_t captures[3]; /* open captures it began, by mode */
	_Atomic uint16_t inside; /* 1 + the function it is in, 0 = none; not of calls out of callbacks */
	_Atomic int16_t reset; /* 1 + the device whose last reset by this thread took its context, 0 = none */
	struct asked_counts *asked;
	uint64_t phase;
	_Atomic uint64_t inside_caller;
	acl_ref replaced; /* its own: the explicit context its last SetDevice took away, 0 = none */
	struct unfinished_wait {
		acl_ref what; /* stream, event or context, 0 = none */
		uint64_t at; /* calls of the thread then */
	} timed_out, device_wait; /* its own, see unfinished.c */
	/* Its own: what this phase of the call has looked up, by role. */
	struct known_place {
		uint64_t phase;
		const void *address;
		struct acl_place place;
	} known[2];
	/* By depth: who launched or registered the callbacks that run on it; 1 + enum acl_api, 0 = unknown.
	 */
	_Atomic uint16_t callbacks[ACL_CALLBACKS];
};

/* Counted like a function of its own. */
enum {
	ACL_CALLED_PLAIN_COPY = ACL_API_COUNT,
	ACL_CALLED_PLAIN_ASYNC,
	ACL_CALLED_COUNT,
	ACL_CALLED_ANY = ACL_CALLED_COUNT
};

/* What a thread counts for itself; allocated with the thread, see asked.c. */
struct asked_counts {
	/*
	 * By function.  The needs its calls put to the test are mostly the same at every
	 * call: one count for as long as they are, then it is spread over the rules.
	 */
	struct called_api {
		_Atomic uint64_t calls; /* judged ones */
		_Atomic uint64_t before; /* of these, those before the present run … */
		_Atomic uint32_t needs; /* … of calls that put these needs to the test: bit i = need i */
	} api[ACL_CALLED_COUNT];
	_Atomic uint64_t rule[]; /* by rule index */
};

struct rule_setting {
	bool off, advice;
};

struct hook_list {
	const acl_hook_fn *enter[2], *leave[2],
		*failed; /* ended by NULL; [1]: with those for unusual times */
};

struct acl_device {
	_Atomic int32_t sets; /* successful SetDevice minus ResetDevice */
	_Atomic bool set_since_reset;
	_Atomic bool ever_set, ever_reset;
	_Atomic uint64_t context; /* acl_ref of the default context */
	_Atomic uint64_t peers; /* bit p: this device may reach device p */
	_Atomic uint64_t denied; /* bit p: CanAccessPeer(this, p) answered 0 */
	_Atomic uint64_t allowed; /* bit p: it answered 1 */
	struct moment first_set, last_set, last_reset; /* last_reset: the one that took it out of use */
};

struct pointer_map;
struct site_table;
struct wait_list;

/* Topics with a state of their own beside the objects. */
enum topic_state {
	TOPIC_HANDLES,
	TOPIC_FREED,
	TOPIC_CALLBACKS,
	TOPIC_MAPPINGS,
	TOPIC_PROCESS,
	TOPIC_FAILURE_MODE,
	TOPIC_BINDINGS,
	TOPIC_KERNELS,
	TOPIC_SHARING,
	TOPIC_STREAM_END,
	TOPIC_FAR,
	TOPIC_ALLOCATORS,
	TOPIC_IPC,
	TOPIC_LIMITS,
	TOPIC_MODES,
	TOPIC_TASK_INFO,
	TOPIC_HOST_FUNCTION,
	TOPIC_LAUNCH_ARGS,
	TOPIC_PHYSICAL,
	TOPIC_MANAGED,
	TOPIC_FINALIZE,
	TOPIC_INIT_CONFIG,
	TOPIC_DEVICE_ID,
	TOPIC_THREADS,
	TOPIC_EVENT_USE,
	TOPIC_EXCEPTIONS,
	TOPIC_LABELS,
	TOPIC_SNAPSHOT,
	TOPIC_NOTIFIES,
	TOPIC_MODELS,
	TOPIC_CONDITIONS,
	TOPIC_WRITTEN,
	TOPIC_DESCRIPTORS,
	TOPIC_SYMBOLS,
	TOPIC_UNCHECKED,
	TOPIC_ALLOCATIONS,
	TOPIC_PEERS,
	TOPIC_PAGEABLE,
	TOPIC_STATES
};

struct checks {
	/* Read by every call, written seldom. */
	struct checks_host host;
	struct hook_list hooks[ACL_API_COUNT];
	struct rule_setting *settings; /* by rule index */
	_Atomic int target; /* enum acl_cann or CHECKS_TARGET_DOCUMENTS */
	_Atomic bool ordered; /* somebody records the calls */
	_Atomic bool unusual; /* hooks marked ACL_UNUSUAL are called */
	bool target_auto, stacks_all;
	bool device0_known, device0_hidden; /* whether ASCEND_RT_VISIBLE_DEVICES names device 0 */
	const char *soc; /* product name, NULL = unknown */
	void *topic[TOPIC_STATES]; /* what single topics keep */
	_Atomic bool inited; /* aclInit was called, or init-missing was said */
	_Atomic int8_t run_mode; /* aclrtRunMode, -1 = not asked */
	_Atomic uint32_t open_captures; /* of the process */
	_Atomic bool default_device; /* the configuration in effect names a default device */
	struct pointer_map *memory; /* allocations */
	struct pointer_map *registered; /* host ranges of aclrtHostRegister */
	struct pointer_map *reserved; /* address ranges without memory of their own */
	_Atomic bool many_devices; /* more than one device has been set */
	struct site_table *sites;
	_Atomic uint64_t *asked_at_end; /* by rule index: asked when the process ended */
	struct asked_by *asked_by; /* rules that every call of a function asks */
	struct wait_list *waits; /* waits for events nobody recorded yet */
	int16_t stream_offset[ACL_API_COUNT],
		event_offset[ACL_API_COUNT]; /* of the handle in the arguments, -1 = none */
	struct acl_thread *threads;
	struct acl_device devices[ACL_DEVICES];
	struct object_kind *kinds[ACL_HANDLE_COUNT];
	/* Written by cold paths. */
	_Alignas(64) struct acl_lock alloc_lock;
	unsigned char *pool, *pool_end;
	struct pool_free *pool_free[32];
	_Atomic uint64_t serials; /* of objects and blocks */
	_Atomic uint64_t finding_serials;
	_Atomic bool trouble;
	_Atomic(const char *) trouble_text;
	/* Initialisation. */
	_Atomic int32_t init_count;
	_Atomic uint32_t init_module;
	_Atomic bool forked; /* of a process that was initialised, and not again since */
	struct moment first_init;
	_Atomic bool callbacks_ran; /* a callback of the program ran: it may have told the host of progress */
	_Atomic bool peers_unknown; /* something below us enabled peer access */
};

/* Memory that stays until checks_forget gives it back to the checker; zeroed; NULL sets trouble. */
void *checks_alloc(struct checks *c, size_t bytes);
void checks_forget(struct checks *c, void *p, size_t bytes);
void checks_in_trouble(struct checks *c, const char *text);

static inline struct acl_object *object_find(struct checks *c, unsigned kind, const void *value)
{
	return object_in(c->kinds[kind], value);
}

/* A hot call uses the object: where, and the whole stack only when the configuration wants all of them. */
static inline void object_used(struct checks *c, struct acl_object *o, struct acl_event *ev)
{
	if (__builtin_expect(c->stacks_all, 0) && !ev->stack && c->host.stack)
		ev->stack = c->host.stack(c->host.context, ev);
	st(&o->last_used.caller, ev->caller);
	st(&o->last_used.stack, ev->stack);
	st(&o->last_used.tid, ev->tid);
	st(&o->last_used.api, ev->api);
}

/* error.c: rules of every function; the core calls them when there is something to say. */
void error_missing(struct checks *c, struct acl_event *ev) __attribute__((cold)); /* before all others */
void error_returned(struct checks *c, struct acl_event *ev) __attribute__((cold)); /* after all others */
void error_suspect(struct acl_event *ev) __attribute__((cold)); /* wrong, and yet no error */
static inline void called_again(struct acl_thread *t, unsigned api)
{
	if (t->asked)
		st(&t->asked->api[api].calls, ld(&t->asked->api[api].calls) + 1);
}

/* The rule is judged by what the function returns: each of its calls puts it to the test. */
void rule_asked_by(struct checks *c, const struct acl_rule *rule, unsigned api);
/* asked.c */
bool asked_create(struct checks *c);
void asked_begins(struct checks *c, struct acl_thread *t);
void asked_forked(struct checks *c);
/* Another set of needs than at the thread's last call of the function. */
void needs_changed(struct checks *c, const struct acl_event *ev, uint32_t needs) __attribute__((cold));
/* Whether target and product ask it at all (arguments.c). */
bool need_in_force(const struct checks *c, const struct acl_need *n);
/* Before aclInit was called (init.c). */
void init_missing(struct checks *c, struct acl_event *ev) __attribute__((cold));
/* What the configuration of aclInit says of limits (limits.c). */
void limits_configured(struct checks *c, struct acl_event *ev, const struct checks_init_config *config);

/* Whether something of this sort may happen where we do not see it. */
static inline bool may_be_unseen(const struct checks *c, enum checks_unseen what)
{
	return !c->host.unseen || c->host.unseen(c->host.context, what);
}

/* Told before what the unusual hooks ask for can be seen. */
static inline void checks_unusual(struct checks *c)
{
	if (!ld(&c->unusual))
		st_release(&c->unusual, true);
}

/* Releases (not) relaxed by the target: true when the judged runtime is at least this version. */
static inline bool target_at_least(const struct checks *c, enum acl_cann version)
{
	return ld(&c->target) >= (int)version;
}

static inline struct acl_thread *thread_of(const struct acl_event *ev)
{
	return ev->thread;
}

/* The function that launched or registered the callback the call comes from; ACL_API_COUNT = none or unknown.
 */
static inline unsigned callback_api(const struct acl_event *ev)
{
	unsigned depth = ev->callback_depth;

	if (!depth || depth > ACL_CALLBACKS || !ld(&thread_of(ev)->callbacks[depth - 1]))
		return ACL_API_COUNT;
	return ld(&thread_of(ev)->callbacks[depth - 1]) - 1u;
}

/* A count of the thread's calls, for distances between them. */
static inline uint64_t calls_so_far(const struct acl_event *ev)
{
	return thread_of(ev)->phase / 2;
}

/* Calls of the runtime itself are observed, never judged. */
static inline bool judged(const struct acl_event *ev)
{
	return ev->path != ACL_PATH_INSIDE;
}

/* What the call returned, for functions that return aclError: the low 32 bits count. */
static inline int32_t error_of(const struct acl_event *ev)
{
	return (int32_t)ev->result.i;
}

static inline bool succeeded(const struct acl_event *ev)
{
	return error_of(ev) == 0;
}

#define ACL_ERROR_REPEAT_INIT 100002

#endif
