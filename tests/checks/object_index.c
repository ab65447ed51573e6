/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of objects against a plain list: few values that share their slots, objects that get another
 * value while they are in it, and as many as there are at once that the table is outgrown and used again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checks/engine/instance.h"
#include "tests/checks/bare_checker.h"
#include "tests/checks/chance.h"

#define MANY 3000
#define VALUES 4096

static struct acl_object objects[MANY];
static uint64_t values[VALUES];
static struct acl_object *found_by[VALUES]; /* the model: NULL = none */
static unsigned value_of[MANY]; /* index of its value, VALUES = none yet */
static bool renamed[MANY]; /* it once got a value while it was found by another one */

struct game {
	struct checks *checks;
	struct object_index index;
	unsigned n_objects, n_values, live;
	bool renames; /* objects get another value while they are found */
};

static struct game game_new(unsigned n_objects, unsigned n_values)
{
	static struct checks *checks; /* gives the memory */
	struct game g = {.n_objects = n_objects, .n_values = n_values, .renames = true};

	if (!checks)
		checks = checker();
	g.checks = checks;
	memset(objects, 0, sizeof(objects));
	for (unsigned i = 0; i < MANY; i++)
		store_relaxed(&objects[i].live_value, NOT_LIVE(&objects[i]));
	memset(found_by, 0, sizeof(found_by));
	memset(renamed, 0, sizeof(renamed));
	for (unsigned i = 0; i < MANY; i++)
		value_of[i] = VALUES;
	assert_true(object_index_create(g.checks, &g.index));
	return g;
}

static bool is_found(unsigned o)
{
	return value_of[o] < VALUES && found_by[value_of[o]] == &objects[o];
}

static void forget(struct game *g, unsigned o)
{
	if (is_found(o)) {
		found_by[value_of[o]] = NULL;
		g->live--;
	}
}

/* One that was renamed may have several slots: as when its memory is used again, it has no value then. */
static void nameless(struct game *g, unsigned o)
{
	if (renamed[o])
		assert_null(object_index_put(g->checks, &g->index, &objects[o], 0));
}

static void put(struct game *g, unsigned o, unsigned v)
{
	struct acl_object *before = found_by[v];

	renamed[o] |= is_found(o) && value_of[o] != v;
	assert_ptr_equal(object_index_put(g->checks, &g->index, &objects[o], values[v]), before);
	forget(g, o);
	if (!found_by[v])
		g->live++;
	found_by[v] = &objects[o];
	value_of[o] = v;
	if (before && before != &objects[o])
		nameless(g, (unsigned)(before - objects));
}

static void take(struct game *g, unsigned o)
{
	object_index_remove(&g->index, &objects[o]);
	forget(g, o);
	nameless(g, o);
}

static void compare(struct game *g, unsigned v)
{
	assert_ptr_equal(object_index_get(&g->index, values[v]), found_by[v]);
}

static void compare_all(struct game *g)
{
	static struct object_kind kind;

	for (unsigned v = 0; v < g->n_values; v++)
		compare(g, v);
	/* What was left, and objects without a value, are found by none. */
	assert_null(object_index_get(&g->index, 0));
	assert_null(object_index_get(&g->index, UINT64_MAX));
	kind.index = g->index;
	assert_null(object_at_hand(&kind, 0));
}

/* Not too few slots to find an empty one, nor many more than what is there needs. */
static void table_fits(const struct game *g, unsigned most)
{
	uint64_t slots = load_relaxed(&((struct game *)g)->index.table)->mask + UINT64_C(1);

	assert_true(g->live * UINT64_C(4) <= slots * 3);
	assert_true(slots <= 16 || slots <= most * UINT64_C(16));
}

/* Objects come, go, and get another value; most of them are there at the same time in every second round. */
static void play(struct game *g, unsigned rounds, unsigned steps)
{
	for (unsigned round = 0; round < rounds; round++) {
		unsigned more = round % 2 ? 3 : 9;

		for (unsigned i = 0; i < steps; i++) {
			unsigned o = next(g->n_objects), v = next(g->n_values);

			if (next(12) >= more || (is_found(o) && (!g->renames || next(8))))
				take(g, o);
			else
				put(g, o, v);
			compare(g, v);
			if (value_of[o] < VALUES)
				compare(g, value_of[o]);
			table_fits(g, g->n_objects);
		}
		compare_all(g);
	}
}

/* Values whose searches begin in the last slots of the smallest table, and go on in its first ones. */
static void values_of_few_slots(void)
{
	const struct object_table smallest = {.mask = 15, .shift = 60};
	unsigned n = 0;

	for (uint64_t value = 1; n < VALUES; value++)
		if (object_place(&smallest, value) >= 13)
			values[n++] = value;
}

static void few_that_collide(void **state)
{
	(void)state;
	values_of_few_slots();
	for (unsigned seed = 0; seed < 300; seed++) {
		unsigned n = 1 + seed % 12;
		struct game g = game_new(n, n + seed % 3 + 1);

		random_state = seed;
		play(&g, 4, 150);
	}
}

