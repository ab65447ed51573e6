/* SPDX-License-Identifier: Apache-2.0 */
/* The program's own allocators: their descriptors, and the streams they are registered for. */
#include "checks/engine/finding_statement.h"
#include "checks/state/allocator_state.h"
#include "checks/state/init_state.h"
#include "checks/state/order_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define REGISTRATIONS 128

struct registration {
	_Atomic uint64_t position; /* on its stream: of the last task that may use memory of the allocator */
	_Atomic uint64_t stream, allocator; /* acl_ref, 0 = free; the program's pointer */
	struct call_site_slot made;
};

struct allocator_state {
	struct acl_lock lock;
	_Atomic bool full; /* a registration was not remembered: that one is missing proves nothing */
	_Atomic bool inherited;
	struct registration at[REGISTRATIONS];
};

static struct allocator_state *allocators(struct checks *c)
{
	return module_state(c, allocator);
}

/* --- registrations ------------------------------------------------------------------------ */

static struct registration *registration_of(struct checks *c, struct acl_object *stream)
{
	struct allocator_state *s = allocators(c);

	for (unsigned i = 0; stream && i < REGISTRATIONS; i++)
		if (load_acquire(&s->at[i].stream) == object_ref(stream))
			return &s->at[i];
	return NULL;
}

static struct acl_object *stream_named(struct checks *c, const void *value)
{
	struct acl_object *s = value ? object_live(c, ACL_HANDLE_STREAM, value) : NULL;

	return s && !(load_relaxed(&s->flags) & ACL_OBJECT_LEARNED) ? s : NULL;
}

static void allocator_register_enter(struct checks *c, struct acl_call_record *call)
{
	const void *value = ACL_ARGS(call, aclrtAllocatorRegister)->allocatorDesc;
	struct acl_object *desc = value ? object_live(c, ACL_HANDLE_ALLOCATOR_DESC, value) : NULL;
	unsigned missing;

	if (!desc)
		return;
	missing = ALLOCATOR_COMPLETE & ~load_relaxed(&allocator_desc_state(desc)->parts);
	FINDING(c, call, "allocator-register-args", missing, PARTS(part_object("allocator descriptor", desc)),
		"The descriptor lacks%s%s%s%s.", missing & ALLOCATOR_OBJECT ? " the allocator" : "",
		missing & ALLOCATOR_ALLOCATE ? " the function that allocates" : "",
		missing & ALLOCATOR_FREE ? " the function that frees" : "",
		missing & ALLOCATOR_ADDRESS ? " the function that returns a block's address" : "");
}

/* Registering once more replaces. */
static void allocator_register_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtAllocatorRegister *a = call->args;
	struct acl_object *stream = stream_named(c, a->stream),
			  *desc = object_live(c, ACL_HANDLE_ALLOCATOR_DESC, a->allocatorDesc);
	struct allocator_state *s = allocators(c);
	struct registration *r;

	if (!stream || !succeeded(call))
		return;
	lock(&s->lock);
	r = registration_of(c, stream);
	for (unsigned i = 0; !r && i < REGISTRATIONS; i++)
		if (!load_relaxed(&s->at[i].stream))
			r = &s->at[i];
	if (r) {
		call_site_take(c, &r->made, call, false);
		store_relaxed(&r->position, 0);
		store_relaxed(&r->allocator, desc ? load_relaxed(&allocator_desc_state(desc)->allocator) : 0);
		store_release(&r->stream, object_ref(stream));
	} else {
		store_relaxed(&s->full, true);
	}
	unlock(&s->lock);
	if (!r)
		checks_degrade(c, "more registered allocators than the checker follows");
	checks_when(c, WHEN_ALLOCATOR);
}

static void unregistered(struct checks *c, struct acl_call_record *call)
{
	struct registration *r =
		registration_of(c, stream_named(c, ACL_ARGS(call, aclrtAllocatorUnregister)->stream));

	if (r && succeeded(call))
		store_relaxed(&r->stream, 0);
}

static void asked_for(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_named(c, ACL_ARGS(call, aclrtAllocatorGetByStream)->stream);

	if (s && !load_relaxed(&allocators(c)->full))
		FINDING(c, call, "allocator-not-unregistered", !registration_of(c, s),
			PARTS(part_severity(ACL_SEV_ERROR), part_object("stream", s)),
			"No allocator is registered for the stream.");
}

