/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the checker: the instance, the threads, what modules share. Rules include this and the state they
 * read. */
#ifndef CHECKS_INSTANCE_H
#define CHECKS_INSTANCE_H

#include "aclcheck/constraints.h"
#include "checks/engine/atomics.h"
#include "checks/checks.h"
#include "checks/engine/pointer_map.h"
#include "checks/engine/objects.h"
#include "checks/engine/check_module.h"

#define ACL_THREADS 16384 /* live at once; more are not followed */
#define ACL_CALLBACKS 8 /* one inside the other; deeper ones are of unknown kind */
#define POOL_SIZES 32 /* pieces of memory by the power of two; larger ones are not taken back */

/*
 * One thread of the program, found by pthread id; another kernel id behind the
 * same pthread id is a new thread.  Written by the thread itself, except
 * captures[].
 */
struct acl_thread {
	_Alignas(64) _Atomic uint64_t pthread_id;
	_Atomic uint32_t tid;
	_Atomic uint8_t exchange; /* aclmdlRICaptureMode of the thread */
	_Atomic uint8_t exchanged; /* 1 + the mode that it replaced, 0 = none */
	_Atomic bool context_unknown; /* something below us set a context */
	_Atomic int16_t device; /* bound to this device's default context, -1 = not */
	_Atomic uint64_t context; /* acl_ref of the explicit context, 0 = none */
	const _Atomic uint64_t *current; /* its own: that one, or its device's, see thread_bind() */
	_Atomic uint32_t captures[3]; /* open captures it began, by mode */
	_Atomic uint16_t inside; /* 1 + the function it is in, 0 = none; not of calls out of callbacks */
	_Atomic int16_t reset; /* 1 + the device whose last reset by this thread took its context, 0 = none */
	struct operation *operation; /* what its last call that touches memory does: state/operation.h */
	struct coverage_counts *coverage; /* never NULL once it has made a call */
	struct finding_area
		*findings; /* its own: of the present phase, see finding_collect.h; NULL = never any */
	unsigned n_findings;
	struct finding_repeat {
		uint64_t phase; /* of the thread then, 0 = never */
		const struct acl_rule *rule;
		uint64_t caller;
		struct call_site_entry *site; /* of rule, caller and function, and its … */
		uint64_t key;
		uint16_t api;
	} repeated; /* its own: a finding of that phase that was counted and is not among them */
	uint64_t phase;
	_Atomic uint64_t inside_caller; /* of its last call that came out of no callback, 0 = it made none */
	acl_ref replaced; /* its own: the explicit context its last SetDevice took away, 0 = none */
	struct no_model {
		uint64_t value; /* in place of a model, where aclmdlRICaptureGetInfo found no capture */
		uint64_t at; /* 1 + calls of the thread then, 0 = never */
	} no_model; /* its own */
	struct unfinished_wait {
		acl_ref what; /* stream, event or context, 0 = none */
		uint64_t at; /* calls of the thread then */
	} timed_out, device_wait; /* its own, see state/unfinished_wait.c */
	/* Its own: what it has looked up last, by role; good for as long as the maps do not change. */
	struct known_lookup {
		uint64_t version; /* of both maps together */
		uint64_t address;
		uint64_t reach; /* bytes from place.base on that have the same answer, 0 = only the address */
		struct block_lookup place;
	} known[2];
	/* By depth: who launched or registered the callbacks that run on it; 1 + enum acl_api, 0 = unknown.
	 */
	_Atomic uint16_t callbacks[ACL_CALLBACKS];
};

/* Not functions of the API but something that calls are: counted like them. */
enum {
	ACL_CALLED_PLAIN_COPY = ACL_API_COUNT,
	ACL_CALLED_PLAIN_ASYNC, /* such a copy, or a batch of them, and asynchronous */
	ACL_CALLED_PLAIN_BATCH,
	ACL_CALLED_COUNT,
	ACL_CALLED_ANY = ACL_CALLED_COUNT
};

