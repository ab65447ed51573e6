/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer map against a plain list of blocks, and what a handle means after its object is gone. */
#include "fixture.h"

#include "checks/state/allocator_state.h"
#include "checks/state/binary_state.h"
#include "checks/state/buffer_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/group_state.h"
#include "checks/state/label_state.h"
#include "checks/state/notify_state.h"
#include "checks/state/pool_state.h"
#include "checks/state/stream_state.h"
#include "checks/engine/instance.h"
#include "checks/engine/pointer_map_inside.h"
#include "checks/state/access_place.h"
#include "checks/state/memory_state.h"
#include "tests/checks/bare_checker.h"
#include "tests/checks/chance.h"

#define BLOCKS 300

/* --- the map -------------------------------------------------------------------- */

struct model_block {
	uint64_t base, size;
	struct acl_block *block;
	uint32_t generation;
};

static uint64_t some_size(void)
{
	uint64_t size = UINT64_C(1) << next(38);

	return size + (next(2) ? next(64) : 0);
}

static bool overlaps(const struct model_block *all, uint64_t base, uint64_t size)
{
	for (unsigned i = 0; i < BLOCKS; i++)
		if (all[i].block && base < all[i].base + all[i].size && all[i].base < base + size)
			return true;
	return false;
}

static void compare(struct pointer_map *map, const struct model_block *all, uint64_t address)
{
	const struct model_block *found = NULL;
	struct block_lookup place;
	bool known;

	for (unsigned i = 0; i < BLOCKS; i++)
		if (all[i].block && address - all[i].base < all[i].size)
			found = &all[i];
	known = map_find(map, address, &place);
	assert_int_equal(known, found != NULL);
	if (!found)
		return;
	assert_ptr_equal(place.block, found->block);
	assert_int_equal(place.base, found->base);
	assert_int_equal(place.size, found->size);
	assert_int_equal(place.generation, found->generation);
}

/* One random step: a block comes or goes; then its edges and random addresses are looked up. */
static void step(struct checks *c, struct pointer_map *map, struct model_block *all)
{
	struct model_block *b = &all[next(BLOCKS)];
	uint64_t base = b->base, size = b->size;

	if (b->block) {
		map_erase(map, b->block, b->generation);
		b->block = NULL;
	} else {
		size = some_size();
		base = (0x1000000ul + next(1u << 28)) * 64 + (next(4) ? 0 : next(64));
		if (overlaps(all, base, size))
			return;
		*b = (struct model_block){base, size, map_insert(c, map, NULL, base, size, MEM_DEVICE, 0), 0};
		assert_non_null(b->block);
		b->generation = load_relaxed(&b->block->generation);
	}
	compare(map, all, base);
	compare(map, all, base + size / 2);
	compare(map, all, base + size - 1);
	compare(map, all, base + size);
	compare(map, all, base - 1);
	compare(map, all, (0x1000000ul + next(1u << 28)) * 64);
}

static void map_against_list(void **state)
{
	static struct model_block all[BLOCKS];
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	unsigned live = 0;

	(void)state;
	random_state = 4711;
	for (unsigned i = 0; i < 60000; i++)
		step(c, map, all);
	for (unsigned i = 0; i < BLOCKS; i++)
		live += all[i].block != NULL;
	assert_int_equal(map_live(map), live);
}

/* --- ranges ---------------------------------------------------------------------- */

static bool overlaps_one(const struct model_block *b, uint64_t base, uint64_t size)
{
	return b->block && base < b->base + b->size && b->base < base + size;
}

/* The first block of the plain list that touches the range. */
static const struct model_block *first_of(const struct model_block *all, uint64_t base, uint64_t size)
{
	const struct model_block *first = NULL;

	for (unsigned i = 0; i < BLOCKS; i++)
		if (overlaps_one(&all[i], base, size) && (!first || all[i].base < first->base))
			first = &all[i];
	return first;
}

