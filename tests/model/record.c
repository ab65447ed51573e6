/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the books of the test that calls every function; part of the recording runtime. */
#include <stdio.h>

#define RECORD_RUNTIME
#include "test_values.h"

_Static_assert(RECORD_PAGES_USED < RECORD_RESULT_PAGE, "more parameter names than pages");

static char pages[RECORD_PAGES][4096] __attribute__((aligned(4096)));
static unsigned reached[ACL_API_COUNT], tests, failed;
static unsigned calls; /* of the runtime, since record_begin */
static bool call_failed;

RECORD_EXPORT void *record_page(unsigned n)
{
	return pages[n];
}

RECORD_EXPORT void record_true(bool ok, const char *function, const char *what)
{
	if (ok)
		return;
	printf("# %s: %s did not arrive intact\n", function, what);
	call_failed = true;
}

RECORD_EXPORT void record_called(unsigned api)
{
	calls++;
	reached[api]++;
}

RECORD_EXPORT void record_begin(void)
{
	memset(pages, 0, sizeof(pages));
	calls = 0;
	call_failed = false;
}

RECORD_EXPORT void record_end(unsigned api, const char *name, bool callbacks_ran)
{
	if (!callbacks_ran)
		printf("# %s: its callback did not run exactly once\n", name);
	if (calls != 1 || reached[api] != 1)
		printf("# %s: the runtime was called %u times, %u times by this name\n", name, calls,
			reached[api]);
	if (!callbacks_ran || calls != 1 || reached[api] != 1)
		call_failed = true;
	failed += call_failed;
	printf("%sok %u - %s\n", call_failed ? "not " : "", ++tests, name);
}

RECORD_EXPORT int record_finish(void)
{
	return failed != 0;
}
