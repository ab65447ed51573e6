/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What readers without a lock may find in the pointer map and in the indexes while others write, and that the
 * lock excludes, under every outcome that C11's memory model allows (weak_memory.h).
 *
 *	litmus			all tests, as TAP
 *	litmus orders		each acquire and each release of the code made relaxed, one by one: prints
 *				those that no test misses
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "checks/engine/instance.h"
#include "checks/engine/key_index.h"
#include "checks/engine/pointer_map_cursor.h"
#include "tests/litmus/weak_memory.h"

#define MAX_RUNS 3000000

/* --- what the sources need beside themselves ------------------------------------------------ */

static struct checks checks;
static unsigned degraded;

void *checks_alloc(struct checks *c, size_t bytes)
{
	(void)c;
	return weak_alloc(bytes);
}

void *checks_permanent(struct checks *c, size_t bytes)
{
	return checks_alloc(c, bytes);
}

void checks_forget(struct checks *c, void *p, size_t bytes)
{
	(void)c, (void)p, (void)bytes;
}

void checks_degrade(struct checks *c, const char *text)
{
	(void)c, (void)text;
	degraded++;
}

void call_site_take(
	struct checks *c, struct call_site_slot *slot, const struct acl_call_record *call, bool with_stack)
{
	(void)c, (void)slot, (void)call, (void)with_stack;
}

/* --- the pointer map ---------------------------------------------------------------------------- */

static struct pointer_map *map;
static struct acl_block *blocks[8];
static uint32_t generations[8];
static _Atomic unsigned shown; /* by the program itself: number of what it did last */

static void tell(unsigned what)
{
	store_release(&shown, what);
}

static void begin(void)
{
	map = map_create(&checks);
	store_relaxed(&shown, 0);
	degraded = 0;
}

static void put(unsigned n, uint64_t base, uint64_t size, unsigned kind)
{
	blocks[n] = map_insert(&checks, map, NULL, base, size, kind, 0);
	weak_expect(blocks[n]);
	generations[n] = load_relaxed(&blocks[n]->generation);
}

static void drop(unsigned n)
{
	map_erase(map, blocks[n], generations[n]);
}

/* Exactly what it was when it was put there. */
static bool is(const struct block_lookup *found, unsigned n, uint64_t base, uint64_t size, unsigned kind)
{
	return found->block == blocks[n] && found->base == base && found->size == size &&
	       found->kind == kind && found->generation == (uint16_t)generations[n] &&
	       found->index == blocks[n]->index;
}

#define BASE UINT64_C(0x7f0012340000)

/* One block goes, another of other size and kind comes in its place; both in the same bucket. */
static void place_prepare(void)
{
	begin();
	put(0, BASE, 1000, MEM_DEVICE);
}

static void place_write(void)
{
	drop(0);
	tell(1);
	weak_writer(1);
	put(1, BASE, 900, MEM_HOST);
	tell(2);
}

static void place_read(void)
{
	unsigned before = load_acquire(&shown);
	struct block_lookup found;
	bool there = map_find(map, BASE + 100, &found);

	weak_expect(!there || is(&found, 0, BASE, 1000, MEM_DEVICE) || is(&found, 1, BASE, 900, MEM_HOST));
	weak_expect(before != 2 || (there && found.block == blocks[1]));
	weak_expect(before != 1 || !there || found.block == blocks[1]);
	weak_expect(there || !found.block);
}

/* The same of a number that is given out again: only its generation is another one. */
static void vast_prepare(void)
{
	begin();
	put(0, BASE, UINT64_C(1) << 36, MEM_RESERVED);
}

static void vast_write(void)
{
	drop(0);
	tell(1);
	weak_writer(1);
	put(1, BASE, UINT64_C(3) << 35, MEM_DEVICE);
	tell(2);
}

static void vast_read(void)
{
	unsigned before = load_acquire(&shown);
	struct block_lookup found;
	bool there = map_find(map, BASE + (UINT64_C(1) << 33), &found);

	weak_expect(!there || is(&found, 0, BASE, UINT64_C(1) << 36, MEM_RESERVED) ||
		    is(&found, 1, BASE, UINT64_C(3) << 35, MEM_DEVICE));
	weak_expect(before != 2 || (there && found.block == blocks[1]));
	weak_expect(before != 1 || !there || found.block == blocks[1]);
}