/* Bits of what a call evaluates; the lowest are the constraints of its function. */
#define EVALUATED_CONSTRAINTS UINT64_C(0x3fffffff)
#define EVALUATED_HANDLE(i) (UINT64_C(1) << (32 + (i))) /* by handle of the function */
#define EVALUATED_PLAIN_COPY (UINT64_C(1) << 40) /* ACL_CALLED_PLAIN_COPY */
#define EVALUATED_PLAIN_ASYNC (UINT64_C(1) << 41) /* ACL_CALLED_PLAIN_ASYNC */
#define EVALUATED_PLAIN_BATCH (UINT64_C(1) << 42) /* ACL_CALLED_PLAIN_BATCH */
#define EVALUATED_BY_RULE (UINT64_C(1) << 63) /* never counted: a rule looks at the handles, and counts */
#define HANDLES_OF_CALL 8 /* no function has more, with the other rules that they evaluate */

/* What a thread counts for itself; allocated with the thread, see rule_coverage.c. */
struct coverage_counts {
	/*
	 * By function.  What its calls evaluate is mostly the same at every
	 * call: one count for as long as it is, then it is spread over the rules.
	 */
	struct called_api {
		_Atomic uint64_t calls; /* checked ones */
		_Atomic uint64_t before; /* of these, those before the present run … */
		_Atomic uint64_t evaluated; /* … of calls that evaluate the same, by EVALUATED_… */
	} api[ACL_CALLED_COUNT];
	_Atomic uint64_t rule[]; /* by rule index */
};

struct rule_setting {
	bool off, advice;
};

#define CALL_SET 3
#define HANDLE_RULES 64

/* A handle among the arguments of a function: what it means is looked up before all hooks. */
struct call_handle {
	struct object_kind *objects; /* of its kind */
	uint64_t evaluated; /* bits of the rules that a live one evaluates, see struct called_api */
	uint16_t offset; /* of the argument */
	uint16_t slot; /* where in the call record the object is noted */
	uint8_t kind; /* enum acl_handle */
	bool destroys;
	int16_t rule; /* index of the rule behind the bit of its number, -1 = none */
};

struct call_plan;
typedef void (*enter_way_fn)(struct checks *c, struct acl_call_record *call, const struct call_plan *plan);
typedef void (*hooks_way_fn)(struct checks *c, struct acl_call_record *call, const check_hook_fn *hooks);

struct hook_list {
	hooks_way_fn way; /* how they are called */
	check_hook_fn hooks[]; /* ended by NULL */
};

/*
 * The hooks of a call.  Index 1: without those that have nothing to say of a call that is
 * plainly right (call->plain).
 */
struct call_hooks {
	_Alignas(64) const
		struct hook_list *enter; /* state first; where a hook decides of others: see steps */
	const struct hook_list *leave[2]; /* rules first */
	/* The same of enter for steps, and for calls that are not as most are. */
	const struct hook_list *enter_state, *enter_rules[2];
};
_Static_assert(
	sizeof(struct call_hooks) == ACL_OBJECT_SPECIAL, "the flag leads from the first to the second");

/* What is to be done in a call of a function. */
struct call_plan {
	/* Enter of most calls, in a cache line of its own. */
	_Alignas(64) enter_way_fn way; /* call_way.c */
	const struct call_handle *handles; /* behind them those that are rules only: see handle_evaluates() */
	uint64_t evaluated; /* what is evaluated when all handles are alive, and all of .set is */
	uint32_t counted; /* where the calls are counted: offset in struct coverage_counts */
	uint16_t inside; /* struct acl_thread.inside */
	uint8_t n_handles;
	uint8_t n_set, set[CALL_SET]; /* offsets of pointers that have to be set */
	bool destroys; /* one of the handles */
	bool steps; /* after the hooks of state more is known of the call: what it is, what it
		       evaluates; or constraints are evaluated that are more than .set */
	bool report; /* constraints of products are among them, and the product is known */
	unsigned (*constraints)(const void *args, const void *behind); /* NULL: those by .set are all, or a
									  hook evaluates them */
	struct call_hooks hooks[2]; /* of calls that are not special, see ACL_OBJECT_SPECIAL, and of those
				       that are; the same where none of the handles says which */
};
_Static_assert(sizeof(struct call_plan) == 192, "three cache lines and the size of a plan differ");