/* Blocks come over what is there: all they touch is gone, not only what lies at their ends. */
static void map_ranges_against_list(void **state)
{
	static struct model_block all[BLOCKS];
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	unsigned live = 0;

	(void)state;
	random_state = 815;
	for (unsigned i = 0; i < 20000; i++) {
		struct model_block *b = &all[next(BLOCKS)];
		uint64_t size = 1 + next(next(3) ? 300 : 40000), base = DEVICE_MEMORY + next(1u << 17);
		const struct model_block *first = first_of(all, base, size);

		assert_ptr_equal(map_first_in(map, base, size), first ? first->block : NULL);
		if (b->block || next(3)) {
			if (b->block)
				map_erase(map, b->block, b->generation);
			b->block = NULL;
			continue;
		}
		for (unsigned k = 0; k < BLOCKS; k++)
			if (overlaps_one(&all[k], base, size))
				all[k].block = NULL;
		b->block = map_insert(c, map, NULL, base, size, MEM_DEVICE, 0);
		assert_non_null(b->block);
		b->base = base;
		b->size = size;
		b->generation = load_relaxed(&b->block->generation);
	}
	for (unsigned i = 0; i < BLOCKS; i++)
		live += all[i].block != NULL;
	assert_int_equal(map_live(map), live);
	assert_ptr_equal(map_first_in(map, 1, UINT64_MAX), first_of(all, 1, UINT64_MAX / 2)->block);
	assert_null(map_first_in(map, DEVICE_MEMORY, 0));
}

static unsigned depth(struct pointer_map *map, uint32_t link)
{
	struct acl_block *b = link ? map_block(map, link - 1) : NULL;
	unsigned left = b ? depth(map, b->left) : 0, right = b ? depth(map, b->right) : 0;

	return b ? 1 + (left > right ? left : right) : 0;
}

/* Looking for a range among many costs the depth of their tree, however they came. */
static void map_of_many_ranges(void **state)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	const unsigned many = 200000;

	(void)state;
	for (uint64_t i = 0; i < many; i++)
		map_insert(c, map, NULL, HOST_MEMORY + i * 4096, 4096, MEM_REGISTERED, -1);
	assert_int_equal(map_live(map), many);
	assert_true(depth(map, map->root) < 64);
	assert_int_equal(load_relaxed(&map_first_in(map, HOST_MEMORY + 77 * 4096 + 1, 1)->base),
		HOST_MEMORY + 77 * 4096);
	assert_null(map_first_in(map, HOST_MEMORY + many * 4096ul, UINT64_MAX));
	/* A fork may have caught a writer in the middle: the child's tree is made anew. */
	map->root = 0;
	store_relaxed(&map->lock.word, load_relaxed(&lock_process) | LOCK_HELD);
	store_relaxed(&lock_process, load_relaxed(&lock_process) + LOCK_PROCESS);
	map_forked(map);
	assert_non_null(map_first_in(map, HOST_MEMORY, 1));
	assert_true(depth(map, map->root) < 64);
}

/* A writer of the parent is in the middle of buckets and of a run, and so holds the lock. */
static void map_is_written(struct pointer_map *map)
{
	struct table *t = load_relaxed(&map->table);

	for (uint64_t i = 0; i <= t->mask; i++)
		store_relaxed(&t->bucket[i].seq, load_relaxed(&t->bucket[i].seq) + (i & 1 ? 0 : BUSY));
	store_relaxed(&map->run[0].seq, load_relaxed(&map->run[0].seq) + 1);
	store_relaxed(&map->lock.word, load_relaxed(&lock_process) | LOCK_HELD);
}

static void map_is_open(const struct pointer_map *map)
{
	struct table *t = load_relaxed(&((struct pointer_map *)map)->table);

	for (uint64_t i = 0; i <= t->mask; i++)
		assert_false(load_relaxed(&t->bucket[i].seq) & BUSY);
	assert_false(load_relaxed(&((struct pointer_map *)map)->run[0].seq) & 1);
}

/* In the child the buckets are open again, and keep their blocks. */
static void map_with_a_writer_of_the_parent(void **state)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct acl_block *b = map_insert(c, map, NULL, DEVICE_MEMORY, 4096, MEM_DEVICE, 0);
	struct block_lookup place;

	(void)state;
	map_is_written(map);
	store_relaxed(&lock_process, load_relaxed(&lock_process) + LOCK_PROCESS);
	map_forked(map);
	map_is_open(map);
	assert_true(map_find(map, DEVICE_MEMORY + 4095, &place));
	assert_ptr_equal(place.block, b);
	assert_non_null(map_insert(c, map, NULL, DEVICE_MEMORY + 4096, 4096, MEM_DEVICE, 0));
	assert_true(map_find(map, DEVICE_MEMORY + 4096, &place));
}

