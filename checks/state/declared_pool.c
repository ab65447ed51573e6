/* SPDX-License-Identifier: Apache-2.0 */
/* Declared pools and their blocks. */
#include "checks/state/declared_pool.h"

#include "checks/engine/annotations.h"
#include "checks/engine/value_table.h"
#include "checks/state/memory_change.h"
#include "checks/state/memory_state.h"
#include "checks/state/stream_state.h"

struct declared_pools {
	struct acl_lock lock; /* of making the maps */
	_Atomic(struct pointer_map *) pools; /* there before c->declared; a pool is owned by its allocation */
	struct value_table streams; /* block_ref -> acl_ref */
};

static struct declared_pools *declared(struct checks *c)
{
	return module_state(c, declared_pool);
}

static bool maps_are_there(struct checks *c)
{
	struct declared_pools *d = declared(c);

	lock(&d->lock);
	if (!load_relaxed(&d->pools))
		store_release(&d->pools, map_create(c));
	if (load_relaxed(&d->pools) && !load_relaxed(&c->declared))
		store_release(&c->declared, map_create(c));
	unlock(&d->lock);
	return load_relaxed(&c->declared) != NULL;
}

/* Whether [address, address + bytes) lies in the place. */
static bool holds(const struct block_lookup *place, uint64_t address, uint64_t bytes)
{
	return bytes && bytes <= place->size && address - place->base <= place->size - bytes;
}

/* The pool with the address, while its allocation is there. */
static bool pool_find(struct checks *c, uint64_t address, struct block_lookup *pool)
{
	struct pointer_map *pools = load_acquire(&declared(c)->pools);

	return pools && map_find(pools, address, pool) && block_of(c, load_relaxed(&pool->block->owner));
}

bool declared_look_up(struct checks *c, uint64_t address, struct block_lookup *found)
{
	struct block_lookup pool;

	if (!pool_find(c, address, &pool))
		return false;
	if (map_find(load_relaxed(&c->declared), address, found))
		found->index += DECLARED_NUMBERS;
	else
		found->block = NULL;
	return true;
}

bool declared_home(struct checks *c, const struct acl_block *block, struct block_lookup *home)
{
	uint64_t owner = load_relaxed(&((struct acl_block *)block)->owner);
	struct acl_block *b = block_of(c, owner);

	if (!b)
		return false;
	*home = block_found(b, (uint32_t)owner);
	return true;
}

struct acl_object *declared_stream(struct checks *c, const struct acl_block *block)
{
	uint64_t ref = block_ref(block, load_relaxed(&((struct acl_block *)block)->generation), false);

	return object_of(c, value_table_value(&declared(c)->streams, ref));
}

/* --- pools ---------------------------------------------------------------------------------- */

static void blocks_forget(struct checks *c, uint64_t base, uint64_t size)
{
	struct pointer_map *blocks = load_relaxed(&c->declared);
	struct acl_block *b;

	while ((b = map_first_in(blocks, base, size)) != NULL)
		map_erase(blocks, b, load_relaxed(&b->generation));
}

/* Memory that no table knows is none of ours: nothing is wrong with a pool there. */
static void pool_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_ACLCHECK_POOL *a = call->args;
	uint64_t base = (uintptr_t)a->memory;
	struct block_lookup home;
	struct acl_block *pool;

	if (!map_find(memory_blocks(c), base, &home))
		return;
	if (!holds(&home, base, a->bytes)) {
		annotation_refuse(call, "ACLCHECK_POOL: the pool is larger than the memory it lies in");
		return;
	}
	if (!maps_are_there(c))
		return;
	blocks_forget(c, base, a->bytes);
	pool = map_insert(c, declared(c)->pools, call, base, a->bytes, home.kind, -1);
	if (pool)
		block_owned(pool, block_ref(home.block, home.generation, false));
	map_touch(memory_blocks(c));
}

static void pool_end_leave(struct checks *c, struct acl_call_record *call)
{
	uint64_t base = (uintptr_t)ACL_ARGS(call, ACLCHECK_POOL_END)->memory;
	struct block_lookup pool;

	if (!pool_find(c, base, &pool))
		return;
	if (pool.base != base) {
		annotation_refuse(call, "ACLCHECK_POOL_END: no pool begins at the address");
		return;
	}
	map_erase(declared(c)->pools, pool.block, pool.generation);
	blocks_forget(c, pool.base, pool.size);
	map_touch(memory_blocks(c));
}

/* --- blocks --------------------------------------------------------------------------------- */

static const char *block_is_wrong(
	struct checks *c, const struct block_lookup *pool, uint64_t base, uint64_t size)
{
	if (!holds(pool, base, size))
		return "ACLCHECK_BLOCK: the block ends outside of its pool";
	if (map_first_in(load_relaxed(&c->declared), base, size))
		return "ACLCHECK_BLOCK: another block of the pool that was not ended has some of the bytes";
	return NULL;
}

static void block_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_ACLCHECK_BLOCK *a = call->args;
	uint64_t base = (uintptr_t)a->address, owner;
	struct block_lookup pool;
	struct acl_block *home, *b;
	const char *wrong;

	if (!pool_find(c, base, &pool))
		return;
	wrong = block_is_wrong(c, &pool, base, a->bytes);
	owner = load_relaxed(&pool.block->owner);
	home = block_of(c, owner);
	if (wrong) {
		annotation_refuse(call, wrong);
		return;
	}
	if (!home)
		return;
	b = map_insert(c, load_relaxed(&c->declared), call, base, a->bytes, load_relaxed(&home->kind),
		load_relaxed(&home->device));
	if (!b)
		return;
	block_marked(b, BLOCK_DECLARED);
	block_owned(b, owner);
	store_relaxed(&b->policy, load_relaxed(&home->policy));
	if (load_relaxed(&b->kind) == MEM_DEVICE)
		block_unwritten(c, b);
	if (stream_of(call)) {
		uint64_t ref = block_ref(b, load_relaxed(&b->generation), false);

		value_table_set_of(c, &declared(c)->streams, ref, ref, object_ref(stream_of(call)));
	}
	map_touch(memory_blocks(c));
}

void declared_end_enter(struct checks *c, struct acl_call_record *call)
{
	uint64_t base = (uintptr_t)ACL_ARGS(call, ACLCHECK_BLOCK_END)->address;
	struct block_lookup b;

	if (!declared_find(c, base, &b))
		return;
	if (!b.block || b.base != base || !block_releasing(b.block, b.generation)) {
		annotation_refuse(
			call, "ACLCHECK_BLOCK_END: no block of the pool that is in use begins there");
		return;
	}
	call->state.releasing = b.block;
	call->state.releasing_generation = b.generation;
}

void declared_end_leave(struct checks *c, struct acl_call_record *call)
{
	if (!call->state.releasing)
		return;
	map_erase(load_relaxed(&c->declared), call->state.releasing, call->state.releasing_generation);
	map_touch(memory_blocks(c));
}

static const struct check_hook hooks[] = {
	{ACL_ANNOTATION_POOL, ACL_LEAVE, pool_leave},
	{ACL_ANNOTATION_POOL_END, ACL_LEAVE, pool_end_leave},
	{ACL_ANNOTATION_BLOCK, ACL_LEAVE, block_leave},
};

const struct check_module module_declared_pool = {
	.order = 37,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct declared_pools),
};