static void allocator_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);

	if (s && !(load_relaxed(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)))
		FINDING(c, call, "allocator-not-unregistered", registration_of(c, s),
			PARTS(part_object("stream", s)),
			"The runtime keeps the allocator under the stream's address, which the next stream "
			"may have again.");
}

static void allocator_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct registration *r = succeeded(call) ? registration_of(c, stream_of(call)) : NULL;

	if (r)
		store_relaxed(&r->stream, 0);
}

/* --- one allocator, two streams --------------------------------------------------------------- */

/* Another stream with the same allocator whose work may not be done when the work of this one begins. */
static struct acl_object *rival(struct checks *c, struct acl_object *stream, const struct registration *mine)
{
	struct allocator_state *a = allocators(c);

	for (unsigned i = 0; i < REGISTRATIONS; i++) {
		struct acl_object *s = object_of(c, load_acquire(&a->at[i].stream));
		uint64_t work;

		if (!s || s == stream || !object_usable(s) ||
			load_relaxed(&a->at[i].allocator) != load_relaxed(&mine->allocator))
			continue;
		work = load_acquire(&a->at[i].position);
		if (work && stream_pending(s, work) && !host_may_be_informed(c, s, work) &&
			!stream_waits_on(c, stream, s, work))
			return s;
	}
	return NULL;
}

/* Operators and offline models are what takes memory of an allocator; launches and captured models bring
 * theirs. */
static void execute_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *other;
	struct registration *mine = registration_of(c, s);

	if (!mine || !load_relaxed(&mine->allocator) || call->state.capture)
		return;
	store_release(&mine->position, call->state.position);
	other = rival(c, s, mine);
	FINDING(c, call, "allocator-shared-streams", other,
		PARTS(part_object("stream", s), part_object("other stream", other)),
		"The allocator serves another stream as well, and nothing shows that the work on that one is "
		"done.");
}

/* -------------------------------------------------------------------------------------------------- */

static void allocator_finish(struct checks *c, enum checks_end kind)
{
	struct allocator_state *s = allocators(c);
	struct acl_object *left[ACL_FINDING_OBJECTS] = {NULL};
	bool whole = end_is_whole(c, kind);
	uint64_t caller = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < REGISTRATIONS && whole && !load_relaxed(&s->inherited); i++) {
		/* Also of streams that went with their context. */
		if (!load_acquire(&s->at[i].stream))
			continue;
		if (!n)
			caller = call_site_caller(&s->at[i].made);
		if (n < ACL_FINDING_OBJECTS)
			left[n] = object_of(c, load_relaxed(&s->at[i].stream));
		n++;
	}
	if (whole)
		FINDING(c, NULL, "allocator-not-unregistered", n,
			PARTS(part_site(1), part_caller(caller), part_uint("streams", n),
				part_object("stream", left[0]), part_object("stream", left[1]),
				part_object("stream", left[2]), part_object("stream", left[3])),
			"Allocators are still registered for %u stream%s.", n, n == 1 ? "" : "s");
}

static void allocator_forked(struct checks *c)
{
	store_relaxed(&allocators(c)->inherited, true);
}

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_OFFLINE_MODEL), ACL_ENTER | ACL_WHEN(ALLOCATOR), execute_enter},
	{ON_OP(EXECUTE_OPERATOR), ACL_ENTER | ACL_WHEN(ALLOCATOR), execute_enter},
	{ON_OP(ALLOCATOR_REGISTER), ACL_ENTER, allocator_register_enter},
	{ON_OP(ALLOCATOR_REGISTER), ACL_LEAVE, allocator_register_leave},
	{ON_OP(ALLOCATOR_UNREGISTER), ACL_LEAVE, unregistered},
	{ON_OP(INFO_STREAM_ALLOCATOR), ACL_ENTER, asked_for},
	{ON_OP(DESTROY_STREAM), ACL_ENTER, allocator_destroy_enter},
	{ON_OP(DESTROY_STREAM), ACL_LEAVE, allocator_destroy_leave},
};

const struct check_module module_allocator = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct allocator_state),
	.finish = allocator_finish,
	.forked = allocator_forked,
};
