/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of accesses against a plain list of them, and rows of bytes against the bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "checks/state/access_tree.h"
#include "checks/state/operation.h"
#include "tests/checks/chance.h"

#define NODES 300
#define SPAN 2000 /* addresses: few enough for many of one start */

static struct access_tree tree(struct pending_access *at, uint16_t room)
{
	memset(at, 0, room * sizeof(*at));
	return (struct access_tree){.at = at, .room = room};
}

static struct pending_access *enter(struct access_tree *t, uint64_t start, uint64_t end, unsigned flags)
{
	struct pending_access *node = access_tree_take(t);

	if (!node)
		return NULL;
	*node = (struct pending_access){
		.start = start, .end = end, .stream = 1, .position = next(50), .flags = (uint8_t)flags};
	assert_true(access_tree_enter(t, node));
	return node;
}

static bool touches(const struct pending_access *a, uint64_t start, uint64_t end)
{
	return a->start < end && start < a->end;
}

/* What the walk finds is what the list has. */
static void compare(const struct access_tree *t, struct pending_access *const *list, unsigned n)
{
	uint64_t start = next(SPAN), end = start + 1 + next(200);
	unsigned found = 0, there = 0, writes = 0;
	struct pending_access *a;
	struct access_walk w;

	access_walk_begin(&w, t, start, end);
	while ((a = access_walk_next(&w)) != NULL) {
		assert_true(touches(a, start, end));
		found++;
	}
	for (unsigned i = 0; i < n; i++) {
		there += touches(list[i], start, end);
		writes += (list[i]->flags & ACCESS_WRITES) != 0;
	}
	assert_int_equal(found, there);
	assert_int_equal(t->n, n);
	assert_int_equal(t->writes, writes);
}

static void first_of_a_start(const struct access_tree *t, struct pending_access *const *list, unsigned n)
{
	uint64_t start = next(SPAN);
	const struct pending_access *found = access_tree_at(t, start);
	bool there = false;

	for (unsigned i = 0; i < n; i++)
		there |= list[i]->start == start;
	assert_int_equal(found != NULL, there);
	if (found)
		assert_int_equal(found->start, start);
}

static void tree_against_list(void **state)
{
	static struct pending_access at[NODES];
	struct pending_access *list[NODES];
	struct access_tree t = tree(at, NODES);
	unsigned n = 0;

	(void)state;
	random_state = 4711;
	for (unsigned i = 0; i < 40000; i++) {
		unsigned which = n ? next(n) : 0;
		uint64_t start = next(SPAN);

		if (n && next(2)) {
			assert_true(access_tree_remove(&t, list[which]));
			list[which] = list[--n];
		} else if (n && !next(4)) {
			struct pending_access now = *list[which];

			now.flags = next(2) ? ACCESS_WRITES : ACCESS_READS;
			access_tree_replace(&t, list[which], &now);
		} else {
			struct pending_access *a = enter(
				&t, start, start + 1 + next(100), next(2) ? ACCESS_WRITES : ACCESS_READS);

			assert_int_equal(a == NULL, n == NODES);
			if (a)
				list[n++] = a;
		}
		compare(&t, list, n);
		first_of_a_start(&t, list, n);
	}
}

/* What is found first does not depend on where the memory lies: findings are the same in every run. */
static void same_order_at_any_address(void **state)
{
	static struct pending_access at[2][NODES];
	struct access_tree t[2] = {tree(at[0], NODES), tree(at[1], NODES)};
	struct pending_access *first, *second;
	struct access_walk w[2];

	(void)state;
	for (unsigned base = 0; base < 2; base++) {
		random_state = 815;
		for (unsigned i = 0; i < NODES; i++) {
			uint64_t start = 0x12c000000000 + base * 0x7351000 + next(SPAN);

			enter(&t[base], start, start + 1 + next(100), ACCESS_WRITES);
		}
		access_walk_begin(&w[base], &t[base], 0, UINT64_MAX);
	}
	for (unsigned i = 0; i < NODES; i++) {
		first = access_walk_next(&w[0]);
		second = access_walk_next(&w[1]);
		assert_int_equal(second->start - first->start, 0x7351000);
		assert_int_equal(second->position, first->position);
	}
}

