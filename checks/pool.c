/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory pools: which memory is whose, what was given back on which stream.
 * Comes before the memory topic, so that in leave its blocks are there.
 */
#include "checks/report.h"
#include "checks/state.h"

#define SMALL (256u << 10) /* the runtime rounds up to 2 MiB */
#define MANY 32
#define POOL_OP_INVALID 507000

void pool_born(const struct acl_event *ev, struct acl_object *o)
{
	const aclrtMemPoolProps *props = ACL_ARGS(ev, aclrtMemPoolCreate)->poolProps;

	if (props)
		st(&pool_state(o)->limit, props->maxSize);
}

static struct acl_object *pool_live(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_POOL, value) : NULL;
}

/* --- what a pool holds ------------------------------------------------------------- */

struct holding {
	uint64_t count, bytes;
	struct acl_block *first;
	bool captured; /* a captured model uses some of it: that is said by another rule */
};

static struct holding holding_of(struct checks *c, struct acl_object *pool)
{
	acl_ref ref = object_ref(pool);
	struct holding h = {0};
	struct acl_block *b;

	map_each(c->memory, b)
	{
		if (ld(&b->kind) != MEM_POOL || ld(&b->owner) != ref)
			continue;
		if (!h.count++)
			h.first = b;
		h.bytes += ld(&b->size);
		h.captured = h.captured || ld(&b->captured);
	}
	return h;
}

static void say_small(struct checks *c, struct acl_event *ev, struct acl_object *pool, struct pool_state *p)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("pool-small-allocations"), &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%u pieces of together %llu bytes are in use; each takes 2 MiB of the pool.",
		ld(&p->live), (unsigned long long)ld(&p->bytes));
	finding_uint(f, "pieces", ld(&p->live));
	finding_bytes(f, "bytes", ld(&p->bytes));
	finding_object(c, f, "memory pool", pool);
	finding_show(c, f);
}

static void allocated(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemPoolMallocAsync *a = ev->args;
	struct acl_object *pool = pool_live(c, a->memPool);
	struct pool_state *p;
	struct acl_place place;

	if (!pool || !succeeded(ev) || !a->ptr || !map_find(c->memory, (uintptr_t)*a->ptr, &place) ||
		place.base != (uintptr_t)*a->ptr)
		return;
	p = pool_state(pool);
	st(&place.block->owner, object_ref(pool));
	atomic_fetch_add(&p->bytes, a->size);
	/* What is captured takes its memory when the model runs. */
	if (ev->carry[CARRY_CAPTURE])
		st(&p->captured, true);
	bump(&p->live);
	if (!rule_broken(ev, RULE("pool-small-allocations"),
		    ld(&p->live) > MANY && ld(&p->bytes) / ld(&p->live) < SMALL) ||
		ld(&p->said_small))
		return;
	st(&p->said_small, true);
	say_small(c, ev, pool, p);
}

/* The pool of the memory that is given back, NULL = we do not know it. */
static struct acl_object *pool_of(struct checks *c, const struct acl_event *ev, uint64_t *size)
{
	const void *address = ACL_ARGS(ev, aclrtMemPoolFreeAsync)->ptr;
	struct acl_object *pool;
	struct acl_place place;

	if (!address || !map_find(c->memory, (uintptr_t)address, &place) || place.kind != MEM_POOL ||
		place.base != (uintptr_t)address)
		return NULL;
	pool = object_of(c, ld(&place.block->owner));
	*size = place.size;
	return pool && pool->kind == ACL_HANDLE_POOL && object_usable(pool) ? pool : NULL;
}

/* Where the stream stands at its last release into the pool. */
static void note_free(struct acl_event *ev, struct pool_state *p)
{
	struct acl_object *s = stream_of(ev);
	unsigned i;

	if (!s || !ev->carry[CARRY_POSITION])
		return;
	if (ev->carry[CARRY_CAPTURE])
		st(&p->captured, true);
	lock(&p->lock);
	for (i = 0; i < POOL_STREAMS && p->freed[i].stream && p->freed[i].stream != object_ref(s); i++)
		;
	if (i < POOL_STREAMS) {
		p->freed[i].stream = object_ref(s);
		p->freed[i].position = ev->carry[CARRY_POSITION];
	}
	unlock(&p->lock);
}

static void freeing(struct checks *c, struct acl_event *ev)
{
	uint64_t size;
	struct acl_object *pool = pool_of(c, ev, &size);

	if (!pool)
		return;
	atomic_fetch_sub(&pool_state(pool)->bytes, size);
	atomic_fetch_sub(&pool_state(pool)->live, 1);
	note_free(ev, pool_state(pool));
}

/* It was not given back after all. */
static void free_failed(struct checks *c, struct acl_event *ev)
{
	uint64_t size;
	struct acl_object *pool = pool_of(c, ev, &size);

	if (!pool)
		return;
	atomic_fetch_add(&pool_state(pool)->bytes, size);
	atomic_fetch_add(&pool_state(pool)->live, 1);
}

