/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks against a table of positions: what is joined holds the last position of each stream, only what is
 * settled may be missing, no clock changes that another one uses, and none is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "checks/engine/instance.h"
#include "checks/state/clock.h"
#include "tests/checks/bare_checker.h"
#include "tests/checks/chance.h"

#define STREAMS 400
#define CLOCKS 12

/* Every third name is that of an unseen wait. */
static uint64_t name_of(unsigned stream)
{
	return stream % 3 ? 1000 - 2 * stream : (1000 - 2 * stream) | CLOCK_UNSEEN;
}

static unsigned stream_named(uint64_t name)
{
	return (unsigned)(1000 - (name & ~CLOCK_UNSEEN)) / 2;
}

/* By how many bits positions are larger than they are meant: 0, some or all of them are wide. */
static unsigned scale;

static uint64_t chance_position(void)
{
	return (uint64_t)(1 + next(1000)) << scale;
}

static uint64_t done[STREAMS]; /* positions up to there are settled */
static unsigned n_looked; /* entries that were looked at whether they are */

static bool settled(struct checks *c, const struct clock_entry *e)
{
	(void)c;
	n_looked++;
	return e->position <= done[stream_named(e->stream)];
}

struct known {
	struct clock *clock;
	uint64_t position[STREAMS];
};

struct game {
	struct checks *checks;
	unsigned n_streams;
	struct known known[CLOCKS];
};

static unsigned open_entries(const struct known *k)
{
	unsigned n = 0;

	for (unsigned s = 0; s < STREAMS; s++)
		n += k->position[s] > done[s];
	return n;
}

static void compare(const struct game *g, const struct known *k)
{
	uint32_t entries = clock_entries(k->clock);

	for (unsigned s = 0; s < g->n_streams; s++) {
		uint64_t there = clock_position(k->clock, name_of(s));

		if (k->position[s] > done[s])
			assert_int_equal(there, k->position[s]);
		else
			assert_true(there <= k->position[s]);
	}
	assert_true(entries <= CLOCK_ENTRIES);
	for (uint32_t i = 0; i < entries; i++) {
		struct clock_entry e = clock_entry_of(k->clock, i);

		assert_true(!i || clock_entry_of(k->clock, i - 1).stream < e.stream);
		assert_true(e.position > 0 && e.position <= k->position[stream_named(e.stream)]);
	}
	assert_int_equal(clock_position(k->clock, 1), 0);
	assert_int_equal(clock_position(k->clock, UINT64_MAX), 0);
}

/* Of a clock that holds all of b, the other way round that it does not. */
static void compare_covers(const struct known *a, const struct known *b)
{
	bool covers = true;

	for (uint32_t i = 0; i < clock_entries(b->clock); i++) {
		struct clock_entry e = clock_entry_of(b->clock, i);

		covers = covers && clock_position(a->clock, e.stream) >= e.position;
	}
	assert_int_equal(clock_covers(a->clock, b->clock), covers);
}

/* At a place of its own, in place of a clock that other streams may use as well. */
static void join(struct game *g)
{
	struct known *a = &g->known[next(CLOCKS)], *b = &g->known[next(CLOCKS)],
		     *to = &g->known[next(CLOCKS)];
	struct clock_entry more = {name_of(next(g->n_streams)), chance_position()};
	bool adds = next(4), full;
	struct clock *spare = to != a && to != b && next(3) ? to->clock : NULL, *k;
	struct known result = {NULL, {0}};

	if (spare)
		to->clock = NULL;
	k = clock_join(g->checks, spare, a->clock, b->clock, adds ? &more : NULL, settled, &full);
	for (unsigned s = 0; s < STREAMS; s++)
		result.position[s] = a->position[s] > b->position[s] ? a->position[s] : b->position[s];
	if (adds && result.position[stream_named(more.stream)] < more.position)
		result.position[stream_named(more.stream)] = more.position;
	assert_int_equal(full, open_entries(&result) > CLOCK_ENTRIES);
	assert_true(!full || !k);
	assert_true(!k || clock_entries(k) > 0);
	clock_release(g->checks, to->clock);
	if (full)
		memset(result.position, 0, sizeof(result.position));
	result.clock = k;
	*to = result;
	if (k) {
		assert_int_equal(load_relaxed(&k->users), 1);
		assert_true(clock_entries(k) * (k->wide ? 8u : 4u) <= k->room);
	}
	compare_covers(to, a);
	compare_covers(a, to);
	/* Another stream has it too. */
	if (!next(3)) {
		unsigned other = next(CLOCKS);
		struct clock *used = clock_use(to->clock);

		clock_release(g->checks, g->known[other].clock);
		g->known[other] = *to;
		g->known[other].clock = used;
	}
}

