/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of expectations.  An entry of a file speaks of the whole run, and a
 * child may meet what its parent opened: where processes are known to be parts
 * of one job, the command that merges their reports evaluates.
 */
#include "interpose/report/expectations.h"

#include <stdatomic.h>

#include "interpose/report/expect_scope.h"
#include "interpose/config/run_settings.h"
#include "interpose/report/finding_record.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/common/suppression.h"
#include "interpose/report/verdict.h"

static bool forked, evaluated;

static bool in_job(void)
{
	return *settings_text(SETTING_JOB) != '\0';
}

static bool is_unmet(const struct suppression *p)
{
	return p->expected && !p->expired && !p->matched;
}

void expectations_evaluate(enum checks_end kind)
{
	const struct suppression *list;
	uint64_t n = 0;
	size_t entries;

	list = suppress_list(&entries);
	/* Before an exec nothing is over yet. */
	evaluated = kind != CHECKS_END_EXEC && !in_job();
	for (size_t i = 0; evaluated && !forked && i < entries; i++)
		n += is_unmet(&list[i]);
	if (evaluated)
		n += expect_unmet();
	verdict_unmet(n);
}

void expectations_each_unmet(void (*each)(void *context, const struct unmet *u), void *context)
{
	const struct suppression *list;
	struct expectation e;
	size_t n;

	list = suppress_list(&n);
	if (!evaluated)
		return;
	for (size_t i = 0; !forked && i < n; i++)
		if (is_unmet(&list[i]) || (list[i].expected && list[i].expired))
			each(context,
				&(struct unmet){.rule = list[i].rule ? list[i].rule : list[i].fingerprint,
					.reason = list[i].reason,
					.expired = list[i].expired});
	for (uint32_t i = 1; expect_get(i, &e); i++)
		if (expect_is_unmet(&e))
			each(context, &(struct unmet){e.rule, e.reason, e.place, e.opened, e.met, false});
}

static void scope_json(struct jout *j, const struct expectation *e)
{
	jout_object(j, NULL);
	jout_string(j, "in", "program");
	jout_string(j, "rule", e->rule);
	jout_string(j, "reason", e->reason);
	finding_frame_json(j, "place", module_mark(e->place));
	jout_uint(j, "opened", e->opened);
	jout_uint(j, "met", e->met);
	jout_object_end(j);
}

static void entry_json(struct jout *j, const struct suppression *p)
{
	const char *key, *value;

	jout_object(j, NULL);
	jout_string(j, "in", "file");
	for (unsigned i = 0; suppress_member(p, i, &key, &value); i++)
		jout_string(j, key, value);
	if (p->expired)
		jout_bool(j, "expired", true);
	jout_uint(j, "met", p->matched);
	jout_object_end(j);
}

/* A scope that expects something was ever opened. */
static bool any_scope(void)
{
	struct expectation e;

	for (uint32_t i = 1; expect_get(i, &e); i++)
		if (!e.ignores)
			return true;
	return false;
}

void expectations_json(struct jout *j)
{
	const struct suppression *list;
	struct expectation e;
	size_t n;

	list = suppress_list(&n);
	/* Expectations stand first in the list. */
	if (!any_scope() && !(n && list[0].expected))
		return;
	jout_array(j, "expectations");
	for (uint32_t i = 1; expect_get(i, &e); i++)
		if (!e.ignores && (e.opened || e.met))
			scope_json(j, &e);
	for (size_t i = 0; i < n && list[i].expected; i++)
		entry_json(j, &list[i]);
	jout_array_end(j);
}

void expectations_forked(void)
{
	forked = true;
	suppress_forked();
}
