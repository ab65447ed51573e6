/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handles: used after their destruction, destroyed twice, of another kind, or
 * left behind by a failed create.  Which parameter is a handle of which kind
 * is the model's word; a handle whose creation was not seen is silent.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/rules/process/handle_kind.h"
#include "checks/state/binding_state.h"
#include "checks/state/event_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_state.h"

/* A handle that the state of its kind has looked up already. */
enum known_handle { KNOWN_NOT, KNOWN_STREAM, KNOWN_EVENT };

struct handle_use {
	uint16_t offset;
	uint8_t kind; /* enum acl_handle */
	bool destroys;
	uint8_t known; /* enum known_handle */
	int16_t rule; /* index of the rule about destroyed ones, -1 = none */
	const char *name;
};

#define USES 640

/* Filled from the model when the check module is bound. */
static struct handle_use uses[USES];
static struct {
	uint16_t first, count;
} uses_of[ACL_API_COUNT];

/* What a failed create left in its output variable. */
#define LEFTOVERS 64

struct leftover {
	_Atomic uint64_t value, pthread_id;
	_Atomic uint8_t kind;
	struct call_site_slot failed;
};

struct handles_state {
	struct leftover left[LEFTOVERS];
	_Atomic uint32_t at, used;
	struct value_table given; /* key of thread and depth -> the stream that a callback on it was given */
	struct value_table
		answers; /* key of kind and handle -> 1: a query was answered with it, or it was reported */
	struct value_table opaque; /* key of kind and handle -> 1: looked at, and no variable of a handle */
};

/* --- destroyed ---------------------------------------------------------------------- */

static const struct acl_rule *destroyed_rule(unsigned kind, bool destroys)
{
	switch (kind) {
	case ACL_HANDLE_STREAM:
		return destroys ? RULE("stream-double-destroy") : RULE("stream-destroyed-handle");
	case ACL_HANDLE_EVENT:
		return RULE("event-destroyed-handle");
	case ACL_HANDLE_MODEL:
		return RULE("mdlri-use-after-destroy");
	case ACL_HANDLE_CONTEXT:
		return destroys ? RULE("context-double-destroy") : RULE("context-set-destroyed");
	case ACL_HANDLE_NOTIFY:
	case ACL_HANDLE_CNT_NOTIFY:
		return RULE("notify-destroyed-use");
	case ACL_HANDLE_BINARY:
		return RULE("kernel-binary-double-unload");
	case ACL_HANDLE_POOL:
		return RULE("pool-use-after-destroy");
	case ACL_HANDLE_ALLOCATOR_DESC:
		return RULE("allocator-desc-lifetime");
	case ACL_HANDLE_MBUF:
		return RULE("leak-mbuf");
	case ACL_HANDLE_LABEL:
		return RULE("label-destroy-order");
	case ACL_HANDLE_LABEL_LIST:
		return RULE("label-list-args");
	default:
		return NULL;
	}
}

/* A reset takes the streams of the default context along; to destroy them after it comes late and harms
 * nothing. */
static bool went_with_reset(struct checks *c, struct acl_object *o)
{
	struct acl_object *context = object_of(c, load_relaxed(&o->context));

	return o->kind == ACL_HANDLE_STREAM && load_relaxed(&o->flags) & ACL_OBJECT_BY_OWNER && context &&
	       load_relaxed(&context->flags) & ACL_OBJECT_DEFAULT;
}

/* What the runtime refuses of an object that a reset took along harms nothing while the process ends; of a
 * model or an event it may crash. */
static bool refused_at_most(struct acl_object *o)
{
	return load_relaxed(&o->flags) & ACL_OBJECT_BY_OWNER &&
	       (o->kind == ACL_HANDLE_STREAM || o->kind == ACL_HANDLE_CONTEXT);
}

/* How it came that the object is not alive, with its kind to fill in. */
static const char *handle_end_of(struct acl_object *o)
{
	if (load_relaxed(&o->state) == ACL_OBJECT_DESTROYING)
		return "Another thread destroys this %s right now.";
	return load_relaxed(&o->flags) & ACL_OBJECT_BY_OWNER
		       ? "This %s was gone already: it went with its context or device."
		       : "This %s was destroyed before.";
}

