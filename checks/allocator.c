/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own allocators: their descriptors, and the streams they are registered for. */
#include "checks/report.h"
#include "checks/state.h"

#define REGISTRATIONS 128

enum desc_part { DESC_OBJECT = 1, DESC_ALLOC = 2, DESC_FREE = 4, DESC_ADDRESS = 8, DESC_COMPLETE = 15 };

struct registration {
	_Atomic uint64_t stream, allocator; /* acl_ref, 0 = free; the program's pointer */
	struct moment made;
};

struct allocator_state {
	struct acl_lock lock;
	_Atomic bool full; /* a registration was not remembered: that one is missing proves nothing */
	_Atomic bool inherited;
	struct registration at[REGISTRATIONS];
};

static struct allocator_state *allocators(struct checks *c)
{
	return c->topic[TOPIC_ALLOCATORS];
}

/* --- descriptors ------------------------------------------------------------------------- */

static void desc_made(struct checks *c, struct acl_event *ev)
{
	if (ev->result.p)
		object_create(c, ev, ACL_HANDLE_ALLOCATOR_DESC, ev->result.p, 0);
}

static void part_set(struct checks *c, struct acl_event *ev)
{
	/* All begin with the descriptor and what is set. */
	const struct acl_args_aclrtAllocatorSetObjToDesc *a = ev->args;
	struct acl_object *desc = object_live(c, ACL_HANDLE_ALLOCATOR_DESC, a->allocatorDesc);
	unsigned part = ev->api == ACL_API_aclrtAllocatorSetObjToDesc         ? DESC_OBJECT
			: ev->api == ACL_API_aclrtAllocatorSetAllocFuncToDesc ? DESC_ALLOC
			: ev->api == ACL_API_aclrtAllocatorSetFreeFuncToDesc  ? DESC_FREE
									      : DESC_ADDRESS;

	if (!desc || !succeeded(ev))
		return;
	if (part == DESC_OBJECT)
		st(&desc_state(desc)->allocator, (uintptr_t)a->allocator);
	if (a->allocator)
		atomic_fetch_or(&desc_state(desc)->parts, part);
	else
		atomic_fetch_and(&desc_state(desc)->parts, ~part);
}

static void say_incomplete(struct checks *c, struct acl_event *ev, struct acl_object *desc, unsigned missing)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("allocator-register-args"), &room);

	if (!f)
		return;
	finding_detail(f, "The descriptor lacks%s%s%s%s.", missing & DESC_OBJECT ? " the allocator" : "",
		missing & DESC_ALLOC ? " the function that allocates" : "",
		missing & DESC_FREE ? " the function that frees" : "",
		missing & DESC_ADDRESS ? " the function that tells a block's address" : "");
	finding_object(c, f, "allocator descriptor", desc);
	finding_show(c, f);
}

/* --- registrations ------------------------------------------------------------------------ */

static struct registration *registration_of(struct checks *c, struct acl_object *stream)
{
	struct allocator_state *s = allocators(c);

	for (unsigned i = 0; stream && i < REGISTRATIONS; i++)
		if (ld_acquire(&s->at[i].stream) == object_ref(stream))
			return &s->at[i];
	return NULL;
}

static struct acl_object *stream_named(struct checks *c, const void *value)
{
	struct acl_object *s = value ? object_live(c, ACL_HANDLE_STREAM, value) : NULL;

	return s && !(ld(&s->flags) & ACL_OBJECT_LEARNED) ? s : NULL;
}

static void registering(struct checks *c, struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtAllocatorRegister)->allocatorDesc;
	struct acl_object *desc = value ? object_live(c, ACL_HANDLE_ALLOCATOR_DESC, value) : NULL;
	unsigned missing;

	if (!desc || ev->carry[CARRY_FINDING])
		return;
	missing = DESC_COMPLETE & ~ld(&desc_state(desc)->parts);
	if (rule_broken(ev, RULE("allocator-register-args"), missing))
		say_incomplete(c, ev, desc, missing);
}

/* Registering once more replaces. */
static void registered(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtAllocatorRegister *a = ev->args;
	struct acl_object *stream = stream_named(c, a->stream),
			  *desc = object_live(c, ACL_HANDLE_ALLOCATOR_DESC, a->allocatorDesc);
	struct allocator_state *s = allocators(c);
	struct registration *r;

	if (!stream || !succeeded(ev))
		return;
	lock(&s->lock);
	r = registration_of(c, stream);
	for (unsigned i = 0; !r && i < REGISTRATIONS; i++)
		if (!ld(&s->at[i].stream))
			r = &s->at[i];
	if (r) {
		moment_take(c, &r->made, ev, false);
		st(&r->allocator, desc ? ld(&desc_state(desc)->allocator) : 0);
		st_release(&r->stream, object_ref(stream));
	} else {
		st(&s->full, true);
	}
	unlock(&s->lock);
	checks_unusual(c);
}

static void unregistered(struct checks *c, struct acl_event *ev)
{
	struct registration *r =
		registration_of(c, stream_named(c, ACL_ARGS(ev, aclrtAllocatorUnregister)->stream));

	if (r && succeeded(ev))
		st(&r->stream, 0);
}