static void many_of_any(void **state)
{
	struct game g = game_new(MANY, VALUES);

	(void)state;
	random_state = 4711;
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = i % 3 ? UINT64_C(0x55550000) + i * 64 : mix64(i + 1);
	play(&g, 4, 12000);
	/* So that the table that was outgrown first is used again, empty. */
	for (unsigned o = 0; o < MANY; o++)
		take(&g, o);
	compare_all(&g);
	play(&g, 2, 8000);
}

/* However long a few come and go. */
static void memory_stays(void **state)
{
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct game g = game_new(8, VALUES);
	size_t before;

	(void)state;
	g.checks = checks_create(&config, &host);
	g.renames = false;
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = (i + 1) * UINT64_C(4096);
	random_state = 3;
	play(&g, 2, 1000);
	before = n_memory;
	play(&g, 20, 8000);
	assert_int_equal(n_memory, before);
	assert_true(load_relaxed(&g.index.table)->mask < 64);
}

/* A value for each slot of a table of 64. */
static void values_of_all_slots(void)
{
	const struct object_table table = {.mask = 63, .shift = 58};
	uint64_t value = 1;

	for (unsigned slot = 0; slot < 64; slot++) {
		while (object_place(&table, value) != slot)
			value++;
		values[slot] = value++;
	}
}

/* Where nearly all slots were left the table is made anew, small, of the one that was outgrown before. */
static void slots_that_were_left(void **state)
{
	struct game g = game_new(64, 64);
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	size_t before = 0;

	(void)state;
	g.checks = checks_create(&config, &host);
	values_of_all_slots();
	for (unsigned round = 0; round < 3000; round++) {
		if (round == 3)
			before = n_memory;
		/* Each but the last has another one behind it when it goes. */
		for (unsigned i = 0; i < 47; i++)
			put(&g, i, i);
		for (unsigned i = 0; i < 46; i++)
			take(&g, i);
		for (unsigned i = 50; i < 56; i += 2)
			put(&g, i, i);
		assert_true(load_relaxed(&g.index.table)->mask < 63);
		if (round % 100 == 0)
			compare_all(&g);
		for (unsigned i = 46; i < 64; i++)
			take(&g, i);
	}
	compare_all(&g);
	assert_int_equal(n_memory, before);
}

/* Tables that were outgrown keep their addresses, and no memory. */
static void memory_comes_back(void **state)
{
	const unsigned many = 1 << 18;
	struct game g = game_new(1, 1);
	struct acl_object *o = memory(NULL, many * sizeof(*o));
	long before, slots;

	(void)state;
	for (unsigned i = 0; i < many; i++)
		store_relaxed(&o[i].value, 1);
	before = resident();
	for (unsigned i = 0; i < many; i++)
		object_index_put(g.checks, &g.index, &o[i], (i + 1) * UINT64_C(64));
	slots = load_relaxed(&g.index.table)->mask + 1l;
	assert_true(resident() - before < slots * (long)sizeof(object_slot) * 3 / 2);
	munmap(o, many * sizeof(*o));
}

/* What programs put where they have no handle. */
static void no_handles(void **state)
{
	struct game g = game_new(2, 1);

	(void)state;
	values[0] = 5;
	put(&g, 0, 0);
	assert_null(object_index_put(g.checks, &g.index, &objects[1], 0));
	assert_null(object_index_get(&g.index, 0));
	assert_null(object_index_put(g.checks, &g.index, &objects[1], UINT64_MAX));
	assert_null(object_index_get(&g.index, UINT64_MAX));
	object_index_remove(&g.index, &objects[1]);
	compare(&g, 0);
	take(&g, 0);
	/* The least and the largest that is one. */
	values[0] = 1;
	put(&g, 0, 0);
	compare(&g, 0);
	take(&g, 0);
	values[0] = UINT64_MAX - 1;
	put(&g, 0, 0);
	compare(&g, 0);
	take(&g, 0);
	values[0] = 5;
	put(&g, 0, 0);
	/* It is found no more by the value that it had. */
	assert_null(object_index_put(g.checks, &g.index, &objects[0], UINT64_MAX));
	assert_null(object_index_get(&g.index, 5));
}

/* Those that were there are found on; of what comes the table takes what it has slots for. */
static void without_memory(void **state)
{
	struct game g = game_new(MANY, VALUES);
	unsigned kept = 0;

	(void)state;
	for (unsigned i = 0; i < VALUES; i++)
		values[i] = mix64(i + 1);
	put(&g, 0, 0);
	g.checks = checker();
	g.checks->host.memory = refused;
	for (size_t bytes = 1 << 20; bytes >= 16; bytes /= 2)
		while (checks_alloc(g.checks, bytes))
			;
	for (unsigned o = 1; o < MANY; o++) {
		assert_null(object_index_put(g.checks, &g.index, &objects[o], values[o]));
		if (object_index_get(&g.index, values[o])) {
			assert_ptr_equal(object_index_get(&g.index, values[o]), &objects[o]);
			kept++;
		}
	}
	assert_true(kept < MANY - 1);
	compare(&g, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_that_collide),
		cmocka_unit_test(many_of_any),
		cmocka_unit_test(memory_stays),
		cmocka_unit_test(slots_that_were_left),
		cmocka_unit_test(memory_comes_back),
		cmocka_unit_test(no_handles),
		cmocka_unit_test(without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