/* The maps of the checker, those of declared blocks among them. */
static void maps_of_a_forked_child(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *d = fixture_malloc(fixture, DEVICE_MEMORY, 1 << 20);
	struct pointer_map *maps[MAP_COUNT + 1];
	struct checks *c = fixture->checks;
	unsigned n = 0;

	(void)state;
	assert_null(SAY(fixture, POOL, .memory = d, .bytes = 1 << 20));
	assert_null(SAY(fixture, BLOCK, .address = d, .bytes = 4096));
	for (unsigned id = 0; id < MAP_COUNT; id++)
		if (load_relaxed(&c->maps[id]->table))
			maps[n++] = c->maps[id];
	assert_true(n > 0);
	maps[n++] = load_relaxed(&c->declared);
	for (unsigned i = 0; i < n; i++)
		map_is_written(maps[i]);
	checks_forked(c);
	for (unsigned i = 0; i < n; i++)
		map_is_open(maps[i]);
	fixture_free(fixture);
}

static void map_of_small_neighbours(void **state)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct block_lookup place;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		map_insert(c, map, NULL, DEVICE_MEMORY + i * 512, 512, MEM_DEVICE, 0);
	for (uint64_t i = 0; i < 5000; i++) {
		assert_true(map_find(map, DEVICE_MEMORY + i * 512 + 511, &place));
		assert_int_equal(place.base, DEVICE_MEMORY + i * 512);
	}
	assert_false(map_find(map, DEVICE_MEMORY + 5000 * 512, &place));
}

static void map_reused_range(void **state)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct acl_block *old = map_insert(c, map, NULL, DEVICE_MEMORY, 4096, MEM_DEVICE, 0), *new;
	uint32_t generation = load_relaxed(&old->generation);
	struct block_lookup place;

	(void)state;
	/* Its release went by unseen: the new bearer of the address wins, the old one stays gone. */
	new = map_insert(c, map, NULL, DEVICE_MEMORY, 8192, MEM_HOST, -1);
	assert_true(map_find(map, DEVICE_MEMORY + 100, &place));
	assert_ptr_equal(place.block, new);
	map_erase(map, old, generation);
	assert_true(map_find(map, DEVICE_MEMORY + 100, &place));
	assert_int_equal(map_live(map), 1);
}

static void map_large_reservation(void **state)
{
	struct checks *c = checker();
	struct pointer_map *map = map_create(c);
	struct block_lookup place;

	(void)state;
	map_insert(c, map, NULL, DEVICE_MEMORY + 4096, 64ul << 30, MEM_RESERVED, -1);
	assert_true(map_find(map, DEVICE_MEMORY + 4096, &place));
	assert_true(map_find(map, DEVICE_MEMORY + 4095 + (64ul << 30), &place));
	assert_int_equal(place.size, 64ul << 30);
	assert_false(map_find(map, DEVICE_MEMORY + 4096 + (64ul << 30), &place));
	assert_false(map_find(map, DEVICE_MEMORY, &place));
}

/* --- objects ------------------------------------------------------------------------ */

static void object_given_out_again(void **state)
{
	struct checks *c = checker();
	struct acl_object *first = object_create(c, NULL, ACL_HANDLE_STREAM, handle(1), 0), *second;
	acl_ref ref = object_ref(first);

	(void)state;
	assert_ptr_equal(object_live(c, ACL_HANDLE_STREAM, handle(1)), first);
	assert_true(object_destroying(first));
	assert_false(object_destroying(first)); /* it is being destroyed already */
	object_destroy_failed(first);
	assert_true(object_destroying(first));
	object_destroyed(c, first, NULL, 0);
	assert_null(object_live(c, ACL_HANDLE_STREAM, handle(1)));
	assert_ptr_equal(object_find(c, ACL_HANDLE_STREAM, handle(1)), first); /* its biography */
	second = object_create(c, NULL, ACL_HANDLE_STREAM, handle(1), 0);
	assert_ptr_not_equal(first, second);
	assert_ptr_equal(object_live(c, ACL_HANDLE_STREAM, handle(1)), second);
	assert_ptr_equal(object_of(c, ref), first); /* dead, and not mistaken for the new one */
	assert_false(object_usable(object_of(c, ref)));
}

static void object_forgotten(void **state)
{
	struct checks *c = checker();
	struct acl_object *first = object_create(c, NULL, ACL_HANDLE_EVENT, handle(1), 0);
	acl_ref ref = object_ref(first);

	(void)state;
	object_destroyed(c, first, NULL, 0);
	for (unsigned i = 2; i < 3000; i++) {
		struct acl_object *o = object_create(c, NULL, ACL_HANDLE_EVENT, handle(i), 0);

		object_destroyed(c, o, NULL, 0);
	}
	/* So many died since that its place was given to another. */
	assert_null(object_of(c, ref));
	assert_null(object_find(c, ACL_HANDLE_EVENT, handle(1)));
	assert_true(load_relaxed(&c->kinds[ACL_HANDLE_EVENT]->count) < 2000);
}