/* No more than there is room for; what was taken out makes room. */
static void as_many_as_there_is_room_for(void **state)
{
	static struct pending_access at[4];
	struct access_tree t = tree(at, 4);
	struct pending_access *first = enter(&t, 0, 10, ACCESS_READS);

	(void)state;
	for (unsigned i = 1; i < 4; i++)
		assert_non_null(enter(&t, i, 10, ACCESS_READS));
	assert_null(access_tree_take(&t));
	assert_true(access_tree_remove(&t, first));
	assert_ptr_equal(enter(&t, 7, 9, ACCESS_WRITES), first);
	assert_null(access_tree_take(&t));
	/* One that is not there. */
	assert_true(access_tree_remove(&t, first));
	assert_false(access_tree_remove(&t, first));
}

/* Deeper than paths are kept, which priorities at random do not make: it is said, and nothing is written. */
static void too_deep(void **state)
{
	static struct pending_access at[ACCESS_TREE_DEPTH + 4];
	struct access_tree t = tree(at, ACCESS_TREE_DEPTH + 4);
	struct pending_access *last;

	(void)state;
	for (unsigned i = 0; i < ACCESS_TREE_DEPTH + 2; i++) {
		at[i] = (struct pending_access){.start = i,
			.end = i + 1,
			.high = i + 1,
			.stream = 1,
			.priority = UINT32_MAX,
			.right = (uint16_t)(i + 2)};
	}
	at[ACCESS_TREE_DEPTH + 1].right = 0;
	t.root = 1;
	t.n = ACCESS_TREE_DEPTH + 2;
	assert_false(access_tree_remove(&t, &at[ACCESS_TREE_DEPTH + 1]));
	assert_true(access_tree_remove(&t, &at[ACCESS_TREE_DEPTH - 1]));
	last = access_tree_take(&t);
	*last = (struct pending_access){.start = ACCESS_TREE_DEPTH * 2, .end = ACCESS_TREE_DEPTH * 3};
	assert_false(access_tree_enter(&t, last));
}

/* --- rows, byte by byte --- */

#define BYTES 128

/* Rows with a gap behind each, or all bytes of a range. */
static struct pending_access access_at_random(void)
{
	struct pending_access a = {.start = next(40)};
	uint64_t rows = next(5);

	if (!rows) {
		a.end = a.start + 1 + next(40);
		return a;
	}
	a.width = 1 + next(8);
	a.pitch = a.width + 1 + next(8);
	a.end = a.start + (rows - 1) * a.pitch + a.width;
	return a;
}

static bool is_used(const struct pending_access *a, uint64_t byte)
{
	return touches(a, byte, byte + 1) && (!a->pitch || (byte - a->start) % a->pitch < a->width);
}

static void overlaps(const struct pending_access *a, const struct pending_access *b)
{
	uint64_t first = 0, last, start = 0, end = 0;

	while (first < BYTES && !(is_used(a, first) && is_used(b, first)))
		first++;
	assert_int_equal(accesses_overlap(a, b, &start, &end), first < BYTES);
	if (first == BYTES)
		return;
	for (last = first; is_used(a, last) && is_used(b, last);)
		last++;
	assert_int_equal(start, first);
	assert_int_equal(end, last);
}

/* Of rows only the same ones are known to be covered. */
static void covers(const struct pending_access *a, const struct pending_access *b)
{
	bool all = true;

	for (uint64_t byte = 0; byte < BYTES; byte++)
		all &= !is_used(b, byte) || is_used(a, byte);
	if (!a->pitch)
		assert_int_equal(access_covers(a, b), all);
	else if (access_covers(a, b))
		assert_true(all);
	assert_true(access_covers(a, a));
}

static void touches_range(const struct pending_access *a)
{
	const struct op_access access = {.address = (void *)a->start,
		.rows = a->pitch ? (a->end - a->start - a->width) / a->pitch + 1 : 1,
		.pitch = a->pitch,
		.width = a->pitch ? a->width : a->end - a->start,
		.span = a->end - a->start};
	uint64_t address = next(BYTES), size = 1 + next(20);
	bool any = false;

	for (uint64_t byte = address; byte < address + size; byte++)
		any |= is_used(a, byte);
	assert_int_equal(access_touches(&access, address, size), any);
}

static void rows_against_bytes(void **state)
{
	(void)state;
	random_state = 42;
	for (unsigned i = 0; i < 100000; i++) {
		struct pending_access a = access_at_random(), b = access_at_random();

		overlaps(&a, &b);
		covers(&a, &b);
		touches_range(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_order_at_any_address),
		cmocka_unit_test(tree_against_list),
		cmocka_unit_test(as_many_as_there_is_room_for),
		cmocka_unit_test(too_deep),
		cmocka_unit_test(rows_against_bytes),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("the tree of accesses", tests, NULL, NULL);
}