static void asked_for(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_named(c, ACL_ARGS(ev, aclrtAllocatorGetByStream)->stream);
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!s || ld(&allocators(c)->full) || ev->carry[CARRY_FINDING])
		return;
	if (!rule_broken(ev, RULE("allocator-not-unregistered"), !registration_of(c, s)))
		return;
	grade.severity = ACL_SEV_ERROR;
	f = finding_begin_as(c, ev, RULE("allocator-not-unregistered"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "No allocator is registered for the stream.");
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	struct registration *r;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!s || ld(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED))
		return;
	rule_asked(ev, RULE("allocator-not-unregistered"));
	r = registration_of(c, s);
	f = r && !ev->carry[CARRY_FINDING] ? finding_begin(c, ev, RULE("allocator-not-unregistered"), &room)
					   : NULL;
	if (!f)
		return;
	finding_detail(f, "The runtime keeps the allocator under the stream's address, which the next stream "
			  "may have again.");
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void destroyed(struct checks *c, struct acl_event *ev)
{
	struct registration *r = succeeded(ev) ? registration_of(c, stream_of(ev)) : NULL;

	if (r)
		st(&r->stream, 0);
}

/* --- one allocator, two streams --------------------------------------------------------------- */

/* Another stream with the same allocator whose work may not be done when the work of this one begins. */
static struct acl_object *rival(struct checks *c, struct acl_object *stream, const struct registration *mine)
{
	struct allocator_state *a = allocators(c);

	for (unsigned i = 0; i < REGISTRATIONS; i++) {
		struct acl_object *s = object_of(c, ld_acquire(&a->at[i].stream));
		uint64_t work;

		if (!s || s == stream || !object_usable(s) || ld(&a->at[i].allocator) != ld(&mine->allocator))
			continue;
		work = ld_acquire(&stream_state(s)->work);
		if (work && stream_pending(s, work) && !stream_waits_on(stream, s, work))
			return s;
	}
	return NULL;
}

/* Kernels and models are what asks an allocator for memory. */
static void executing(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev), *other;
	struct registration *mine = registration_of(c, s);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!mine || !ld(&mine->allocator) || ev->carry[CARRY_CAPTURE] || ld(&c->callbacks_ran))
		return;
	rule_asked(ev, RULE("allocator-shared-streams"));
	other = rival(c, s, mine);
	f = other && !ev->carry[CARRY_FINDING] ? finding_begin(c, ev, RULE("allocator-shared-streams"), &room)
					       : NULL;
	if (!f)
		return;
	finding_detail(f, "The allocator serves another stream as well, and nothing shows that the work on "
			  "that one is done.");
	finding_object(c, f, "stream", s);
	finding_object(c, f, "other stream", other);
	finding_show(c, f);
}

/* -------------------------------------------------------------------------------------------------- */

static void allocator_finish(struct checks *c, enum checks_end kind)
{
	struct allocator_state *s = allocators(c);
	struct finding_grade grade = GRADE_TABLE;
	struct acl_object *left[ACL_FINDING_OBJECTS];
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned n = 0;

	for (unsigned i = 0; i < REGISTRATIONS && kind == CHECKS_END_EXIT && !ld(&s->inherited); i++) {
		/* Also of streams that went with their context. */
		if (!ld_acquire(&s->at[i].stream))
			continue;
		if (!n)
			grade.caller = ld(&s->at[i].made.caller);
		if (n < ACL_FINDING_OBJECTS)
			left[n] = object_of(c, ld(&s->at[i].stream));
		n++;
	}
	if (kind == CHECKS_END_EXIT)
		rule_asked_at_end(c, RULE("allocator-not-unregistered"));
	grade.site = 1;
	f = n ? finding_begin_as(c, NULL, RULE("allocator-not-unregistered"), grade, &room) : NULL;
	if (!f)
		return;
	finding_detail(f, "Allocators are still registered for %u stream%s.", n, n == 1 ? "" : "s");
	finding_uint(f, "streams", n);
	for (unsigned i = 0; i < n && i < ACL_FINDING_OBJECTS; i++)
		finding_object(c, f, "stream", left[i]);
	finding_show(c, f);
}

static void allocator_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (acl_apis[api].mode == ACL_MODE_ASYNC && !(acl_apis[api].classes & ACL_CLASS_CALLBACK) &&
			acl_apis[api].classes & (ACL_CLASS_KERNEL | ACL_CLASS_MODEL))
			add(binder, api, ACL_ENTER | ACL_UNUSUAL, executing);
}

static bool allocator_create(struct checks *c)
{
	c->topic[TOPIC_ALLOCATORS] = checks_alloc(c, sizeof(struct allocator_state));
	return c->topic[TOPIC_ALLOCATORS] != NULL;
}

static void allocator_forked(struct checks *c)
{
	st(&allocators(c)->lock.held, 0);
	st(&allocators(c)->inherited, true);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtAllocatorCreateDesc, ACL_LEAVE, desc_made},
	{ACL_API_aclrtAllocatorSetObjToDesc, ACL_LEAVE, part_set},
	{ACL_API_aclrtAllocatorSetAllocFuncToDesc, ACL_LEAVE, part_set},
	{ACL_API_aclrtAllocatorSetFreeFuncToDesc, ACL_LEAVE, part_set},
	{ACL_API_aclrtAllocatorSetGetAddrFromBlockFuncToDesc, ACL_LEAVE, part_set},
	{ACL_API_aclrtAllocatorRegister, ACL_ENTER, registering},
	{ACL_API_aclrtAllocatorRegister, ACL_LEAVE, registered},
	{ACL_API_aclrtAllocatorUnregister, ACL_LEAVE, unregistered},
	{ACL_API_aclrtAllocatorGetByStream, ACL_ENTER, asked_for},
	{ACL_API_aclrtDestroyStream, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStream, ACL_LEAVE, destroyed},
	{ACL_API_aclrtDestroyStreamForce, ACL_ENTER, destroying},
	{ACL_API_aclrtDestroyStreamForce, ACL_LEAVE, destroyed},
};

const struct acl_topic topic_allocator = {
	.name = "allocators",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = allocator_bind,
	.create = allocator_create,
	.finish = allocator_finish,
	.forked = allocator_forked,
};