/* --- destroyed -------------------------------------------------------------------------- */

/* A stream on which memory was given back and that the host has not seen at its end since. */
static struct acl_object *still_running(struct checks *c, struct pool_state *p)
{
	struct acl_object *found = NULL;

	lock(&p->lock);
	for (unsigned i = 0; i < POOL_STREAMS && !found; i++) {
		struct acl_object *s = object_of(c, p->freed[i].stream);

		if (s && object_usable(s) && stream_pending(s, p->freed[i].position))
			found = s;
	}
	unlock(&p->lock);
	return found;
}

static void destroying(struct checks *c, struct acl_event *ev)
{
	struct acl_object *pool = pool_live(c, ACL_ARGS(ev, aclrtMemPoolDestroy)->memPool), *busy;
	struct finding_buffer room;
	struct acl_finding *f;
	struct holding held;

	if (!pool || ld(&pool_state(pool)->captured))
		return;
	held = holding_of(c, pool);
	if (held.captured)
		return;
	rule_asked(ev, RULE("pool-destroy-live"));
	busy = held.count ? NULL : still_running(c, pool_state(pool));
	f = held.count || busy ? finding_begin(c, ev, RULE("pool-destroy-live"), &room) : NULL;
	if (!f)
		return;
	if (held.count)
		finding_detail(f, "%llu pieces of the pool, %llu bytes, were not given back.",
			(unsigned long long)held.count, (unsigned long long)held.bytes);
	else
		finding_detail(f, "Memory was given back on a stream that nobody has waited for since.");
	finding_object(c, f, "memory pool", pool);
	if (held.count)
		finding_block(c, f, "not given back", held.first);
	else
		finding_object(c, f, "stream", busy);
	finding_show(c, f);
}

/* What was in use is gone with the pool. */
static void destroyed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *pool = object_find(c, ACL_HANDLE_POOL, ACL_ARGS(ev, aclrtMemPoolDestroy)->memPool);
	struct acl_block *b;

	if (!pool || !succeeded(ev))
		return;
	map_each(c->memory, b) if (ld(&b->kind) == MEM_POOL && ld(&b->owner) == object_ref(pool))
		map_erase(c->memory, b, ld(&b->generation));
}

/* --- trimmed ------------------------------------------------------------------------------ */

static void say_trim(struct checks *c, struct acl_event *ev, struct acl_object *pool, const char *what,
	uint64_t bytes, bool at_leave)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("pool-trim-range"), &room);

	if (!f)
		return;
	f->at_leave = at_leave;
	finding_detail(f, "%llu bytes are to stay, and the pool %s %llu.",
		(unsigned long long)ACL_ARGS(ev, aclrtMemPoolTrimTo)->minBytesToKeep, what,
		(unsigned long long)bytes);
	finding_bytes(f, "minBytesToKeep", ACL_ARGS(ev, aclrtMemPoolTrimTo)->minBytesToKeep);
	finding_bytes(f, what, bytes);
	finding_object(c, f, "memory pool", pool);
	finding_show(c, f);
}

static void trimming(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemPoolTrimTo *a = ev->args;
	struct acl_object *pool = pool_live(c, a->memPool);
	uint64_t limit = pool ? ld(&pool_state(pool)->limit) : 0;

	if (!limit)
		return;
	if (rule_broken(ev, RULE("pool-trim-range"), a->minBytesToKeep > limit))
		say_trim(c, ev, pool, "can hold", limit, false);
}

/* Whether the pool has memory in reserve only the runtime knows: its refusal is the proof. */
static void trim_refused(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemPoolTrimTo *a = ev->args;
	struct acl_object *pool = pool_live(c, a->memPool);
	struct holding held;

	if (!pool || error_of(ev) != POOL_OP_INVALID || ev->carry[CARRY_FINDING])
		return;
	held = holding_of(c, pool);
	if (rule_broken(ev, RULE("pool-trim-range"), a->minBytesToKeep < held.bytes))
		say_trim(c, ev, pool, "has in use", held.bytes, true);
}

static void pool_forked(struct checks *c)
{
	struct acl_object *o;

	object_each(c, ACL_HANDLE_POOL, o) st(&pool_state(o)->lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemPoolMallocAsync, ACL_LEAVE, allocated},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_ENTER, freeing},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_FAILED, free_failed},
	{ACL_API_aclrtMemPoolDestroy, ACL_ENTER, destroying},
	{ACL_API_aclrtMemPoolDestroy, ACL_LEAVE, destroyed},
	{ACL_API_aclrtMemPoolTrimTo, ACL_ENTER, trimming},
	{ACL_API_aclrtMemPoolTrimTo, ACL_FAILED, trim_refused},
};

const struct acl_topic topic_pool = {
	.name = "pools",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.forked = pool_forked,
};