struct pointer_map;
struct site_table;

struct checks {
	/* Read by every call, written seldom. */
	struct checks_host host;
	_Atomic(const struct call_plan *) plans[ACL_API_COUNT]; /* the present ones: see plan_of() */
	_Atomic uint32_t conditions; /* bit n: enum check_when n has happened, and the present plans say so */
	struct list_builder *builder; /* and its lock, for plans */
	struct acl_lock builder_lock;
	struct rule_setting *settings; /* by rule index */
	_Atomic int target; /* enum acl_cann or CHECKS_TARGET_DOCUMENTS */
	_Atomic int runtime; /* enum acl_cann of the loaded one, -1 = unknown */
	bool target_auto, stacks_all;
	bool device0_known, device0_hidden; /* whether ASCEND_RT_VISIBLE_DEVICES names device 0 */
	const char *soc; /* product name, NULL = unknown */
	struct rare_hooks {
		check_hook_fn uninitialized, missing, default_stream, unsettled, misaligned, returned_error,
			suspected;
	} rare; /* see struct check_module */
	const check_hook_fn *failed[ACL_API_COUNT]; /* phase FAILED, ended by NULL */
	struct followed_kind {
		bool followed;
		int16_t use_rule, destroy_rule;
	} followed[ACL_HANDLE_COUNT]; /* see handles_follow() */
	struct handle_rule {
		uint16_t api, kind;
		int16_t rule;
	} handle_rules[HANDLE_RULES]; /* see handle_evaluates() */
	unsigned n_handle_rules;
	void *module_states[MODULE_COUNT]; /* see module_state() */
	struct module_slot {
		_Alignas(16) unsigned char bytes[16];
	} slots[MODULE_COUNT]; /* see module_slot() */
	/* aclInit was called, or that it is missing reported: every call asks, so it stands beside the plans.
	 */
	_Atomic bool inited;
	struct site_table *sites;
	struct coverage_counts *coverage_lost; /* of threads for which there was no memory: not read */
	_Atomic uint64_t *evaluated_at_end; /* by rule index: evaluated when the process ended */
	struct evaluated_by *evaluated_by; /* rules that every call of a function evaluates */
	int16_t stream_offset[ACL_API_COUNT],
		event_offset[ACL_API_COUNT]; /* of the handle in the arguments, -1 = none */
	struct acl_thread *threads; /* by pthread id; those in use, in the order of their first call: */
	_Atomic uint16_t *thread_places; /* index + 1 in threads, 0 = just being taken */
	_Atomic uint32_t n_threads;
	/* What references mean; the tables are made by the modules that fill them. */
	struct object_kind *kinds[OBJECT_KINDS]; /* by enum acl_handle */
	struct pointer_map *maps[MAP_COUNT]; /* of blocks, by enum map_id */
	_Atomic(struct pointer_map *) every_map; /* the last one made, the others by its member earlier */
	_Atomic(struct pointer_map *) declared; /* blocks that the program declared, NULL = never any */
	struct acl_block *variables; /* of devices, by number (state/variable_state.h) */
	/* Written by cold paths. */
	_Alignas(64) struct acl_lock alloc_lock;
	unsigned char *pool, *pool_end;
	struct pool_free *pool_free[POOL_SIZES];
	_Atomic uint64_t serials; /* of objects and blocks */
	_Atomic uint64_t finding_serials;
	_Atomic uint64_t evidence_ends[CHECKS_EVIDENCE_ENDS]; /* by enum checks_evidence_end */
	_Atomic bool starved; /* memory was refused: what is missing from a table proves nothing, and no rule
				 speaks */
	_Atomic bool degraded;
	_Atomic(const char *) degraded_text;
};

/* Memory that stays until checks_forget gives it back to the checker; zeroed; NULL: no rule speaks any more.
 */