/* A known handle of the right kind: whether it is alive is the question. */
static void destroyed_evaluated(const struct acl_call_record *call, const struct handle_use *use)
{
	if (use->rule >= 0)
		rule_evaluated(call, &acl_rules[use->rule]);
}

static void report_destroyed(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, struct acl_object *o)
{
	const char *kind = acl_handle_names[o->kind];

	if (use->destroys && went_with_reset(c, o))
		return;
	/* A queue may have handed the buffer out again. */
	if (o->kind == ACL_HANDLE_MBUF && other_submitters_possible(c, CHECKS_OTHER_QUEUES))
		return;
	FINDING_BROKEN(c, call, destroyed_rule(o->kind, use->destroys),
		PARTS(o->kind == ACL_HANDLE_MBUF ? part_severity(ACL_SEV_ERROR) : part_none(),
			refused_at_most(o) ? part_late(call) : part_none(),
			part_handle(use->name, load_relaxed(&o->value)), part_object(kind, o)),
		handle_end_of(o), kind);
}

/* The streams of a captured model go with it. */
static bool went_with_model(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	struct acl_object *model = use->kind == ACL_HANDLE_STREAM ? stream_owner(c, value) : NULL;

	if (!model)
		return false;
	destroyed_evaluated(call, use);
	if (object_usable(model))
		return false;
	FINDING_BROKEN(c, call, destroyed_rule(use->kind, use->destroys),
		PARTS(part_handle(use->name, (uintptr_t)value), part_object("model", model)),
		"The model of this stream is gone, and the stream with it.");
	return true;
}

/* --- never alive ---------------------------------------------------------------------- */

static void report_leftover(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, struct leftover *l)
{
	FINDING_BROKEN(c, call, RULE("failed-create-output-used"),
		PARTS(part_handle(use->name, load_relaxed(&l->value)),
			part_output_of(call_site_api(&l->failed))),
		"%s was never made: the call that should have made it failed on this thread.", use->name);
}

static struct leftover *leftover_find(
	struct checks *c, const struct acl_call_record *call, unsigned kind, uint64_t value)
{
	struct handles_state *s = module_state(c, handles);

	if (!load_relaxed(&s->used))
		return NULL;
	for (unsigned i = 0; i < LEFTOVERS; i++)
		if (load_relaxed(&s->left[i].value) == value && load_relaxed(&s->left[i].kind) == kind &&
			load_relaxed(&s->left[i].pthread_id) == call->pthread_id)
			return &s->left[i];
	return NULL;
}

/* For those who know that no handles are made behind our back; each is reported once. */
static void check_unknown(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	struct handles_state *s = module_state(c, handles);
	uint64_t key = key_of_two(use->kind, (uintptr_t)value);

	if (!rule_wanted(c, RULE("handle-unknown")) || !is_checked(call))
		return;
	if (FINDING(c, call, "handle-unknown", !value_table_value(&s->answers, key), NO_PARTS,
		    "%s is %p: no call that was seen has made or answered with a %s of this value.",
		    use->name, value, acl_handle_names[use->kind]))
		value_table_set(c, &s->answers, key, 1);
}

static const void *counter_of(const struct acl_call_record *call, const struct acl_param *p)
{
	const void *at;

	memcpy(&at, (const char *)call->args + p->offset, sizeof(at));
	return at;
}

/* Handles that the runtime itself gives, one or as many as a counter says. */
static void answered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_api_info *api = &acl_apis[call->api];
	struct handles_state *s = module_state(c, handles);

	if (!rule_wanted(c, RULE("handle-unknown")) || !succeeded(call))
		return;
	for (unsigned i = 0; i < api->n_params; i++) {
		const struct acl_param *p = &acl_params(api)[i];
		const void *const *out, *const *at;
		struct program_array values;
		uint32_t n = 1;

		if (p->life != ACL_LIFE_GET)
			continue;
		memcpy(&out, (const char *)call->args + p->offset, sizeof(out));
		if (p->count >= 0 &&
			!program_read(c, counter_of(call, &acl_params(api)[p->count]), &n, sizeof(n)))
			continue;
		program_array_open(&values, c, out, sizeof(*out), n);
		for (uint32_t k = 0; (at = program_array_at(&values, k)) != NULL; k++)
			if (*at)
				value_table_set(c, &s->answers, key_of_two(p->handle, (uintptr_t)*at), 1);
	}
}

#define NO_PAGE 4096 /* nothing is ever mapped below */

