/* SPDX-License-Identifier: Apache-2.0 */
/* The formatter of findings against the C library's, which needs more stack. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "checks/engine/plain_format.h"

#define SAME(...)                                                                                            \
	do {                                                                                                 \
		char ours[100], theirs[100];                                                                 \
                                                                                                             \
		snprintf(theirs, sizeof(theirs), __VA_ARGS__);                                               \
		assert_string_equal(plain_print(ours, sizeof(ours), __VA_ARGS__), theirs);                   \
	} while (0)

static void test_same(void **state)
{
	(void)state;
	SAME("plain");
	SAME("%s and %s", "one", "");
	SAME("%.3s|%.0s|%.9s", "abcdef", "abc", "abc");
	SAME("%d %d %d", 0, INT_MIN, INT_MAX);
	SAME("%u %x %x", UINT_MAX, UINT_MAX, 0u);
	SAME("%ld %lu %lx", LONG_MIN, ULONG_MAX, ULONG_MAX);
	SAME("%lld %llu %llx", LLONG_MIN, ULLONG_MAX, 0x1234abcdull);
	SAME("%zu", SIZE_MAX);
	SAME("%p %p", (void *)0x1234, (void *)NULL);
	SAME("%c%c 100%%", 'a', 'b');
	SAME("%s:%d:%s:%llu:%x:%p", "x", -1, "y", 7ull, 255u, (void *)1);
}

/* Cut where the room ends, never beyond. */
static void test_cut(void **state)
{
	char room[12];

	(void)state;
	for (size_t cap = 1; cap <= 10; cap++) {
		memset(room, '#', sizeof(room));
		plain_print(room, cap, "%s%u", "abcd", 123456u);
		assert_int_equal(strlen(room), cap - 1);
		assert_memory_equal(room, "abcd123456", cap - 1);
		assert_int_equal(room[cap], '#');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_cut),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