/* What few objects need stays with the slot, and nothing in it is the former object's. */
static void object_rare_of_the_former(void **state)
{
	struct checks *c = checker();
	struct acl_object *first = object_create(c, NULL, ACL_HANDLE_EVENT, handle(1), 0), *o = NULL;
	struct object_rare *rare;

	(void)state;
	assert_null(object_rare(first));
	assert_int_equal(object_captured(first), 0);
	rare = object_rare_make(c, first);
	assert_ptr_equal(object_rare_make(c, first), rare);
	counter_inc(&rare->captured);
	assert_int_equal(object_captured(first), 1);
	object_destroyed(c, first, NULL, 0);
	for (unsigned i = 2; i < 3000 && o != first; i++) {
		o = object_create(c, NULL, ACL_HANDLE_EVENT, handle(i), 0);
		assert_int_equal(object_captured(o), 0);
		object_destroyed(c, o, NULL, 0);
	}
	assert_ptr_equal(o, first);
	assert_ptr_equal(object_rare(first), rare);
}

/* Where it was created and destroyed, as long as it is among the last that were destroyed. */
static void object_call_sites(void **state)
{
	const uint64_t code = (UINT64_C(1) << 48) - 16;
	struct acl_call_record making = {.api = ACL_API_COUNT - 1, .caller = code, .tid = 7, .stack = 5},
			       going = {.api = 3, .caller = 0x401000, .tid = 8, .stack = 6};
	struct checks *c = checker();
	struct acl_object *o = object_create(c, &making, ACL_HANDLE_EVENT, handle(1), 0);
	struct acl_call_site at;

	(void)state;
	call_site_copy(&at, object_created(c, o));
	assert_int_equal(at.caller, code);
	assert_int_equal(at.api, ACL_API_COUNT - 1);
	assert_int_equal(at.tid, 7);
	assert_int_equal(at.stack, 5);
	object_destroyed_at(c, o, &at);
	assert_int_equal(at.caller, 0);
	object_destroyed(c, o, &going, 0);
	object_destroyed_at(c, o, &at);
	assert_int_equal(at.caller, 0x401000);
	assert_int_equal(at.api, 3);
	assert_int_equal(at.tid, 8);
	assert_int_equal(at.stack, 6);
	for (unsigned i = 2; i < 3000; i++)
		object_destroyed(c, object_create(c, NULL, ACL_HANDLE_EVENT, handle(i), 0), &making, 0);
	object_destroyed(c, object_create(c, &making, ACL_HANDLE_EVENT, handle(1), 0), NULL, 0);
	object_destroyed_at(c, object_find(c, ACL_HANDLE_EVENT, handle(1)), &at);
	assert_int_equal(at.caller, 0);
}

/* What begins or ends without a call of the program has no such place. */
static void no_call_site(void **state)
{
	struct checks *c = checker();
	struct acl_object *o = object_create(c, NULL, ACL_HANDLE_EVENT, handle(1), 0);
	const struct acl_block *b =
		map_insert(c, c->maps[MAP_MEMORY], NULL, DEVICE_MEMORY, 4096, MEM_DEVICE, 0);
	static const struct acl_call_site nowhere;
	struct acl_call_site at = {.tid = 1};

	(void)state;
	call_site_copy(&at, object_created(c, o));
	assert_memory_equal(&at, &nowhere, sizeof(at));
	object_destroyed(c, o, NULL, 0);
	at.tid = 1;
	object_destroyed_at(c, o, &at);
	assert_memory_equal(&at, &nowhere, sizeof(at));
	at.tid = 1;
	call_site_copy(&at, &b->created);
	assert_memory_equal(&at, &nowhere, sizeof(at));
}

static void object_kinds_apart(void **state)
{
	struct checks *c = checker();

	(void)state;
	object_create(c, NULL, ACL_HANDLE_STREAM, handle(1), 0);
	assert_null(object_find(c, ACL_HANDLE_EVENT, handle(1)));
	assert_null(object_find(c, ACL_HANDLE_STREAM, NULL));
	assert_null(object_find(c, ACL_HANDLE_STREAM, handle(2)));
}