/* What is there is found whatever happens beside it: neighbours of its bucket, then the next one (SPILLED).
 */
static void beside_prepare(void)
{
	begin();
	put(0, BASE, 256, MEM_DEVICE);
	put(1, BASE + 256, 256, MEM_HOST);
}

static uint64_t same_bucket(unsigned k, uint64_t size)
{
	const struct table *t = load_relaxed(&map->table);
	unsigned class = class_of(size), log = GRANULE_LOG(class);
	uint64_t base = BASE, bucket = bucket_number(class, BASE >> log) & t->mask;

	for (;;) {
		base += UINT64_C(1) << log;
		if ((bucket_number(class, base >> log) & t->mask) == bucket && !--k)
			return base;
	}
}

static void beside_write(void)
{
	drop(1);
	put(2, same_bucket(1, 256), 200, MEM_HOST);
	put(3, same_bucket(2, 256), 256, MEM_HOST);
	put(4, same_bucket(3, 256), 256, MEM_MANAGED); /* spills */
	tell(4);
}

static void beside_read(void)
{
	unsigned before = load_acquire(&shown);
	uint64_t spilled = before == 4 ? load_relaxed(&blocks[4]->base) : 0;
	struct block_lookup found;

	weak_expect(map_find(map, BASE + 255, &found) && is(&found, 0, BASE, 256, MEM_DEVICE));
	if (!spilled)
		return;
	weak_expect(map_find(map, spilled + 3, &found) && is(&found, 4, spilled, 256, MEM_MANAGED));
}

/* What is there is found while tables are outgrown and used again under a reader that is late. */
static void grow(void)
{
	map->erased = UINT64_MAX / 2;
}

static void outgrown_prepare(void)
{
	begin();
	weak_pages_return = true;
	put(0, BASE + 512, 256, MEM_DEVICE);
	put(1, BASE + 7168, 256, MEM_DEVICE);
}

static void outgrown_kept_prepare(void)
{
	outgrown_prepare();
	weak_pages_return = false;
}

static void outgrown_write(void)
{
	drop(1);
	grow();
	put(2, BASE + 2560, 256, MEM_HOST);
	weak_writer(1);
	drop(2);
	grow();
	put(3, BASE + 4608, 256, MEM_HOST);
	tell(3);
}

static void outgrown_read(void)
{
	unsigned before = load_acquire(&shown);
	struct block_lookup found;

	weak_expect(map_find(map, BASE + 767, &found) && is(&found, 0, BASE + 512, 256, MEM_DEVICE));
	if (before != 3)
		return;
	weak_expect(map_find(map, BASE + 4608, &found) && is(&found, 3, BASE + 4608, 256, MEM_HOST));
	weak_expect(!map_find(map, BASE + 2560, &found));
}

/* --- runs of blocks ------------------------------------------------------------------------------------ */

#define STRIDE 512

/* Blocks of one size at equal distances until they make a run; what lies before it goes. */
static void run_of(uint64_t base, uint64_t size, unsigned kind)
{
	struct acl_block *before[RUN_AFTER + 1];

	for (unsigned i = 0; i <= RUN_AFTER; i++)
		before[i] = map_insert(&checks, map, NULL, base + i * STRIDE, size, kind, 0);
	for (unsigned i = 0; i <= RUN_AFTER; i++)
		map_erase(map, before[i], load_relaxed(&before[i]->generation));
}

#define RUN_BASE (BASE + (RUN_AFTER + 1) * STRIDE)

static void run_prepare(void)
{
	begin();
	run_of(BASE, 400, MEM_DEVICE);
	put(0, RUN_BASE, 400, MEM_DEVICE);
	put(1, RUN_BASE + STRIDE, 400, MEM_DEVICE);
	weak_expect(blocks[0]->run);
}

/* Blocks of the run come and go, and come again at the same place. */
static void run_write(void)
{
	drop(1);
	tell(1);
	weak_writer(1);
	put(2, RUN_BASE + STRIDE, 400, MEM_DEVICE);
	tell(2);
	put(3, RUN_BASE + 2 * STRIDE, 400, MEM_DEVICE);
	tell(3);
}