/* The live handle that this is the lower half of, as what passes an int of 32 bits leaves it. */
static struct acl_object *whole_handle(struct checks *c, unsigned kind, const void *value)
{
	struct acl_object *o;

	if (is_half_address((uintptr_t)value))
		object_each(c, kind, o) if (object_usable(o) && (uint32_t)load_relaxed(&o->value) ==
									(uint32_t)(uintptr_t)value) return o;
	return NULL;
}

/* The runtime puts none of its objects into what it gave the program. */
static bool is_memory(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	struct block_lookup place;

	if (!map_find(memory_blocks(c), (uintptr_t)value, &place) ||
		(place.kind != MEM_DEVICE && place.kind != MEM_HOST))
		return false;
	FINDING_BROKEN(c, call, RULE("handle-type-mismatch"),
		PARTS(part_handle(use->name, (uintptr_t)value), part_block("memory", place.block)),
		"%s must be a handle of kind %s, this is an address in %s.", use->name,
		acl_handle_names[use->kind], memory_kind_name(place.kind));
	return true;
}

/*
 * Handles are addresses of objects of the runtime.  C takes any pointer for one, so also that of the
 * variable, and other interfaces have small numbers in their place.
 */
static bool no_handle(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	struct handles_state *s = module_state(c, handles);
	uint64_t key = key_of_two(use->kind, (uintptr_t)value);
	struct acl_object *o;

	if ((uintptr_t)value < NO_PAGE) {
		FINDING_BROKEN(c, call, RULE("handle-type-mismatch"),
			PARTS(part_handle(use->name, (uintptr_t)value)),
			"%s must be a handle of kind %s, this is a number.", use->name,
			acl_handle_names[use->kind]);
		return true;
	}
	if (value_table_value(&s->opaque, key))
		return false;
	o = whole_handle(c, use->kind, value);
	if (o) {
		FINDING_BROKEN(c, call, RULE("handle-type-mismatch"),
			PARTS(part_handle(use->name, (uintptr_t)value),
				part_object(acl_handle_names[o->kind], o)),
			"%s is the lower half of a handle: it was passed as a number of 32 bits.", use->name);
		return true;
	}
	if (is_memory(c, call, use, value))
		return true;
	o = object_find(c, use->kind, program_pointer(c, value));
	if (o && load_relaxed(&o->state) == ACL_OBJECT_LIVE) {
		FINDING_BROKEN(c, call, RULE("handle-type-mismatch"),
			PARTS(part_handle(use->name, (uintptr_t)value),
				part_object(acl_handle_names[o->kind], o)),
			"%s is the address of a variable that holds a handle of kind %s, not the handle.",
			use->name, acl_handle_names[use->kind]);
		return true;
	}
	value_table_set(c, &s->opaque, key, 1);
	return false;
}

bool handle_of_another_kind(
	struct checks *c, struct acl_call_record *call, unsigned kind, const char *name, const void *value)
{
	static const uint8_t others[] = {ACL_HANDLE_STREAM, ACL_HANDLE_EVENT, ACL_HANDLE_NOTIFY,
		ACL_HANDLE_CNT_NOTIFY, ACL_HANDLE_LABEL, ACL_HANDLE_CONTEXT, ACL_HANDLE_MODEL,
		ACL_HANDLE_BINARY, ACL_HANDLE_FUNCTION};

	for (size_t i = 0; i < sizeof(others); i++) {
		struct acl_object *o = others[i] == kind ? NULL : object_find(c, others[i], value);

		if (!o || load_relaxed(&o->state) != ACL_OBJECT_LIVE)
			continue;
		FINDING_BROKEN(c, call, RULE("handle-type-mismatch"),
			PARTS(part_object(acl_handle_names[o->kind], o)),
			"%s must be a handle of kind %s, not %s.", name, acl_handle_names[kind],
			acl_handle_names[o->kind]);
		return true;
	}
	return false;
}