/* Some streams are done; what was known of them counts no more. */
static void settle_some(struct game *g)
{
	for (unsigned s = 0; s < g->n_streams; s++)
		if (!next(3))
			done[s] = chance_position();
	/* A clock may say what was settled and is not any more: there is none such. */
	for (unsigned i = 0; i < CLOCKS; i++) {
		clock_release(g->checks, g->known[i].clock);
		g->known[i] = (struct known){NULL, {0}};
	}
}

static void play(struct game *g, unsigned n_streams, unsigned rounds)
{
	g->n_streams = n_streams;
	for (unsigned round = 0; round < rounds; round++) {
		settle_some(g);
		for (unsigned i = 0; i < 60; i++) {
			join(g);
			compare(g, &g->known[next(CLOCKS)]);
		}
		for (unsigned i = 0; i < CLOCKS; i++)
			compare(g, &g->known[i]);
	}
	memset(done, 0, sizeof(done));
	settle_some(g);
	memset(done, 0, sizeof(done));
}

static void clocks_against_a_table(void **state)
{
	static struct game g;

	(void)state;
	g.checks = checker();
	for (unsigned n = 1; n < 40; n++) {
		random_state = n;
		play(&g, n, 12);
	}
	play(&g, 200, 8);
	play(&g, STREAMS, 8);
}

/* Tasks of days: from some on positions need more than half a word. */
static void clocks_of_long_streams(void **state)
{
	static struct game g;
	static const unsigned scales[] = {22, 21, 40, 53};

	(void)state;
	g.checks = checker();
	for (unsigned i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		scale = scales[i];
		for (unsigned n = 1; n < 40; n += 3) {
			random_state = n;
			play(&g, n, 12);
		}
		play(&g, 200, 8);
	}
	scale = 0;
}

/* The last position that is half a word, and the next one, alone and beside others. */
static void positions_at_the_edge(void **state)
{
	static const uint64_t positions[] = {1, CLOCK_NARROW - 1, CLOCK_NARROW, CLOCK_NARROW + 1, UINT32_MAX,
		UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1, UINT64_MAX};
	const unsigned n = sizeof(positions) / sizeof(positions[0]);
	struct checks *c = checker();
	bool full;

	(void)state;
	memset(done, 0, sizeof(done));
	for (unsigned i = 0; i < n * n; i++) {
		uint64_t first = positions[i / n], second = positions[i % n];
		struct clock_entry one = {name_of(1), first}, same = {name_of(1), second},
				   other = {name_of(2), second};
		struct clock *a = clock_join(c, NULL, NULL, NULL, &one, settled, &full);
		struct clock *b = clock_join(c, NULL, NULL, NULL, &same, settled, &full);
		struct clock *both = clock_join(c, NULL, a, b, NULL, settled, &full);
		struct clock *more = clock_join(c, NULL, a, NULL, &same, settled, &full);
		struct clock *two = clock_join(c, NULL, a, NULL, &other, settled, &full);

		assert_true(clock_position(both, name_of(1)) == (first > second ? first : second));
		assert_true(clock_position(more, name_of(1)) == (first > second ? first : second));
		assert_true(clock_position(two, name_of(1)) == first);
		assert_true(clock_position(two, name_of(2)) == second);
		assert_int_equal(clock_covers(a, b), first >= second);
		assert_true(clock_covers(both, a) && clock_covers(both, b) && clock_covers(two, a));
		clock_release(c, a);
		clock_release(c, b);
		clock_release(c, both);
		clock_release(c, more);
		clock_release(c, two);
	}
}

