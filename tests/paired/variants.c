/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios with one call changed. */
#include <stdio.h>
#include <string.h>

#include "paired.h"
#include "tests/checks/fixture_evaluated.h"
#include "tests/paired/variants.h"

#define CALLS 64 /* of a scenario that are changed; loops count by their first turn */
#define LONG 400 /* scenarios with more calls are about a number, and their variants as well */

enum change {
	CHANGE_NONE,
	CHANGE_RESULT, /* fails, or succeeds where it should fail */
	CHANGE_UNSEEN,
	CHANGE_INSIDE,
	CHANGE_THREAD,
	CHANGE_TWICE,
	CHANGE_EXIT, /* from here on the process ends */
	CHANGE_FAR, /* the caller is another one, in another module */
	CHANGE_WHOLE, /* those before change the call, those behind an argument */
	CHANGE_LESS,
	CHANGE_MORE,
	CHANGE_ZERO,
	CHANGE_INTERIOR /* points a little further */
};

static const char *const names[] = {"", "fails", "is not seen", "by the runtime", "by another thread",
	"twice", "at exit", "from another module", "", "- 1", "+ 1", "0", "+ 4 bytes"};

static struct {
	enum change kind;
	unsigned call, param;
} change;

static struct {
	unsigned n, distinct;
	struct {
		unsigned api, line, number;
		uint64_t values[ACL_CALL_PARAMS]; /* of the arguments */
	} calls[CALLS];
	struct acl_call_record *changed; /* between its enter and its leave */
} scenario;

static char arguments[512]; /* of the changed call */

/* --- one call -------------------------------------------------------------------------- */

static void note(unsigned api, const void *args, unsigned line)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = 0; i < scenario.distinct; i++)
		if (scenario.calls[i].line == line && scenario.calls[i].api == api)
			return;
	if (scenario.distinct == CALLS)
		return;
	memset(&scenario.calls[scenario.distinct], 0, sizeof(scenario.calls[0]));
	for (unsigned i = 0; i < info->n_params; i++)
		if (acl_params(info)[i].size <= sizeof(uint64_t))
			memcpy(&scenario.calls[scenario.distinct].values[i],
				(const char *)args + acl_params(info)[i].offset, acl_params(info)[i].size);
	scenario.calls[scenario.distinct].api = api;
	scenario.calls[scenario.distinct].line = line;
	scenario.calls[scenario.distinct++].number = scenario.n;
}

/* The arguments with one of them changed. */
static const void *other_arguments(unsigned api, const void *args)
{
	const struct acl_param *p = &acl_params(&acl_apis[api])[change.param];
	uint64_t value = 0;

	memcpy(arguments, args, acl_apis[api].args_size);
	memcpy(&value, arguments + p->offset, p->size);
	if (change.kind == CHANGE_LESS)
		value--;
	else if (change.kind == CHANGE_MORE)
		value++;
	else
		value = change.kind == CHANGE_ZERO ? 0 : value + 4;
	memcpy(arguments + p->offset, &value, p->size);
	return arguments;
}

bool variant_enter(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line)
{
	bool changed = change.kind && scenario.n == change.call;

	if (!change.kind)
		note(api, args, line);
	scenario.n++;
	if (!changed) {
		fixture_enter(fixture, call, api, args, line);
		return true;
	}
	scenario.changed = call;
	fixture->inside = change.kind == CHANGE_INSIDE;
	fixture->tid += change.kind == CHANGE_THREAD ? 77 : 0;
	fixture->in_exit |= change.kind == CHANGE_EXIT;
	fixture->module += change.kind == CHANGE_FAR;
	if (change.kind > CHANGE_WHOLE)
		args = other_arguments(api, args);
	if (change.kind == CHANGE_UNSEEN)
		acl_call_record_init(call, api, args, 0);
	else
		fixture_enter(fixture, call, api, args, change.kind == CHANGE_FAR ? line + 100000 : line);
	return true;
}

void variant_leave(struct fixture *fixture, struct acl_call_record *call, int64_t result)
{
	struct acl_call_record again;
	bool changed = call == scenario.changed;

	if (changed && change.kind == CHANGE_UNSEEN) {
		call->result.i = result; /* the scenario's, all the same */
		scenario.changed = NULL;
		return;
	}
	if (changed && change.kind == CHANGE_RESULT)
		result = result ? 0 : 107000;
	fixture_leave(fixture, call, result);
	if (!changed)
		return;
	scenario.changed = NULL;
	if (change.kind == CHANGE_TWICE) {
		fixture_enter(fixture, &again, call->api, call->args, 0);
		fixture_leave(fixture, &again, result);
	}
	fixture->inside = false;
	fixture->tid -= change.kind == CHANGE_THREAD ? 77 : 0;
	fixture->module -= change.kind == CHANGE_FAR;
}

/* --- what came out -------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* By name: which of two findings of a call comes first is not promised. "(-)": the rule was not
 * evaluated. */
