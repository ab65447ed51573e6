/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of keys against a plain list: keys that share their slots, that go with their owners, and so many
 * that the table is outgrown and used again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "checks/engine/instance.h"
#include "checks/engine/key_index.h"
#include "tests/checks/bare_checker.h"
#include "tests/checks/chance.h"

#define KEYS 2000
#define OWNERS 50

struct known {
	uint64_t key, value, owner;
	bool there;
};

struct game {
	struct checks *checks;
	struct key_index index;
	unsigned n_keys;
	struct known known[KEYS];
};

static bool ended[OWNERS + 1];

static bool owner_gone(struct checks *c, uint64_t owner)
{
	(void)c;
	assert_in_range(owner, 1, OWNERS);
	return ended[owner];
}

static void game_begin(struct game *g, unsigned n_keys, bool owned)
{
	static struct checks *checks; /* gives the memory */
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};

	if (!checks)
		checks = checks_create(&config, &host);
	memset(g, 0, sizeof(*g));
	memset(ended, 0, sizeof(ended));
	g->checks = checks;
	g->n_keys = n_keys;
	g->index.gone = owned ? owner_gone : NULL;
}

/* Its owner is gone: it may be there as long as nothing is made anew. */
static bool may_be_gone(const struct known *k)
{
	return k->owner && ended[k->owner];
}

static void compare(struct game *g, const struct known *k)
{
	uint64_t value = 0;
	bool found = key_index_get(&g->index, k->key, &value);

	if (k->there && may_be_gone(k))
		assert_true(!found || value == k->value);
	else
		assert_int_equal(found, k->there);
	if (found)
		assert_int_equal(value, k->value);
}

static struct known *known_key(struct game *g, uint64_t key)
{
	for (unsigned i = 0; i < g->n_keys; i++)
		if (g->known[i].key == key)
			return &g->known[i];
	return NULL;
}

static void compare_all(struct game *g)
{
	unsigned live = 0, seen = 0;
	uint64_t key, value;
	uint32_t cursor = 0;

	for (unsigned i = 0; i < g->n_keys; i++) {
		compare(g, &g->known[i]);
		live += g->known[i].there && !may_be_gone(&g->known[i]);
	}
	while (key_index_next(&g->index, &cursor, &key, &value)) {
		const struct known *k = known_key(g, key);

		assert_non_null(k);
		assert_true(k->there);
		assert_int_equal(value, k->value);
		seen += !may_be_gone(k);
	}
	assert_int_equal(seen, live);
	assert_false(key_index_get(&g->index, 0, &value));
	assert_false(key_index_get(&g->index, UINT64_MAX, &value));
}

static void put(struct game *g, struct known *k)
{
	uint64_t before, value = 1 + next(1000), owner = next(3) ? next(OWNERS + 1) : 0;

	if (owner && ended[owner])
		owner = 0;
	assert_true(key_index_put(g->checks, &g->index, k->key, value, owner, &before));
	if (k->there && may_be_gone(k))
		assert_true(!before || before == k->value);
	else
		assert_int_equal(before, k->there ? k->value : 0);
	k->there = true;
	k->value = value;
	k->owner = g->index.gone ? owner : 0;
}

/* An owner ends with all its keys; another one is there in its place when none of them is left. */
static void owners_change(struct game *g)
{
	unsigned owner = 1 + next(OWNERS);

	if (!ended[owner]) {
		ended[owner] = true;
		return;
	}
	for (unsigned i = 0; i < g->n_keys; i++)
		if (g->known[i].there && g->known[i].owner == owner) {
			key_index_remove(&g->index, g->known[i].key);
			g->known[i].there = false;
		}
	ended[owner] = false;
}

/* Not too few slots to find an empty one. */
static void table_fits(struct game *g)
{
	struct key_table *t = load_relaxed(&g->index.table);
	unsigned used = 0;

	for (uint64_t i = 0; t && i <= t->mask; i++)
		used += load_relaxed(&t->slots[i].key) != 0;
	assert_true(!t || used * 4 <= (t->mask + 1) * 3);
	assert_true(!t || used == t->used);
	assert_true(!t || t->mask < 16 || t->mask < g->n_keys * 8);
}