/* With as many entries as a clock has room for, and one more. */
static void clocks_that_are_full(void **state)
{
	struct checks *c = checker();
	struct clock *k = NULL;
	bool full;

	(void)state;
	memset(done, 0, sizeof(done));
	for (unsigned s = 0; s < CLOCK_ENTRIES; s++) {
		struct clock_entry more = {name_of(s), 5};
		struct clock *now = clock_join(c, NULL, k, NULL, &more, settled, &full);

		assert_false(full);
		assert_int_equal(clock_entries(now), s + 1);
		clock_release(c, k);
		k = now;
	}
	assert_null(clock_join(
		c, NULL, k, NULL, &(struct clock_entry){name_of(CLOCK_ENTRIES), 5}, settled, &full));
	assert_true(full);
	done[7] = 5;
	k = clock_join(c, NULL, k, NULL, &(struct clock_entry){name_of(CLOCK_ENTRIES), 5}, settled, &full);
	assert_false(full);
	assert_int_equal(clock_entries(k), CLOCK_ENTRIES);
	assert_int_equal(clock_position(k, name_of(7)), 0);
	memset(done, 0, sizeof(done));
}

/* All that a join finds is settled. */
static void nothing_is_left(void **state)
{
	struct checks *c = checker();
	bool full;

	(void)state;
	done[3] = 9;
	assert_null(clock_join(c, NULL, NULL, NULL, &(struct clock_entry){name_of(3), 9}, settled, &full));
	assert_false(full);
	assert_null(clock_join(c, NULL, NULL, NULL, NULL, settled, &full));
	assert_false(full);
	done[3] = 0;
}

/* Entries are looked at where there are a quarter more of them, not at each join. */
static void looks_are_few(void **state)
{
	struct checks *c = checker();
	struct clock *k = NULL;
	bool full;

	(void)state;
	n_looked = 0;
	for (unsigned i = 0; i < 100; i++)
		k = clock_join(c, NULL, k, NULL, &(struct clock_entry){name_of(i), 5}, settled, &full);
	for (unsigned i = 0; i < 1000; i++)
		k = clock_join(
			c, NULL, k, NULL, &(struct clock_entry){name_of(i % 100), 6 + i}, settled, &full);
	assert_true(n_looked >= 80 && n_looked < 1000);
}

static void memory_stays(void **state)
{
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	static struct game g;
	size_t before;

	(void)state;
	random_state = 77;
	g.checks = checks_create(&config, &host);
	play(&g, 60, 20);
	play(&g, STREAMS, 5);
	before = n_memory;
	for (unsigned i = 0; i < 3; i++) {
		play(&g, 60, 40);
		play(&g, STREAMS, 5);
	}
	assert_true(n_memory - before <= 1 << 20);
}

/* Nor does a clock that ends at once, nor one that serves the next join, take any. */
static void memory_stays_of_single_clocks(void **state)
{
	struct checks_host host = {.memory = counted};
	struct checks_config config = {.target = CHECKS_TARGET_DOCUMENTS};
	struct checks *c = checks_create(&config, &host);
	struct clock *k = NULL, *former = NULL;
	size_t before = 0;
	bool full;

	(void)state;
	memset(done, 0, sizeof(done));
	done[3] = 9;
	for (unsigned i = 0; i < 100000; i++) {
		struct clock_entry settled_one = {name_of(3), 9}, more = {name_of(i % 2), 1 + i};
		struct clock *now;

		if (i == 1000)
			before = n_memory;
		assert_null(clock_join(c, NULL, NULL, NULL, &settled_one, settled, &full));
		now = clock_join(c, former, k, NULL, &more, settled, &full);
		assert_non_null(now);
		former = k;
		k = now;
	}
	assert_int_equal(n_memory, before);
	done[3] = 0;
}

/* Without memory nothing is known of the order. */
static void without_memory(void **state)
{
	struct checks *c = checker();
	struct clock *k;
	bool full;

	(void)state;
	k = clock_join(c, NULL, NULL, NULL, &(struct clock_entry){name_of(1), 5}, settled, &full);
	assert_false(full);
	c->host.memory = refused;
	for (size_t bytes = 1 << 20; bytes >= 16; bytes /= 2)
		while (checks_alloc(c, bytes))
			;
	assert_null(clock_join(c, NULL, k, NULL, &(struct clock_entry){name_of(2), 5}, settled, &full));
	assert_true(full);
	assert_int_equal(clock_position(k, name_of(1)), 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clocks_against_a_table),
		cmocka_unit_test(clocks_of_long_streams),
		cmocka_unit_test(positions_at_the_edge),
		cmocka_unit_test(clocks_that_are_full),
		cmocka_unit_test(nothing_is_left),
		cmocka_unit_test(looks_are_few),
		cmocka_unit_test(memory_stays),
		cmocka_unit_test(memory_stays_of_single_clocks),
		cmocka_unit_test(without_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