static bool is_second(const struct block_lookup *found)
{
	generations[1] = generations[2] - 1;
	return is(found, 1, RUN_BASE + STRIDE, 400, MEM_DEVICE) ||
	       is(found, 2, RUN_BASE + STRIDE, 400, MEM_DEVICE);
}

static void run_read(void)
{
	unsigned before = load_acquire(&shown);
	struct block_lookup found;
	bool there;

	weak_expect(map_find(map, RUN_BASE + 399, &found) && is(&found, 0, RUN_BASE, 400, MEM_DEVICE));
	there = map_find(map, RUN_BASE + STRIDE + 7, &found);
	weak_expect(!there || is_second(&found));
	weak_expect(before < 1 || !there || found.generation == generations[2]);
	weak_expect(before < 2 || there);
	if (map_find(map, RUN_BASE + 2 * STRIDE, &found))
		weak_expect(is(&found, 3, RUN_BASE + 2 * STRIDE, 400, MEM_DEVICE));
	else
		weak_expect(before < 3);
}

/* A run ends and its number is used again, for blocks of other size and kind at the same addresses. */
static void run_again_prepare(void)
{
	begin();
	run_of(BASE, 400, MEM_DEVICE);
	put(0, RUN_BASE, 400, MEM_DEVICE);
	weak_expect(blocks[0]->run);
	/* The second one begins in the next granule: its blocks cover RUN_BASE + 16 in the end. */
	for (unsigned i = 0; i <= RUN_AFTER; i++) {
		put(1, RUN_BASE + 64 - (RUN_AFTER + 1 - i) * UINT64_C(96) - 64, 96, MEM_HOST);
		drop(1);
	}
}

static void run_again_write(void)
{
	drop(0);
	tell(1);
	weak_writer(1);
	put(1, RUN_BASE, 96, MEM_HOST);
	weak_expect(blocks[1]->run == blocks[0]->run);
	tell(2);
}

static void run_again_read(void)
{
	unsigned before = load_acquire(&shown);
	struct block_lookup found;
	bool there = map_find(map, RUN_BASE + 16, &found);

	if (there && found.kind == MEM_DEVICE)
		weak_expect(found.base == RUN_BASE && found.size == 400 && found.generation == 1 &&
			    found.block == blocks[0] && !before);
	else
		weak_expect(!there || is(&found, 1, RUN_BASE, 96, MEM_HOST));
	weak_expect(before < 2 || there);
}

/* A cursor that was put onto a run: what it finds is so, or it does not hold. */
static void cursor_read(void)
{
	struct map_cursor k = {0};
	struct cursor_block found;
	unsigned before = load_acquire(&shown);
	bool there;

	map_cursor_set(map, &k, RUN_BASE);
	there = k.run && map_cursor_find(&k, RUN_BASE + 16, &found);
	if (!map_cursor_holds(&k))
		return;
	if (there && found.size == 400)
		weak_expect(found.base == RUN_BASE && found.generation == 1 && found.block == blocks[0] &&
			    !before);
	else
		weak_expect(
			!there || (found.base == RUN_BASE && found.size == 96 && found.block == blocks[1] &&
					  found.generation == (uint16_t)generations[1]));
	weak_expect(before < 2 || there);
}

/* Who remembers a look-up and finds the version unchanged has what is so now. */
static void version_write(void)
{
	drop(0);
	tell(1);
	put(1, BASE, 900, MEM_HOST);
	tell(2);
}

static void version_read(void)
{
	uint64_t version = map_version(map);
	struct block_lookup found;
	bool there = map_find(map, BASE + 100, &found);
	unsigned now = load_acquire(&shown);

	if (map_version(map) != version)
		return;
	weak_expect(now != 1 || !there || found.block != blocks[0] || generations[0] != found.generation);
	weak_expect(now != 2 || (there && is(&found, 1, BASE, 900, MEM_HOST)));
}

/* --- the index ------------------------------------------------------------------------------------------ */

static struct key_index keys;
static bool key_is_gone(struct checks *c, uint64_t owner)
{
	(void)c;
	return owner == 2;
}

static void key_put(uint64_t key, uint64_t value, uint64_t owner)
{
	uint64_t before;

	weak_expect(key_index_put(&checks, &keys, key, value, owner, &before));
}

