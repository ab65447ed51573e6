/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of replayed records, of made-up ones, which come from left to right by time.  "2:a 2:b" are two
 * of thread 2, calls 1 and 2 of it; "2:c=1.1" is another one after call 1 of thread 1.  Capitals are ends of
 * calls: "1:a 1:A" is a call from begin to end, and "=1.1!" comes after the end of that one.
 */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/aclcheck/trace/replay/replay_order.h"

/* What the order needs of the command. */
void *need(void *p);

void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

struct given {
	char letters[4096];
	size_t n;
};

static void take(void *context, const struct replay_record *r)
{
	struct given *g = context;

	assert_in_range(g->n, 0, sizeof(g->letters) - 2);
	g->letters[g->n++] = (char)r->caller;
}

/* The next record of the text; returns what is behind it. */
static const char *parse(const char *text, unsigned *calls, struct replay_record *r)
{
	char *at;

	*r = (struct replay_record){.bytes = sizeof(*r)};
	r->tid = (uint32_t)strtoul(text, &at, 10);
	r->caller = (unsigned char)at[1];
	r->kind = isupper(at[1]) ? REPLAY_EXIT : REPLAY_ENTRY;
	r->number = r->kind == REPLAY_ENTRY ? ++calls[r->tid] : calls[r->tid];
	at += 2;
	while (*at == '=') {
		uint32_t tid = (uint32_t)strtoul(at + 1, &at, 10),
			 number = (uint32_t)strtoul(at + 1, &at, 10);

		r->after[r->n_after++] = acl_mark(tid, number, *at == '!');
		at += *at == '!';
	}
	return at + (*at == ' ');
}

struct made {
	unsigned missing, circles;
};

static struct made made(unsigned window, const char *records, const char *expected)
{
	struct given g = {.n = 0};
	struct replay_order *o = replay_order_new(window, take, &g);
	unsigned calls[64] = {0};
	struct replay_record r;
	struct made m;

	while (*records) {
		records = parse(records, calls, &r);
		replay_order_take(o, &r);
	}
	replay_order_flush(o);
	m = (struct made){replay_order_missing(o), replay_order_circles(o)};
	replay_order_free(o);
	assert_string_equal(g.letters, expected);
	return m;
}

static void ordered(const char *records, const char *expected)
{
	struct made m = made(100, records, expected);

	assert_int_equal(m.missing, 0);
	assert_int_equal(m.circles, 0);
}

static void test_time(void **state)
{
	(void)state;
	ordered("", "");
	ordered("1:a 2:b 1:c", "abc");
	ordered("1:a 1:A 2:b=1.1! 2:B=1.1! 1:c=2.1!", "aAbBc");
	ordered("1:a 2:b=1.1 1:A=2.1 2:B=1.1=1.1!", "abAB");
}

static void test_calls(void **state)
{
	(void)state;
	ordered("1:a 2:c=3.1 3:b", "abc");
	/* what has nothing to do with it stays where it is: the late one comes forward */
	ordered("1:a 2:b=5.1 3:c 3:d 5:e 3:f", "aebcdf");
	/* one after the other */
	ordered("1:d=2.1 2:c=3.1 3:b=4.1 4:a", "abcd");
	/* after several */
	ordered("1:c=2.1=3.1 2:a 3:b", "abc");
	ordered("1:c=2.1=3.1 2:b=3.1 3:a", "abc");
	/* begin and end */
	ordered("2:b=1.1 1:a 1:A", "abA");
	ordered("2:b=1.1! 2:c 1:a 1:A", "aAbc");
}

static void test_threads(void **state)
{
	(void)state;
	/* a thread's own order is kept: what it recorded before comes along */
	ordered("1:c=2.2 2:a 2:b", "abc");
	ordered("1:x=2.2 1:y 2:a=3.1 2:b 3:c", "cabxy");
}

static void test_circles(void **state)
{
	struct made m;

	(void)state;
	/* each of two calls came to one object first: the order of time is as good as any */
	m = made(100, "1:a=2.1 2:b=1.1 3:c=1.1=2.1", "abc");
	assert_int_equal(m.circles, 1);
	assert_int_equal(m.missing, 0);
	/* by way of what their threads recorded before */
	m = made(100, "1:b=2.2 1:c 2:d=1.2 2:a", "bcda");
	assert_int_equal(m.circles, 1);
	assert_int_equal(m.missing, 0);
}

static void test_missing(void **state)
{
	static const char early[] = "1:a=2.2 2:b 2:c";
	struct made m;

	(void)state;
	m = made(100, "1:a 1:b=2.2 2:c", "abc");
	assert_int_equal(m.missing, 1);
	assert_int_equal(m.circles, 0);
	assert_int_equal(made(100, early, "bca").missing, 0);
	/* it comes too late */
	assert_int_equal(made(2, early, "abc").missing, 1);
}

/* Many threads, each record late by less than the window: as they were made, whatever the times. */
static void test_many(void **state)
{
	char records[65536], expected[1024];
	size_t n = 0, at = 0;

	(void)state;
	for (unsigned block = 0; block < 60; block++)
		for (unsigned i = 0; i < 16; i++) {
			unsigned which = (i * 7 + block) % 16;

			/* thread 0 comes after the last one of the round before */
			n += (size_t)snprintf(records + n, sizeof(records) - n, "%s%u:%c", n ? " " : "",
				which, 'a' + (int)((block * 16 + which) % 26));
			if (block || which)
				n += (size_t)snprintf(records + n, sizeof(records) - n, "=%u.%u",
					(which + 15) % 16, which ? block + 1 : block);
			expected[at] = (char)('a' + at % 26);
			expected[++at] = 0;
		}
	ordered(records, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_circles),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_many),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("order of replayed calls", tests, NULL, NULL);
}