static void play(struct game *g, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		struct known *k = &g->known[next(g->n_keys)];

		switch (next(8)) {
		case 0:
		case 1:
			key_index_remove(&g->index, k->key);
			k->there = false;
			break;
		case 2:
			if (g->index.gone && !next(4))
				owners_change(g);
			break;
		case 3:
			if (next(200))
				break;
			key_index_clear(&g->index);
			for (unsigned n = 0; n < g->n_keys; n++)
				g->known[n].there = false;
			break;
		default:
			put(g, k);
		}
		compare(g, k);
	}
	compare_all(g);
	table_fits(g);
}

/* Keys whose searches begin in the last slots of the smallest table, and go on in its first ones. */
static void keys_of_few_slots(struct game *g)
{
	const struct key_table smallest = {.mask = 15, .shift = 60};
	unsigned n = 0;

	for (uint64_t key = 1; n < g->n_keys; key++)
		if (key_place(&smallest, key) >= 13)
			g->known[n++].key = key;
}

static void few_that_collide(void **state)
{
	static struct game g;

	(void)state;
	for (unsigned seed = 0; seed < 200; seed++) {
		random_state = seed;
		game_begin(&g, 1 + seed % 25, seed % 2);
		compare_all(&g);
		keys_of_few_slots(&g);
		for (unsigned round = 0; round < 10; round++)
			play(&g, 60);
	}
}

static void many_of_any(void **state)
{
	static struct game g;

	(void)state;
	for (unsigned owned = 0; owned < 2; owned++) {
		random_state = 5 + owned;
		game_begin(&g, KEYS, owned);
		for (unsigned i = 0; i < KEYS; i++)
			g.known[i].key = i % 2 ? mix64(i) : 0x1000 + i * 64;
		for (unsigned round = 0; round < 4; round++)
			play(&g, 5000);
	}
}

static uint64_t owner_now;

static bool earlier_owner(struct checks *c, uint64_t owner)
{
	(void)c;
	return owner < owner_now;
}

/* However long keys come and go: by themselves, or with their owners. */
static void memory_stays(void **state)
{
	static struct game g;

	(void)state;
	for (unsigned owned = 0; owned < 2; owned++) {
		size_t before = 0;
		uint64_t value;

		game_begin(&g, 0, owned);
		g.index.gone = owned ? earlier_owner : NULL;
		for (uint64_t key = 1; key < 400000; key++) {
			if (key == 20000)
				before = n_memory;
			owner_now = 1 + key / 100;
			assert_true(key_index_put(g.checks, &g.index, key * 16, key, owner_now, &value));
			if (!owned && key > 50)
				key_index_remove(&g.index, (key - 50) * 16);
		}
		assert_int_equal(n_memory, before);
	}
}

/* What was there is found on, and what finds no room changes nothing. */
static void without_memory(void **state)
{
	struct checks *c = checker();
	struct key_index index = {.gone = NULL};
	uint64_t before, value;
	unsigned n = 0;

	(void)state;
	assert_false(key_index_put(c, &index, 0, 1, 0, &before));
	assert_false(key_index_put(c, &index, UINT64_MAX, 1, 0, &before));
	assert_true(key_index_put(c, &index, 16, 5, 0, &before));
	c->host.memory = refused;
	for (size_t bytes = 1 << 20; bytes >= 16; bytes /= 2)
		while (checks_alloc(c, bytes))
			;
	while (key_index_put(c, &index, 32 + 16 * n, 7, 0, &before))
		n++;
	assert_in_range(n, 3, 15);
	assert_false(key_index_get(&index, 32 + 16 * n, &value));
	assert_true(key_index_get(&index, 16, &value));
	assert_int_equal(value, 5);
	assert_true(key_index_put(c, &index, 16, 6, 0, &before));
	assert_int_equal(before, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_that_collide),
		cmocka_unit_test(many_of_any),
		cmocka_unit_test(memory_stays),
		cmocka_unit_test(without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