static void keys_prepare(void)
{
	memset((void *)&keys, 0, sizeof(keys));
	keys.gone = key_is_gone;
	store_relaxed(&shown, 0);
	/* 12 of 16 slots are used: one more key, and the table is outgrown. */
	key_put(0x1000, 11, 0);
	key_put(0x2000, 22, 0);
	for (unsigned i = 0; i < 10; i++)
		key_put(0x9000 + i * 64, 100 + i, 2);
}

static struct acl_lock keys_lock;

/* Values change, keys go, tables are outgrown and used again, twice. */
static void keys_write(void)
{
	lock(&keys_lock);
	key_put(0x1000, 12, 0);
	unlock(&keys_lock);
	tell(1);
	weak_writer(1);
	lock(&keys_lock);
	key_index_remove(&keys, 0x2000);
	unlock(&keys_lock);
	tell(2);
	lock(&keys_lock);
	for (unsigned i = 0; i < 14; i++)
		key_put(0x20000 + i * 64, 200 + i, 2);
	unlock(&keys_lock);
	lock(&keys_lock);
	key_put(0x3000, 33, 0);
	unlock(&keys_lock);
	tell(3);
}

static void keys_read(void)
{
	unsigned before = load_acquire(&shown);
	uint64_t value = 0;
	bool there = key_index_get(&keys, 0x1000, &value);

	weak_expect(there && (value == 12 || (value == 11 && before < 1)));
	there = key_index_get(&keys, 0x2000, &value);
	weak_expect(!there || (value == 22 && before < 2));
	there = key_index_get(&keys, 0x3000, &value);
	weak_expect(there ? value == 33 : before < 3);
}

/* --- the index of objects ------------------------------------------------------------------------------ */

/* Only its index is used. */
static struct object_kind kind;
static struct acl_object objects[22];
static struct acl_lock objects_lock;

static void object_enter(unsigned i, uint64_t value)
{
	struct acl_object *before = object_index_put(&checks, &kind.index, &objects[i], value);

	if (before)
		store_release(&before->live_value, NOT_LIVE(before));
	store_release(&objects[i].live_value, value);
}

static void object_leave(unsigned i)
{
	store_release(&objects[i].live_value, NOT_LIVE(&objects[i]));
	object_index_remove(&kind.index, &objects[i]);
}

static void objects_prepare(void)
{
	memset((void *)&kind.index, 0, sizeof(kind.index));
	store_relaxed(&shown, 0);
	for (unsigned i = 0; i < 22; i++) {
		store_relaxed(&objects[i].value, 0);
		store_relaxed(&objects[i].live_value, NOT_LIVE(&objects[i]));
	}
	weak_expect(object_index_create(&checks, &kind.index));
	/* 12 of 16 slots are used: one more object, and the table is outgrown. */
	object_enter(0, 0x1000);
	object_enter(1, 0x2000);
	for (unsigned i = 0; i < 10; i++)
		object_enter(4 + i, 0x9000 + i * 64);
}

/*
 * Rows of slots of which only the last one is taken: those before it were left and count as used, so that
 * with the next object a table is outgrown that has few, and the first and small one serves again.
 */
static void rows_fill(void)
{
	static const unsigned from[] = {0, 31, 48}, slots[] = {16, 16, 15};
	struct object_table *t = load_relaxed(&kind.index.table);
	uint64_t value = 0x20000;

	for (unsigned row = 0; row < 3; row++) {
		for (unsigned i = 0; i < slots[row]; value += 64)
			if (object_place(t, value) == from[row]) {
				i++;
				object_enter(i < slots[row] ? 3 + i : 19 + row, value);
			}
		for (unsigned i = 1; i < slots[row]; i++)
			object_leave(3 + i);
	}
	weak_expect(load_relaxed(&kind.index.table) == t && kind.index.used == 48);
}

/* A value goes to another object, an object goes, tables are outgrown and used again. */
static void objects_write(void)
{
	lock(&objects_lock);
	object_enter(2, 0x1000);
	unlock(&objects_lock);
	tell(1);
	weak_writer(1);
	lock(&objects_lock);
	object_leave(1);
	unlock(&objects_lock);
	tell(2);
	lock(&objects_lock);
	object_enter(0, 0x5000);
	object_enter(1, 0x6000);
	for (unsigned i = 0; i < 10; i++)
		object_leave(4 + i);
	object_leave(0);
	object_leave(1);
	rows_fill();
	unlock(&objects_lock);
	lock(&objects_lock);
	object_enter(3, 0x3000);
	unlock(&objects_lock);
	weak_expect(load_relaxed(&kind.index.renewals) == 3);
	tell(3);
}