/* No object of the wanted kind ever had this value. */
static void unknown_handle(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	static const uint8_t looked_at[] = {ACL_HANDLE_STREAM, ACL_HANDLE_EVENT, ACL_HANDLE_NOTIFY,
		ACL_HANDLE_CNT_NOTIFY, ACL_HANDLE_LABEL, ACL_HANDLE_CONTEXT, ACL_HANDLE_MODEL};
	struct leftover *l = leftover_find(c, call, use->kind, (uintptr_t)value);

	if (went_with_model(c, call, use, value))
		return;
	if (l) {
		report_leftover(c, call, use, l);
		return;
	}
	if (handle_of_another_kind(c, call, use->kind, use->name, value))
		return;
	if (memchr(looked_at, use->kind, sizeof(looked_at)) && no_handle(c, call, use, value))
		return;
	check_unknown(c, call, use, value);
}

/* --- every handle of a call, when one is not simply alive
 * ------------------------------------------------------------ */

/* A stream is given to these callbacks when it was just made and before it goes, within the call that does
 * it: the handle is alive there, whatever had its value before. */
static bool given_to_callback(
	struct checks *c, const struct acl_call_record *call, const struct acl_object *o)
{
	struct handles_state *s = module_state(c, handles);
	unsigned api = callback_api(call);

	if (api == ACL_API_COUNT)
		return false;
	switch (acl_apis[api].operation) {
	case ACL_OP_CALLBACK_REGISTER_STREAM_STATE:
		return o->kind == ACL_HANDLE_STREAM &&
		       value_table_value(&s->given, key_of_two(call->by.tid, call->callback_depth)) ==
			       load_relaxed(&o->value);
	case ACL_OP_CALLBACK_REGISTER_DEVICE_STATE: /* the reset takes its streams along */
		return load_relaxed(&o->state) == ACL_OBJECT_DESTROYING;
	}
	return false;
}

static __attribute__((noinline)) void check_handle(
	struct checks *c, struct acl_call_record *call, const struct handle_use *use, const void *value)
{
	struct acl_object *o = object_find(c, use->kind, value);

	if (!o) {
		unknown_handle(c, call, use, value);
		return;
	}
	destroyed_evaluated(call, use);
	if (load_acquire(&o->state) == ACL_OBJECT_LIVE ||
		(load_relaxed(&o->state) == ACL_OBJECT_DESTROYING && call->state.destroying == object_ref(o)))
		return;
	if (!given_to_callback(c, call, o))
		report_destroyed(c, call, use, o);
}

static void check_handles(struct checks *c, struct acl_call_record *call)
{
	const struct handle_use *use = &uses[uses_of[call->api].first], *end = use + uses_of[call->api].count;

	for (; use < end; use++) {
		struct acl_object *o;
		const void *value;

		memcpy(&value, (const char *)call->args + use->offset, sizeof(value));
		o = use->known == KNOWN_STREAM  ? stream_of(call)
		    : use->known == KNOWN_EVENT ? event_of(call)
						: NULL;
		if (__builtin_expect(o && load_relaxed(&o->value) == (uintptr_t)value &&
					     load_acquire(&o->state) == ACL_OBJECT_LIVE,
			    1)) {
			destroyed_evaluated(call, use);
			continue;
		}
		if (value)
			check_handle(c, call, use, value);
	}
}

static void create_failed(struct checks *c, struct acl_call_record *call)
{
	const struct acl_api_info *api = &acl_apis[call->api];
	struct handles_state *s = module_state(c, handles);

	if (succeeded(call) || !is_checked(call))
		return;
	rule_evaluated(call, RULE("failed-create-output-used"));
	for (unsigned i = 0; i < api->n_params; i++) {
		const struct acl_param *p = &acl_params(api)[i];
		const uint64_t *const *out = (const uint64_t *const *)((const char *)call->args + p->offset);
		struct leftover *l;
		uint64_t left;

		if (p->life != ACL_LIFE_CREATE || p->dir == ACL_DIR_IN ||
			!program_read(c, *out, &left, sizeof(left)) || left <= 1)
			continue;
		/* The variable may still hold a live handle of an earlier create. */
		if (object_live(c, p->handle, (const void *)(uintptr_t)left))
			continue;
		l = &s->left[counter_inc(&s->at) % LEFTOVERS];
		store_relaxed(&l->value, 0);
		store_relaxed(&l->kind, p->handle);
		store_relaxed(&l->pthread_id, call->pthread_id);
		call_site_take(c, &l->failed, call, false);
		store_release(&l->value, left);
		store_relaxed(&s->used, 1);
	}
}

/* --- binding ------------------------------------------------------------------------------ */