static void outcome(const struct pair *t, const struct fixture *fixture, char *out, size_t size)
{
	const char *what[FIXTURE_FINDINGS];
	size_t n = 0, written = 0;

	for (unsigned i = 0; i < fixture->n_found; i++) {
		const struct fixture_finding *f = &fixture->found[i];

		if (strcmp(f->rule->id, "api-error") != 0 && (!f->advice || !strcmp(f->rule->id, t->rule)))
			what[n++] = f->what;
	}
	qsort(what, n, sizeof(what[0]), by_name);
	out[0] = 0;
	for (size_t i = 0; i < n; i++) {
		written += (size_t)snprintf(out + written, size - written, "%s%s", i ? " " : "", what[i]);
		assert_true(written < size);
	}
	if (!n)
		written = (size_t)snprintf(out, size, "silent");
	if (!fixture_count(fixture, t->rule))
		snprintf(out + written, size - written, " (-)");
}

/* Variants of a call with the same outcome stand in one line. */
struct lines {
	unsigned n;
	struct {
		char outcome[600], variants[1200];
	} line[32];
};

static void lines_add(struct lines *lines, const char *result, const char *variant)
{
	unsigned i = 0;
	size_t n;

	while (i < lines->n && strcmp(lines->line[i].outcome, result) != 0)
		i++;
	assert_true(i < 32);
	if (i == lines->n) {
		snprintf(lines->line[i].outcome, sizeof(lines->line[i].outcome), "%s", result);
		lines->line[i].variants[0] = 0;
		lines->n++;
	}
	n = strlen(lines->line[i].variants);
	snprintf(lines->line[i].variants + n, sizeof(lines->line[i].variants) - n, "%s%s", n ? ", " : "",
		variant);
}

/* --- which changes --------------------------------------------------------------------- */

static bool is_count(const struct acl_api_info *api, unsigned param)
{
	for (unsigned i = 0; i < api->n_params; i++)
		if (acl_params(api)[i].count == (int)param)
			return true;
	return false;
}

/* What would make the checker read beyond the scenario's arrays and strings is left alone. */
static bool applies(const struct acl_api_info *api, unsigned param, enum change kind, uint64_t value)
{
	const struct acl_param *p = &acl_params(api)[param];

	switch (p->kind) {
	case ACL_KIND_INT:
	case ACL_KIND_UINT:
	case ACL_KIND_ENUM:
		return kind == CHANGE_MORE ? !is_count(api, param)
					   : kind == CHANGE_LESS && (value || p->kind == ACL_KIND_INT);
	case ACL_KIND_BOOL:
		return kind == CHANGE_ZERO && value;
	case ACL_KIND_HANDLE:
		return kind == CHANGE_ZERO && value;
	case ACL_KIND_POINTER:
		if (kind == CHANGE_INTERIOR)
			return value >> 40 == 0x12 || value >> 40 == 0x7e;
		/* One rule about every function speaks of outputs. */
		return kind == CHANGE_ZERO && value && p->dir != ACL_DIR_OUT;
	default:
		return false;
	}
}

/* Everything that runs a variant. */
struct runner {
	const struct pair *t;
	struct fixture *fixture;
	void (*play)(const struct pair *t);
	char same[600], result[600]; /* what comes out unchanged, and now */
};

static void run_one(struct runner *r, char *out)
{
	fixture_again(r->fixture);
	scenario.n = 0;
	scenario.changed = NULL;
	r->play(r->t);
	outcome(r->t, r->fixture, out, sizeof(r->result));
}

static void try_change(struct runner *r, struct lines *lines, const char *name)
{
	run_one(r, r->result);
	if (strcmp(r->result, r->same) != 0)
		lines_add(lines, r->result, name);
}

static void try_call(struct runner *r, struct lines *lines, unsigned which)
{
	const struct acl_api_info *api = &acl_apis[scenario.calls[which].api];
	char name[128];

	change.call = scenario.calls[which].number;
	for (change.kind = CHANGE_RESULT; change.kind < CHANGE_WHOLE; change.kind++)
		try_change(r, lines, names[change.kind]);
	for (change.kind = CHANGE_LESS; change.kind <= CHANGE_INTERIOR; change.kind++)
		for (change.param = 0; change.param < api->n_params; change.param++) {
			if (!applies(api, change.param, change.kind,
				    scenario.calls[which].values[change.param]))
				continue;
			snprintf(name, sizeof(name), "%s %s", acl_params(api)[change.param].name,
				names[change.kind]);
			try_change(r, lines, name);
		}
}

void variants_run(struct record *record, const struct pair *t, struct fixture *fixture, const char *way,
	void (*play)(const struct pair *t))
{
	static struct lines lines;
	struct runner r = {.t = t, .fixture = fixture, .play = play};

	if (evaluated_wanted())
		return;
	memset(&change, 0, sizeof(change));
	scenario.distinct = 0;
	run_one(&r, r.same);
	record_add(record, "%s: %s\n", way, r.same);
	for (unsigned i = 0; scenario.n <= LONG && i < scenario.distinct; i++) {
		lines.n = 0;
		try_call(&r, &lines, i);
		for (unsigned k = 0; k < lines.n; k++)
			record_add(record, "  %u %s %s: %s\n", i + 1, acl_apis[scenario.calls[i].api].name,
				lines.line[k].variants, lines.line[k].outcome);
	}
	memset(&change, 0, sizeof(change));
}
