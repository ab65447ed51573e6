/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what decides the verdict; lock-free, as findings and reasons come from any thread. */
#include "interpose/report/verdict.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "interpose/config/run_settings.h"
#include "interpose/common/text.h"

#define REASONS_MAX 24

const char *const acl_verdict_names[] = {"pass", "fail", "inconclusive"};

struct reason {
	_Atomic int state; /* 0 free, 1 being written, 2 there */
	char reason[40];
	char text[256];
};

/* Places whose findings are suppressed or expected; written under the sinks' lock. */
#define HUSHED_MAX 4096
static struct {
	uint64_t serial;
	uint8_t severity, status;
	bool advice, secondary;
} hushed[HUSHED_MAX];
static _Atomic unsigned n_hushed;

static struct reason reasons[REASONS_MAX];
static _Atomic(verdict_reason_fn) listener;
static _Atomic unsigned failing;
static _Atomic uint64_t unmet;

enum acl_severity verdict_least_severity(void)
{
	return settings_number(SETTING_FAIL_ON) == 1 ? ACL_SEV_WARNING : ACL_SEV_ERROR;
}

void verdict_count(const struct acl_finding *f, enum finding_status status)
{
	enum acl_severity least = verdict_least_severity();
	unsigned n = atomic_load(&n_hushed);

	if (status && f->repeat == 1 && n < HUSHED_MAX) {
		hushed[n].serial = f->serial;
		hushed[n].severity = f->severity;
		hushed[n].status = (uint8_t)status;
		hushed[n].advice = f->advice;
		hushed[n].secondary = f->secondary;
		atomic_store(&n_hushed, n + 1);
	}
	if (!status && !f->advice && !f->secondary && f->severity >= least)
		atomic_fetch_add_explicit(&failing, 1, memory_order_relaxed);
}

static int hushed_index(uint64_t serial)
{
	for (unsigned i = atomic_load(&n_hushed); i-- > 0;)
		if (hushed[i].serial == serial)
			return (int)i;
	return -1;
}

enum finding_status verdict_status_of(uint64_t serial)
{
	int i = hushed_index(serial);

	return i < 0 ? FINDING_COUNTED : (enum finding_status)hushed[i].status;
}

void verdict_unmet(uint64_t n)
{
	atomic_store(&unmet, n);
}

struct sums {
	struct checks_totals *totals;
	uint64_t *set_aside;
};

static void subtract(void *context, const struct checks_site *place)
{
	struct sums *sums = context;
	int i = hushed_index(place->serial);
	uint64_t *from;

	if (i < 0)
		return;
	sums->set_aside[hushed[i].status] += place->count;
	/* Consequences are not among the totals. */
	if (hushed[i].secondary)
		return;
	from = hushed[i].advice ? &sums->totals->advice : &sums->totals->findings[hushed[i].severity & 3];
	*from -= place->count < *from ? place->count : *from;
}

void verdict_totals(const struct checks *c, struct checks_totals *out, uint64_t set_aside[FINDING_STATUSES])
{
	struct sums sums = {out, set_aside};

	memset(set_aside, 0, FINDING_STATUSES * sizeof(*set_aside));
	if (c) {
		checks_totals(c, out);
		checks_each_site(c, subtract, &sums);
	}
}

bool verdict_add_reason(const char *reason, const char *text)
{
	for (unsigned i = 0; i < REASONS_MAX; i++) {
		struct reason *d = &reasons[i];
		struct text t;
		int free = 0;

		if (atomic_compare_exchange_strong(&d->state, &free, 1)) {
			text_init(&t, d->reason, sizeof(d->reason));
			text_str(&t, reason);
			text_init(&t, d->text, sizeof(d->text));
			text_safe(&t, text ? text : "", sizeof(d->text));
			atomic_store_explicit(&d->state, 2, memory_order_release);
			return true;
		}
		if (free == 2 && !strcmp(d->reason, reason))
			return false;
	}
	return false;
}

void verdict_listen(verdict_reason_fn fn)
{
	atomic_store(&listener, fn);
}

void verdict_inconclusive(const char *reason, const char *text)
{
	verdict_reason_fn fn = atomic_load(&listener);
	int saved = errno;

	if (verdict_add_reason(reason, text) && fn)
		fn(reason, text);
	errno = saved;
}

const char *verdict_reason(unsigned i, const char **text)
{
	if (i >= REASONS_MAX || atomic_load_explicit(&reasons[i].state, memory_order_acquire) != 2)
		return NULL;
	*text = reasons[i].text;
	return reasons[i].reason;
}

enum acl_verdict verdict_get(void)
{
	if (atomic_load_explicit(&failing, memory_order_relaxed))
		return ACL_VERDICT_FAIL;
	if (atomic_load_explicit(&reasons[0].state, memory_order_relaxed))
		return ACL_VERDICT_INCONCLUSIVE;
	return atomic_load(&unmet) ? ACL_VERDICT_FAIL : ACL_VERDICT_PASS;
}

int verdict_exit_code(int code)
{
	int64_t wanted = settings_number(SETTING_EXITCODE);

	return code == 0 && wanted > 0 && verdict_get() != ACL_VERDICT_PASS ? (int)wanted : code;
}

void verdict_forked(void)
{
	atomic_store(&failing, 0);
	atomic_store(&unmet, 0);
	atomic_store(&n_hushed, 0);
	for (unsigned i = 0; i < REASONS_MAX; i++)
		atomic_store(&reasons[i].state, 0);
}