static void objects_read_changed(void)
{
	unsigned before = load_acquire(&shown);
	struct acl_object *o = object_index_get(&kind.index, 0x1000);

	weak_expect(o == &objects[2] || (o == &objects[0] && before < 1));
}

static void objects_read_gone(void)
{
	unsigned before = load_acquire(&shown);
	struct acl_object *o = object_index_get(&kind.index, 0x2000);

	weak_expect(!o || (o == &objects[1] && before < 2));
}

static void objects_read_new(void)
{
	unsigned before = load_acquire(&shown);
	struct acl_object *o = object_index_get(&kind.index, 0x3000);

	weak_expect(o ? o == &objects[3] : before < 3);
}

/* Not there proves nothing: who reads without looking twice asks the other way then. */
static void objects_at_hand(void)
{
	unsigned before = load_acquire(&shown);
	struct acl_object *o = object_at_hand(&kind, 0x1000);

	weak_expect(!o || o == &objects[2] || (o == &objects[0] && before < 1));
	o = object_at_hand(&kind, 0x2000);
	weak_expect(!o || (o == &objects[1] && before < 2));
	o = object_at_hand(&kind, 0x3000);
	weak_expect(!o || o == &objects[3]);
}

/* --- tables of whole pages, which go back ----------------------------------------------------------------
 */

#define MANY 200 /* of so many a table is two pages */

static struct acl_object many[MANY + 1];

static void many_enter(unsigned i)
{
	weak_expect(!object_index_put(&checks, &kind.index, &many[i], 0x20000 + i * 64));
	store_release(&many[i].live_value, 0x20000 + i * 64);
}

static void pages_prepare(void)
{
	objects_prepare();
	weak_pages_return = true;
	for (unsigned i = 0; i < MANY; i++)
		many_enter(i);
	/* As if most slots had been left: one more object, and the table is outgrown. */
	kind.index.used = load_relaxed(&kind.index.table)->mask;
}

static void pages_write(void)
{
	many_enter(MANY);
	tell(1);
	weak_pages_return = false;
}

/* Objects that are there all the time, some of them in the middle of the table, and one that comes. */
static void pages_read(void)
{
	unsigned before = load_acquire(&shown);

	for (unsigned i = 0; i < 4; i++)
		weak_expect(object_index_get(&kind.index, 0x20000 + i * 64) == &many[i]);
	if (before)
		weak_expect(object_index_get(&kind.index, 0x20000 + MANY * 64) == &many[MANY]);
}

/* --- the lock ---------------------------------------------------------------------------------------------
 */

static struct acl_lock guard;
static _Atomic unsigned guarded;

static void lock_prepare(void)
{
	memset((void *)&guard, 0, sizeof(guard));
	store_relaxed(&guarded, 0);
}

static void lock_thread(void)
{
	lock(&guard);
	store_relaxed(&guarded, load_relaxed(&guarded) + 1);
	unlock(&guard);
}

static void lock_after(void)
{
	weak_expect(load_relaxed(&guarded) == 2);
	weak_expect(!(load_relaxed(&guard.word) & LOCK_HELD));
}

/* Highest value so far: what who raised it did before is known to who reads it. */
static _Atomic uint64_t highest, done_before;

static void raise_prepare(void)
{
	store_relaxed(&highest, 0);
	store_relaxed(&done_before, 0);
}

static void raise_low(void)
{
	raise_to(&highest, 2);
}

static void raise_high(void)
{
	store_relaxed(&done_before, 1);
	raise_to(&highest, 3);
}

static void raise_reader(void)
{
	uint64_t now = load_acquire(&highest);

	weak_expect(now < 3 || load_relaxed(&done_before) == 1);
	weak_expect(load_relaxed(&highest) >= now);
}

static void raise_after(void)
{
	weak_expect(load_relaxed(&highest) == 3);
}

/* --- all of them
 * -------------------------------------------------------------------------------------------- */