static void object_many(void **state)
{
	struct checks *c = checker();

	(void)state;
	for (unsigned i = 1; i < 20000; i++)
		object_create(c, NULL, ACL_HANDLE_EVENT, handle(i), 0);
	for (unsigned i = 1; i < 20000; i++)
		assert_int_equal(load_relaxed(&object_live(c, ACL_HANDLE_EVENT, handle(i))->value),
			(uintptr_t)handle(i));
}

/* What is known of an object does not reach into the next one. */
static void objects_have_room(void **state)
{
	static const struct {
		unsigned kind;
		size_t bytes;
	} kinds[] = {
		{ACL_HANDLE_STREAM, sizeof(struct stream_state)},
		{ACL_HANDLE_EVENT, sizeof(struct event_state)},
		{ACL_HANDLE_NOTIFY, sizeof(struct notify_state)},
		{ACL_HANDLE_CNT_NOTIFY, sizeof(struct notify_state)},
		{ACL_HANDLE_LABEL, sizeof(struct label_state)},
		{ACL_HANDLE_TASK_GROUP, sizeof(struct group_state)},
		{ACL_HANDLE_MODEL, sizeof(struct model_state)},
		{ACL_HANDLE_POOL, sizeof(struct pool_state)},
		{ACL_HANDLE_BINARY, sizeof(struct binary_state)},
		{ACL_HANDLE_BINARY_DESC, sizeof(struct binary_desc_state)},
		{ACL_HANDLE_FUNCTION, sizeof(struct function_state)},
		{ACL_HANDLE_CONTEXT, sizeof(struct context_state)},
		{ACL_HANDLE_ALLOCATOR_DESC, sizeof(struct allocator_desc_state)},
		{ACL_HANDLE_MBUF, sizeof(struct mbuf_state)},
	};
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);

	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct acl_object *o[2];

		for (unsigned n = 0; n < 2; n++)
			o[n] = object_create(fixture->checks, NULL, kinds[i].kind, handle(100 + n), 0);
		assert_true((uintptr_t)o[1] > (uintptr_t)o[0]
				    ? (uintptr_t)object_extra(o[0]) + kinds[i].bytes <= (uintptr_t)o[1]
				    : (uintptr_t)object_extra(o[1]) + kinds[i].bytes <= (uintptr_t)o[0]);
	}
	fixture_free(fixture);
}

/* --- blocks, as scenarios meet them ------------------------------------------------------------------ */

/* Blocks of one size at equal distances: a look-up finds the one that the address lies in, whatever was found
 * before. */
static void blocks_of_a_run(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *s = fixture_stream(fixture, 1), *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096), *at[200];
	struct block_lookup place;
	unsigned in_runs = 0;

	(void)state;
	fixture->other_ways = 0;
	for (unsigned i = 0; i < 200; i++)
		at[i] = fixture_malloc(fixture, DEVICE_MEMORY + i * 8192ul, 4096);
	/* The first of them show what the others are. */
	for (unsigned i = 0; i < 200; i++) {
		assert_true(map_find(memory_blocks(fixture->checks), (uintptr_t)at[i], &place));
		in_runs += place.block->run != 0;
	}
	assert_in_range(in_runs, 100, 200);
	for (unsigned i = 120; i < 200; i += 40)
		CALL(fixture, aclrtMemcpyAsync, 0, .dst = at[i], .destMax = 4096, .src = h, .count = 4096,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = s);
	CALL(fixture, aclrtMemset, 0, .devPtr = at[199], .maxCount = 4096, .value = 0, .count = 4096);
	silent(fixture);
	CALL(fixture, aclrtMemset, 0, .devPtr = at[160], .maxCount = 4096, .value = 0, .count = 4096);
	want(fixture, "async-result-used-before-sync:warning");
}

/* What was not found is looked for again when memory was allocated. */
static void memory_that_was_unknown(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	char *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096), *d = (char *)DEVICE_MEMORY;

	(void)state;
	fixture->class = ACL_HOST_UNKNOWN;
	for (unsigned i = 0; i < 2; i++) {
		CALL(fixture, aclrtMemcpy, 0, .dst = d, .destMax = 4096, .src = h, .count = 4096,
			.kind = ACL_MEMCPY_HOST_TO_DEVICE);
		if (i) {
			want(fixture, "memcpy-dest-out-of-bounds:error");
		} else {
			silent(fixture);
			fixture_malloc(fixture, DEVICE_MEMORY, 2048);
		}
	}
}

#define FREED 512 /* blocks that were released last are remembered */