void *checks_alloc(struct checks *c, size_t bytes);
/* The same for ever: a large piece is no larger than it has to be, which counts in limits of the process. */
void *checks_permanent(struct checks *c, size_t bytes);
void checks_forget(struct checks *c, void *p, size_t bytes);
/* A larger piece instead of p, that begins with what p (NULL: nothing) has; NULL: no memory, p stays. */
void *checks_alloc_more(struct checks *c, void *p, size_t bytes, size_t wanted);
void checks_degrade(struct checks *c, const char *text);

/* The product is one of a family ("950"); an unknown one is none. */
static inline bool soc_is(const struct checks *c, const char *family)
{
	return c->soc && strstr(c->soc, family);
}

/* aclInit was called, or that it is missing was reported: it is not checked again. What was known before. */
static inline bool checks_initialized(struct checks *c)
{
	return atomic_exchange(&c->inited, true);
}

/* What the module keeps: module_state(c, NAME), of the size that it says. */
#define module_state(c, name) ((c)->module_states[MODULE_##name])
/* What it keeps for hot calls: in the instance itself, where no pointer has to be followed; zeroed. */
#define module_slot(c, name, type)                                                                           \
	({                                                                                                   \
		_Static_assert(sizeof(type) <= sizeof(struct module_slot), "too large for a slot");          \
		(type *)(void *)&(c)->slots[MODULE_##name];                                                  \
	})

static inline struct acl_object *object_find(struct checks *c, unsigned kind, const void *value)
{
	return object_in(c->kinds[kind], value);
}

/* Whether there ever was an object of the kind; who got a handle of one sees it. */
static inline bool objects_any(const struct checks *c, unsigned kind)
{
	return c->kinds[kind] && load_relaxed(&c->kinds[kind]->count);
}

/* What a reference is of: an object's kind, or REF_… of a block. */
static inline unsigned ref_kind(acl_ref ref)
{
	return (unsigned)(ref >> 58);
}

/* The object a reference means, NULL when that generation is gone. */
static inline struct acl_object *object_of(struct checks *c, acl_ref ref)
{
	return object_of_kind(c->kinds[ref_kind(ref)], ref);
}

/* The stacks of hot calls are wanted. */
void object_used_closely(struct checks *c, struct acl_object *o, struct acl_call_record *call)
	__attribute__((cold));

/* A task uses the object: where, and more only when it is wanted. Best done last, so that nothing waits for
 * it. */
static inline void object_used(struct checks *c, struct acl_object *o, struct acl_call_record *call)
{
	call_site_set_where(&o->last_used, call);
	store_relaxed(&o->last_used.tid, call->tid);
	if (__builtin_expect(c->stacks_all, 0))
		object_used_closely(c, o, call);
}

/* The rule is decided by what the function returns, or those of an operation: each call evaluates it. */
void rule_evaluated_by(struct checks *c, const struct acl_rule *rule, unsigned api);
void rule_evaluated_by_operation(struct checks *c, const struct acl_rule *rule, unsigned operation);
bool coverage_create(struct checks *c);
void coverage_thread_begins(struct checks *c, struct acl_thread *t);
void coverage_forked(struct checks *c);
/* The call evaluates something else than the thread's last call of the function. */
void evaluated_changed(const struct checks *c, const struct acl_call_record *call) __attribute__((cold));
/* Whether target and product ask it at all (constraints.c). */
bool constraint_in_force(const struct checks *c, const struct acl_constraint *n);
/* Whether a constraint of the function that breaks the rule is in force. */
bool function_demands(const struct checks *c, unsigned api, const struct acl_rule *rule);
/* Names the constraint that a call breaks; behind: a copy of what its arguments point to, evaluated: what
 * acl_constraints_evaluate answered. */
void constraints_report(struct checks *c, struct acl_call_record *call, const void *behind,
	unsigned evaluated) __attribute__((cold));

/* Of functions that were not called yet: its way is to make the function's own, and to take the way of that.
 * Its hooks, none, are there with the first checker: as constants each would be a place to relocate at load.
 */
extern struct call_plan plan_unmade;
/* Cold: takes microseconds. plan_unmade: there is no memory. */
const struct call_plan *plan_make(struct checks *c, unsigned api) __attribute__((cold));

/* A program calls some of the functions: their plans are made when they are called. */
static inline const struct call_plan *plan_of(struct checks *c, unsigned api)
{
	const struct call_plan *plan = load_acquire(&c->plans[api]);

	return __builtin_expect(plan == &plan_unmade, 0) ? plan_make(c, api) : plan;
}

/*
 * In create: handles of a kind are looked up in every call that uses or destroys one.
 * The rules are those that a live one evaluates, NULL = none.
 */
void handles_follow(
	struct checks *c, unsigned kind, const struct acl_rule *of_use, const struct acl_rule *of_destroy);

/* In create: in a call of the function a live handle of the kind evaluates this rule as well. */
void handle_evaluates(struct checks *c, unsigned api, unsigned kind, const struct acl_rule *rule);

/* Whether something of this sort may happen where we do not see it. */
static inline bool other_submitters_possible(const struct checks *c, enum checks_other_submitter what)
{
	return !c->host.unseen || c->host.unseen(c->host.context, what);
}

/* The hooks that wait for it are called from now on. Cold: may take a tenth of a millisecond. */
void checks_condition_begins(struct checks *c, enum check_when what) __attribute__((cold));

/* Called before what the hooks look for can be seen. */
static inline void checks_when(struct checks *c, enum check_when what)
{
	if (!(load_acquire(&c->conditions) >> what & 1))
		checks_condition_begins(c, what);
}

/* Whether it has. */
static inline bool checks_happened(const struct checks *c, enum check_when what)
{
	return load_relaxed(&c->conditions) >> what & 1;
}

/* Releases (not) relaxed by the target: true when the checked runtime is at least this version. */
static inline bool target_at_least(const struct checks *c, enum acl_cann version)
{
	return load_relaxed(&c->target) >= (int)version;
}

/* The next thread that has made a call, beginning with *cursor 0; it may have ended. NULL: no more. */
static inline struct acl_thread *thread_next(const struct checks *c, uint32_t *cursor)
{
	while (*cursor < load_acquire(&((struct checks *)c)->n_threads)) {
		unsigned place = load_acquire(&c->thread_places[(*cursor)++]);

		if (place)
			return &c->threads[place - 1];
	}
	return NULL;
}

#define thread_each(c, t) for (uint32_t at_ = 0; ((t) = thread_next(c, &at_)) != NULL;)

/* The thread that makes the call, known from now on; NULL: too many. */
struct acl_thread *checks_thread(struct checks *c, struct acl_call_record *call);

/* 1 + enum acl_api of the call that another thread is in the middle of, 0 = of none. */
static inline unsigned thread_inside(const struct checks *c, struct acl_thread *t)
{
	unsigned inside = load_acquire(&t->inside);

	return c->host.inside ? c->host.inside(c->host.context, load_relaxed(&t->tid), inside) : inside;
}

static inline struct acl_thread *thread_of(const struct acl_call_record *call)
{
	return call->thread;
}

/* The function that launched or registered the callback the call comes from; ACL_API_COUNT = none or unknown.
 */
static inline unsigned callback_api(const struct acl_call_record *call)
{
	unsigned depth = call->callback_depth;

	if (!depth || depth > ACL_CALLBACKS || !load_relaxed(&thread_of(call)->callbacks[depth - 1]))
		return ACL_API_COUNT;
	return load_relaxed(&thread_of(call)->callbacks[depth - 1]) - 1u;
}

/* A count of the thread's calls, for distances between them. */
static inline uint64_t calls_so_far(const struct acl_call_record *call)
{
	return thread_of(call)->phase / 2;
}

/* Calls of the runtime itself are observed, never checked. */
static inline bool is_checked(const struct acl_call_record *call)
{
	return call->path != ACL_PATH_INSIDE;
}

/* What the call returned, for functions that return aclError: the low 32 bits count. */
static inline int32_t error_of(const struct acl_call_record *call)
{
	return (int32_t)call->result.i;
}

/* The host waited, and had a time limit that was over first. */
static inline bool time_was_over(const struct acl_call_record *call)
{
	return error_of(call) == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT ||
	       error_of(call) == ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
}

static inline bool succeeded(const struct acl_call_record *call)
{
	return error_of(call) == 0;
}

#endif