static const struct weak_test tests[] = {
	{"a block goes, another comes in its place", .prepare = place_prepare, .write = place_write,
		.read = place_read},
	{"the same with sizes beyond 32 bits", .prepare = vast_prepare, .write = vast_write,
		.read = vast_read},
	{"a block is found whatever its bucket's other ones do", .prepare = beside_prepare,
		.write = beside_write, .read = beside_read},
	{"a block is found while tables are outgrown, and their pages go back", .prepare = outgrown_prepare,
		.write = outgrown_write, .read = outgrown_read},
	{"the same when pages cannot go back", .prepare = outgrown_kept_prepare, .write = outgrown_write,
		.read = outgrown_read},
	{"blocks of a run come and go", .prepare = run_prepare, .write = run_write, .read = run_read},
	{"a run ends, and its number is used again", .prepare = run_again_prepare, .write = run_again_write,
		.read = run_again_read},
	{"a cursor on that run", .prepare = run_again_prepare, .write = run_again_write, .read = cursor_read},
	{"a look-up that is remembered with its version", .prepare = place_prepare, .write = version_write,
		.read = version_read},
	{"keys change, go, and their tables are used again", .prepare = keys_prepare, .write = keys_write,
		.read = keys_read},
	{"a value is another object's, and tables are used again", .prepare = objects_prepare,
		.write = objects_write, .read = objects_read_changed},
	{"an object goes, and tables are used again", .prepare = objects_prepare, .write = objects_write,
		.read = objects_read_gone},
	{"an object comes into a table that is used again", .prepare = objects_prepare,
		.write = objects_write, .read = objects_read_new},
	{"the same objects at hand", .prepare = objects_prepare, .write = objects_write,
		.read = objects_at_hand},
	{"an object is found while its table is outgrown, and the pages go back", .prepare = pages_prepare,
		.write = pages_write, .read = pages_read},
	{"the lock excludes, and wakes who sleeps", .prepare = lock_prepare,
		.thread = {lock_thread, lock_thread}, .after = lock_after},
	{"a value is raised by two threads", .prepare = raise_prepare,
		.thread = {raise_low, raise_high, raise_reader}, .after = raise_after},
};
#define TESTS (sizeof(tests) / sizeof(tests[0]))

static bool test_all(bool quiet)
{
	unsigned wrong = 0;

	for (unsigned i = 0; i < TESTS; i++) {
		struct weak_result r = weak_explore(&tests[i], MAX_RUNS, quiet);
		bool good = !r.failed && !r.unfinished && !r.endless && !degraded;

		wrong += !good;
		if (quiet && wrong)
			return false;
		if (!quiet)
			printf("%sok %u - %s\n# %llu runs%s, %llu given up\n", good ? "" : "not ", i + 1,
				tests[i].name, (unsigned long long)r.runs, r.unfinished ? ", not all" : "",
				(unsigned long long)r.endless);
	}
	return !wrong;
}

/* --- each order taken away
 * ------------------------------------------------------------------------------------- */

/* Code of a header is there once in each source that includes it. */
static bool same_site(const struct weak_site *a, const struct weak_site *b)
{
	return a->line == b->line && !strcmp(a->what, b->what) && !strcmp(a->file, b->file);
}

static bool is_first(const struct weak_site *site)
{
	for (const struct weak_site *s = site->next; s; s = s->next)
		if (same_site(s, site))
			return false;
	return true;
}

/* Whether a test fails without the order; a crash of the code is a failure as well. */
static bool is_missed(const struct weak_site *site)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		for (struct weak_site *s = weak_sites; s; s = s->next)
			s->weakened = same_site(s, site);
		_exit(test_all(true) ? 0 : 1);
	}
	return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

/* Prints FILE:LINE WHAT of each order that no test misses. */
static int print_unneeded(void)
{
	unsigned tried = 0;

	if (!test_all(true))
		return 1;
	for (struct weak_site *s = weak_sites; s; s = s->next) {
		if (!s->ordered || strstr(s->file, "tests/") || !is_first(s))
			continue;
		tried++;
		if (!is_missed(s))
			printf("%s:%d %s\n", strncmp(s->file, "./", 2) ? s->file : s->file + 2, s->line,
				s->what);
	}
	fprintf(stderr, "%u orders tried\n", tried);
	return 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "orders"))
		return print_unneeded();
	printf("1..%zu\n", TESTS);
	return !test_all(false);
}
