/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory pools: which memory is whose, what was given back on which stream.
 * Comes before the state of memory, so that in leave its blocks are there.
 */
#include "checks/state/memory_state.h"
#include "checks/state/pool_state.h"
#include "checks/engine/instance.h"
#include "checks/state/lifecycle.h"
#include "checks/state/pending_change.h"
#include "checks/state/stream_state.h"

void pool_created(const struct acl_call_record *call, struct acl_object *o)
{
	const aclrtMemPoolProps *props = ACL_ARGS(call, aclrtMemPoolCreate)->poolProps;

	if (props)
		store_relaxed(&pool_state(o)->limit, props->maxSize);
}

static struct acl_object *pool_live(struct checks *c, const void *value)
{
	return value ? object_live(c, ACL_HANDLE_POOL, value) : NULL;
}

static void pool_state_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemPoolMallocAsync *a = call->args;
	struct acl_object *pool = pool_live(c, a->memPool);
	struct pool_state *p;
	struct block_lookup place;

	if (!pool || !succeeded(call) || !a->ptr || !map_find(memory_blocks(c), (uintptr_t)*a->ptr, &place) ||
		place.base != (uintptr_t)*a->ptr)
		return;
	p = pool_state(pool);
	store_relaxed(&place.block->owner, object_ref(pool));
	atomic_fetch_add(&p->bytes, a->size);
	/* What is captured takes its memory when the model runs. */
	if (call->state.capture)
		store_relaxed(&p->captured, true);
	counter_inc(&p->live);
	pending_pool_allocated(c, call, &place);
}

/* The pool of the memory that is given back, NULL = we do not know it. */
static struct acl_object *pool_of(struct checks *c, const struct acl_call_record *call, uint64_t *size)
{
	const void *address = ACL_ARGS(call, aclrtMemPoolFreeAsync)->ptr;
	struct acl_object *pool;
	struct block_lookup place;

	if (!address || !map_find(memory_blocks(c), (uintptr_t)address, &place) || place.kind != MEM_POOL ||
		place.base != (uintptr_t)address)
		return NULL;
	pool = object_of(c, load_relaxed(&place.block->owner));
	*size = place.size;
	return pool && pool->kind == ACL_HANDLE_POOL && object_usable(pool) ? pool : NULL;
}

/* Of a call: where its stream stood at the release before it, to go back to when it fails. */
static const char release_before_note;

/* Where the stream stands at its last release into the pool. */
static void note_free(struct acl_call_record *call, struct pool_state *p)
{
	struct acl_object *s = stream_of(call);
	unsigned i;

	if (!s || !call->state.position)
		return;
	if (call->state.capture)
		store_relaxed(&p->captured, true);
	lock(&p->lock);
	for (i = 0; i < POOL_STREAMS && p->freed[i].stream && p->freed[i].stream != object_ref(s); i++)
		;
	if (i < POOL_STREAMS) {
		call_note_set(call, &release_before_note, p->freed[i].position);
		p->freed[i].stream = object_ref(s);
		p->freed[i].position = call->state.position;
	}
	unlock(&p->lock);
}

/* Unless another thread has released on the stream since. */
static void forget_free(struct acl_call_record *call, struct pool_state *p)
{
	struct acl_object *s = stream_of(call);

	if (!s || !call->state.position)
		return;
	lock(&p->lock);
	for (unsigned i = 0; i < POOL_STREAMS; i++)
		if (p->freed[i].stream == object_ref(s) && p->freed[i].position == call->state.position)
			p->freed[i].position = call_note(call, &release_before_note);
	unlock(&p->lock);
}

static void pool_state_free_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t size;
	struct acl_object *pool = pool_of(c, call, &size);

	if (!pool)
		return;
	atomic_fetch_sub(&pool_state(pool)->bytes, size);
	atomic_fetch_sub(&pool_state(pool)->live, 1);
	note_free(call, pool_state(pool));
}

/* It was not given back after all. */
static void free_failed(struct checks *c, struct acl_call_record *call)
{
	uint64_t size;
	struct acl_object *pool = pool_of(c, call, &size);

	if (!pool)
		return;
	atomic_fetch_add(&pool_state(pool)->bytes, size);
	atomic_fetch_add(&pool_state(pool)->live, 1);
	forget_free(call, pool_state(pool));
}

/* What was in use is gone with the pool. */
static void pool_destroy_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *pool =
		object_find(c, ACL_HANDLE_POOL, ACL_ARGS(call, aclrtMemPoolDestroy)->memPool);
	struct acl_block *b;

	if (!pool || !succeeded(call))
		return;
	map_each(memory_blocks(c),
		b) if (load_relaxed(&b->kind) == MEM_POOL && load_relaxed(&b->owner) == object_ref(pool))
		map_erase(memory_blocks(c), b, load_relaxed(&b->generation));
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_POOL), ACL_LEAVE, pool_state_allocate_leave},
	{ON_OP(FREE_POOL), ACL_ENTER, pool_state_free_enter},
	{ON_OP(FREE_POOL), ACL_FAILED, free_failed},
	{ON_OP(DESTROY_POOL), ACL_LEAVE, pool_destroy_leave},
};

const struct check_module module_pool = {
	.order = 5,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