static bool followed(unsigned kind)
{
	switch (kind) {
	case ACL_HANDLE_STREAM:
	case ACL_HANDLE_EVENT:
	case ACL_HANDLE_MODEL:
	case ACL_HANDLE_CONTEXT:
	case ACL_HANDLE_NOTIFY:
	case ACL_HANDLE_CNT_NOTIFY:
	case ACL_HANDLE_LABEL:
	case ACL_HANDLE_LABEL_LIST:
	case ACL_HANDLE_BINARY:
	case ACL_HANDLE_POOL:
	case ACL_HANDLE_ALLOCATOR_DESC:
	case ACL_HANDLE_MBUF:
		return true;
	}
	return false;
}

static uint8_t looked_up(const struct checks *c, unsigned api, const struct acl_param *p)
{
	if (p->handle == ACL_HANDLE_STREAM && c->stream_offset[api] == p->offset)
		return KNOWN_STREAM;
	return p->handle == ACL_HANDLE_EVENT && c->event_offset[api] == p->offset ? KNOWN_EVENT : KNOWN_NOT;
}

static void uses_collect(const struct checks *c)
{
	uint16_t n = 0;

	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		const struct acl_api_info *info = &acl_apis[api];

		uses_of[api].first = n;
		for (unsigned i = 0; i < info->n_params && n < USES; i++) {
			const struct acl_param *p = &acl_params(info)[i];
			const struct acl_rule *rule;

			if (!followed(p->handle) || p->dir != ACL_DIR_IN || p->kind != ACL_KIND_HANDLE ||
				(p->life != ACL_LIFE_USE && p->life != ACL_LIFE_DESTROY))
				continue;
			rule = destroyed_rule(p->handle, p->life == ACL_LIFE_DESTROY);
			uses[n++] = (struct handle_use){p->offset, p->handle, p->life == ACL_LIFE_DESTROY,
				looked_up(c, api, p), rule ? (int16_t)rule->index : -1, p->name};
		}
		uses_of[api].count = (uint16_t)(n - uses_of[api].first);
	}
}

static bool creates(unsigned api)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_params(&acl_apis[api])[i].life == ACL_LIFE_CREATE &&
			followed(acl_params(&acl_apis[api])[i].handle))
			return true;
	return false;
}

static bool answers(unsigned api)
{
	for (unsigned i = 0; i < acl_apis[api].n_params; i++)
		if (acl_params(&acl_apis[api])[i].life == ACL_LIFE_GET &&
			followed(acl_params(&acl_apis[api])[i].handle))
			return true;
	return false;
}

static void handles_bind(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++) {
		if (creates(api))
			add(binder, api, ACL_LEAVE, create_failed);
		if (answers(api))
			add(binder, api, ACL_LEAVE, answered);
	}
}

/* Functions are looked at where kernels are launched, see handle_kind.h. */
static bool takes_function(unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];

	return info->n_params && acl_params(info)->role == ACL_ROLE_FUNCTION &&
	       acl_params(info)->dir == ACL_DIR_IN;
}

static bool handles_create(struct checks *c)
{
	for (unsigned kind = 0; kind < ACL_HANDLE_COUNT; kind++)
		if (followed(kind))
			handles_follow(c, kind, destroyed_rule(kind, false), destroyed_rule(kind, true));
	uses_collect(c);
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (uses_of[api].count || takes_function(api))
			rule_evaluated_by(c, RULE("handle-type-mismatch"), api);
	return true;
}

/* The calls of the parent that failed are its own. */
static void handles_forked(struct checks *c)
{
	struct handles_state *s = module_state(c, handles);

	for (unsigned i = 0; i < LEFTOVERS; i++)
		store_relaxed(&s->left[i].value, 0);
}

static void stream_given(
	struct checks *c, const struct acl_call_record *outer, const void *argument, bool begins)
{
	struct handles_state *s = module_state(c, handles);

	if (acl_apis[outer->api].operation == ACL_OP_CALLBACK_REGISTER_STREAM_STATE)
		value_table_set(c, &s->given, key_of_two(outer->by.tid, outer->callback_depth),
			begins ? (uintptr_t)argument : 0);
}

const struct check_module module_handles = {
	.callback = stream_given,
	.bind = handles_bind,
	.state_size = sizeof(struct handles_state),
	.create = handles_create,
	.unsettled = check_handles,
	.forked = handles_forked,
};