static void released_blocks(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	char *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096);
	void *d[FREED];

	(void)state;
	fixture->other_ways = 0;
	for (unsigned i = 0; i < FREED; i++)
		d[i] = fixture_malloc(fixture, DEVICE_MEMORY + i * 65536ul, 4096);
	for (unsigned i = 0; i < FREED; i++)
		CALL(fixture, aclrtFree, 0, .devPtr = d[i]);
	silent(fixture);
	CALL(fixture, aclrtMemcpy, 0, .dst = d[0], .destMax = 64, .src = h, .count = 64,
		.kind = ACL_MEMCPY_HOST_TO_DEVICE);
	want(fixture, "use-after-free:error");
}

/* --- places of what is in flight ------------------------------------------------------------------ */

#define MORE_THAN_PLACES (OWN_PLACES + 8000)

/* At no equal distances. */
static uint64_t strewn(uint32_t i)
{
	return DEVICE_MEMORY + i * UINT64_C(8192) + (i * 2654435761u >> 29) * 512;
}

static uint32_t place_of(struct fixture *fixture, uint64_t address)
{
	struct block_lookup found;

	assert_true(memory_find(fixture->checks, address, &found));
	return access_place(found.kind, found.index, found.base);
}

/* Two blocks with one place, of those that share theirs. */
static void same_place(struct fixture *fixture, uint64_t pair[2])
{
	static uint32_t seen[PLACES];

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = OWN_PLACES; i < MORE_THAN_PLACES; i++) {
		uint32_t place = place_of(fixture, strewn(i));

		assert_in_range(place, OWN_PLACES, OWN_PLACES + (1 << SHARED_LOG) - 1);
		if (seen[place]) {
			pair[0] = strewn(seen[place]);
			pair[1] = strewn(i);
			return;
		}
		seen[place] = i;
	}
	fail();
}

/* Each is a call site of its own. */
#define COPY(to, from, on)                                                                                   \
	CALL(fixture, aclrtMemcpyAsync, 0, .dst = (void *)(uintptr_t)(to), .destMax = 64, .src = (from),     \
		.count = 64, .kind = ACL_MEMCPY_HOST_TO_DEVICE, .stream = (on))

/* Of blocks that share a place the one used last is followed; no other is disturbed. */
static void blocks_share_a_place(void **state)
{
	struct fixture *fixture = fixture_ready(CHECKS_TARGET_DOCUMENTS);
	void *h = fixture_malloc_host(fixture, HOST_MEMORY, 4096), *s;
	uint64_t pair[2] = {0}, own;

	(void)state;
	fixture->other_ways = 0;
	for (uint32_t i = 0; i < MORE_THAN_PLACES; i++)
		fixture_malloc(fixture, strewn(i), 4096);
	same_place(fixture, pair);
	own = strewn(place_of(fixture, strewn(1)));
	s = fixture_stream(fixture, 1);
	COPY(own, h, s);
	COPY(pair[0], h, s);
	COPY(pair[1], h, fixture_stream(fixture, 2));
	silent(fixture);
	COPY(pair[1], h, fixture_stream(fixture, 3));
	want(fixture, "stream-race-copy:error");
	/* Where several accesses to the other block have left a tree. */
	COPY(pair[0], h, s);
	COPY(pair[1], h, s);
	silent(fixture);
	COPY(own, h, fixture_stream(fixture, 4));
	want(fixture, "stream-race-copy:error");
	fixture_free(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(map_against_list),
		cmocka_unit_test(map_ranges_against_list),
		cmocka_unit_test(map_of_many_ranges),
		cmocka_unit_test(map_with_a_writer_of_the_parent),
		cmocka_unit_test(maps_of_a_forked_child),
		cmocka_unit_test(map_of_small_neighbours),
		cmocka_unit_test(map_reused_range),
		cmocka_unit_test(map_large_reservation),
		cmocka_unit_test(object_given_out_again),
		cmocka_unit_test(object_forgotten),
		cmocka_unit_test(object_rare_of_the_former),
		cmocka_unit_test(object_call_sites),
		cmocka_unit_test(no_call_site),
		cmocka_unit_test(object_kinds_apart),
		cmocka_unit_test(object_many),
		cmocka_unit_test(objects_have_room),
		cmocka_unit_test(memory_that_was_unknown),
		cmocka_unit_test(released_blocks),
		cmocka_unit_test(blocks_of_a_run),
		cmocka_unit_test(blocks_share_a_place),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
