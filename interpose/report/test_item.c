/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/report/test_item.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "interpose/common/compiler.h"
#include "interpose/common/site_conditions.h"
#include "interpose/common/text.h"
#include "interpose/common/tool_arena.h"

#define LINES_SIZE 16384

/*
 * The test `name` begins; NULL: none runs any more.  What was found before and was not taken is forgotten.
 * aclcheck_test_take() copies lines that were noted since, as many as fit, and forgets them:
 * "fail RULE …" for a finding that fails the verdict, "expected RULE".
 */
ACL_EXPORT void aclcheck_test_begin(const char *name);
ACL_EXPORT size_t aclcheck_test_take(char *to, size_t size);

static _Atomic uint32_t begun, current; /* current: 0 or begun */
static _Atomic(const char *) item;
static _Atomic bool busy; /* lines; held for a copy */
static char lines[LINES_SIZE];
static size_t used;

uint32_t test_item_number(void)
{
	return atomic_load_explicit(&current, memory_order_relaxed);
}

const char *test_item_name(void)
{
	return atomic_load_explicit(&item, memory_order_acquire);
}

/* false: another thread has them, which is rare and short; no thread waits for another here. */
static bool lines_take(void)
{
	for (unsigned i = 0; i < 100000; i++)
		if (!atomic_exchange_explicit(&busy, true, memory_order_acquire))
			return true;
	return false;
}

static void lines_give(void)
{
	atomic_store_explicit(&busy, false, memory_order_release);
}

void aclcheck_test_begin(const char *name)
{
	int saved = errno;
	const char *copy = name ? arena_string(name) : NULL;

	atomic_store_explicit(&item, copy, memory_order_release);
	if (copy)
		site_condition_set(SITE_OF_TEST);
	atomic_store(&current, copy ? atomic_fetch_add(&begun, 1) + 1 : 0);
	if (lines_take()) {
		used = 0;
		lines_give();
	}
	errno = saved;
}

/* Whole lines. */
size_t aclcheck_test_take(char *to, size_t size)
{
	size_t n = 0;

	if (!to || !size || !lines_take())
		return 0;
	n = used < size - 1 ? used : size - 1;
	while (n && lines[n - 1] != '\n')
		n--;
	memcpy(to, lines, n);
	to[n] = 0;
	used = 0;
	lines_give();
	return n;
}

void test_item_finding(const struct finding_record *s)
{
	bool fails = s->status == FINDING_COUNTED && !s->f->advice && !s->f->secondary &&
		     s->f->severity >= verdict_least_severity();
	static char line[1024]; /* under the sinks' lock */
	struct text t;

	if (!test_item_number() || (!fails && s->status != FINDING_EXPECTED))
		return;
	text_init(&t, line, sizeof(line) - 1);
	text_fmt(&t, fails ? "fail %s: " : "expected %s: ", s->f->rule->id);
	if (s->f->detail)
		text_safe(&t, s->f->detail, 512);
	if (s->n_ips) {
		text_str(&t, "  at ");
		finding_call_site(&t, s->ips[0]);
	}
	line[t.len++] = '\n';
	if (t.len > sizeof(lines) || !lines_take())
		return;
	if (used + t.len <= sizeof(lines)) {
		memcpy(lines + used, line, t.len);
		used += t.len;
	}
	lines_give();
}

void test_item_forked(void)
{
	atomic_store(&busy, false);
	used = 0;
}
