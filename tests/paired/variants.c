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
	CHANGE_LEARNED, /* not seen; a capture shows the stream it made */
	CHANGE_INSIDE,
	CHANGE_THREAD,
	CHANGE_TWICE,
	CHANGE_RETRIED, /* it fails first, and is made once more */
	CHANGE_DEVICE, /* its thread is on another device */
	CHANGE_IDLE, /* the host has waited for all before */
	CHANGE_EXIT, /* from here on the process ends */
	CHANGE_FAR, /* the caller is another one, in another module */
	CHANGE_CHILD, /* the process has forked before, and goes on in the child */
	CHANGE_NO_MEMORY, /* from here on there is none for the tables */
	CHANGE_CAPTURED, /* its stream is being captured */
	CHANGE_WHOLE, /* those before change the call, those behind an argument */
	CHANGE_LESS,
	CHANGE_MORE,
	CHANGE_ZERO,
	CHANGE_MOST,
	CHANGE_INTERIOR, /* points a little further */
	CHANGE_NOWHERE, /* no place for an answer */
	CHANGE_GONE, /* what it names was destroyed or freed before */
	CHANGE_UNREADABLE /* it leads to memory that is not there, and the call fails */
};

static const char *const names[] = {"", "fails", "is not seen", "is not seen but for a capture",
	"by the runtime", "by another thread", "twice", "after it failed", "on another device",
	"when all is done", "at exit", "from another module", "in a child process",
	"without memory for the tables", "captured", "", "- 1", "+ 1", "0", "as large as can be", "+ 4 bytes",
	"0", "gone before", "unreadable"};

static struct {
	enum change kind;
	unsigned call, param;
} change;

static struct {
	unsigned n, distinct;
	int captures; /* that are going on */
	struct {
		unsigned api, line, number;
		bool captured; /* a capture is going on */
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
	scenario.calls[scenario.distinct].captured = scenario.captures > 0;
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
	else if (change.kind == CHANGE_MOST)
		value = p->size == sizeof(value) ? UINT64_MAX : INT32_MAX;
	else
		value = change.kind == CHANGE_INTERIOR ? value + 4 : 0;
	memcpy(arguments + p->offset, &value, p->size);
	return arguments;
}

static void call_returns(struct fixture *fixture, unsigned api, const void *args, int64_t result)
{
	struct acl_call_record call;

	fixture_enter(fixture, &call, api, args, 0);
	fixture_leave(fixture, &call, result);
}

static void extra_call(struct fixture *fixture, unsigned api, const void *args)
{
	call_returns(fixture, api, args, 0);
}

static void device_is(struct fixture *fixture, int32_t device)
{
	const struct acl_args_aclrtSetDevice args = {.deviceId = device};

	extra_call(fixture, ACL_API_aclrtSetDevice, &args);
}

/* The function with no other argument that destroys objects of the kind; ACL_API_COUNT: none. */
static unsigned destroyer(unsigned kind)
{
	unsigned api = 0;

	while (api < ACL_API_COUNT &&
		(acl_apis[api].n_params != 1 || acl_params(&acl_apis[api])->handle != kind ||
			acl_params(&acl_apis[api])->life != ACL_LIFE_DESTROY))
		api++;
	return api;
}

static void destroy_before(struct fixture *fixture, const struct acl_param *p, uint64_t value)
{
	unsigned api = p->kind == ACL_KIND_HANDLE ? destroyer(p->handle)
		       : value >> 40 == 0x12      ? ACL_API_aclrtFree
						  : ACL_API_aclrtFreeHost;

	extra_call(fixture, api, &value);
}

static uint64_t argument_of(const struct acl_param *p, const void *args)
{
	uint64_t value = 0;

	memcpy(&value, (const char *)args + p->offset, p->size);
	return value;
}

static uint64_t stream_in(unsigned api, const void *args)
{
	const struct acl_api_info *info = &acl_apis[api];

	for (unsigned i = 0; i < info->n_params; i++)
		if (acl_params(info)[i].handle == ACL_HANDLE_STREAM &&
			acl_params(info)[i].life == ACL_LIFE_USE)
			return argument_of(&acl_params(info)[i], args);
	return 0;
}

/* What happens before the changed call. */
static void change_before(struct fixture *fixture, unsigned api, const void *args)
{
	const struct acl_param *p = &acl_params(&acl_apis[api])[change.param];
	struct acl_args_aclmdlRICaptureBegin capture = {.mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED};

	switch (change.kind) {
	case CHANGE_CHILD:
		checks_forked(fixture->checks);
		return;
	case CHANGE_NO_MEMORY:
		fixture_use_up_memory(fixture);
		return;
	case CHANGE_RETRIED:
		call_returns(fixture, api, args, 507899);
		return;
	case CHANGE_DEVICE:
		device_is(fixture, 1);
		return;
	case CHANGE_IDLE:
		extra_call(fixture, ACL_API_aclrtSynchronizeDevice, NULL);
		return;
	case CHANGE_CAPTURED:
		capture.stream = (void *)(uintptr_t)stream_in(api, args);
		extra_call(fixture, ACL_API_aclmdlRICaptureBegin, &capture);
		return;
	case CHANGE_GONE:
		destroy_before(fixture, p, argument_of(p, args));
		return;
	case CHANGE_UNREADABLE:
		fixture->wild = argument_of(p, args);
		fixture->wild_bytes = 8;
		return;
	default:
		return;
	}
}

bool variant_enter(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line)
{
	bool changed = change.kind && scenario.n == change.call;

	if (!change.kind)
		note(api, args, line);
	scenario.captures += (api == ACL_API_aclmdlRICaptureBegin) - (api == ACL_API_aclmdlRICaptureEnd);
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
	change_before(fixture, api, args);
	if (change.kind > CHANGE_WHOLE && change.kind < CHANGE_GONE)
		args = other_arguments(api, args);
	if (change.kind == CHANGE_UNSEEN || change.kind == CHANGE_LEARNED)
		acl_call_record_init(call, api, args, 0);
	else
		fixture_enter(fixture, call, api, args, change.kind == CHANGE_FAR ? line + 100000 : line);
	return true;
}

static void learn_stream(struct fixture *fixture, const struct acl_call_record *call)
{
	const aclrtStream *out = *(aclrtStream *const *)call->args;
	aclrtStream stream = out ? *out : NULL;
	aclmdlRI model = (void *)0x54000f0000;
	struct acl_args_aclmdlRICaptureBegin begin = {
		.stream = stream, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED};
	struct acl_args_aclmdlRICaptureEnd end = {.stream = stream, .modelRI = &model};
	struct acl_args_aclmdlRIDestroy destroy = {.modelRI = model};

	if (!stream)
		return;
	extra_call(fixture, ACL_API_aclmdlRICaptureBegin, &begin);
	extra_call(fixture, ACL_API_aclmdlRICaptureEnd, &end);
	extra_call(fixture, ACL_API_aclmdlRIDestroy, &destroy);
}

void variant_leave(struct fixture *fixture, struct acl_call_record *call, int64_t result)
{
	struct acl_call_record again;
	bool changed = call == scenario.changed;

	if (changed && (change.kind == CHANGE_UNSEEN || change.kind == CHANGE_LEARNED)) {
		call->result.i = result; /* the scenario's, all the same */
		if (change.kind == CHANGE_LEARNED)
			learn_stream(fixture, call);
		scenario.changed = NULL;
		return;
	}
	if (changed && change.kind == CHANGE_RESULT)
		result = result ? 0 : 107000;
	if (changed && change.kind == CHANGE_UNREADABLE && !result)
		result = 107000;
	fixture_leave(fixture, call, result);
	if (!changed)
		return;
	scenario.changed = NULL;
	if (change.kind == CHANGE_TWICE) {
		fixture_enter(fixture, &again, call->api, call->args, 0);
		fixture_leave(fixture, &again, result);
	}
	if (change.kind == CHANGE_DEVICE)
		device_is(fixture, 0);
	fixture->inside = false;
	fixture->wild_bytes = 0;
	fixture->tid -= change.kind == CHANGE_THREAD ? 77 : 0;
	fixture->module -= change.kind == CHANGE_FAR;
}

/* --- what came out -------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* One rule about every function. */
static bool speaks_of_outputs(const struct fixture_finding *f, const struct pair *t)
{
	return change.kind == CHANGE_NOWHERE && !strcmp(f->rule->id, "null-required-pointer") &&
	       strcmp(t->rule, "null-required-pointer") != 0;
}

/* By name: which of two findings of a call comes first is not promised. "(-)": the rule was not
 * evaluated. */
static void outcome(const struct pair *t, const struct fixture *fixture, char *out, size_t size)
{
	const char *what[FIXTURE_FINDINGS];
	size_t n = 0, written = 0;

	for (unsigned i = 0; i < fixture->n_found; i++) {
		const struct fixture_finding *f = &fixture->found[i];

		if (strcmp(f->rule->id, "api-error") != 0 && !speaks_of_outputs(f, t) &&
			(!f->advice || !strcmp(f->rule->id, t->rule)))
			what[n++] = f->what;
	}
	qsort(what, n, sizeof(what[0]), by_name);
	out[0] = 0;
	for (size_t i = 0, times; i < n; i += times) {
		for (times = 1; i + times < n && !strcmp(what[i], what[i + times]);)
			times++;
		written += (size_t)snprintf(out + written, size - written, "%s%s", i ? " " : "", what[i]);
		if (times > 1 && written < size)
			written += (size_t)snprintf(out + written, size - written, " x%zu", times);
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

/* Memory that the scenario allocated, on the device or page-locked. */
static bool is_of_runtime(uint64_t address)
{
	return address >> 40 == 0x12 || address >> 40 == 0x7e;
}

/* What would make the checker read beyond the scenario's arrays and strings is left alone. */
static bool applies(const struct acl_api_info *api, unsigned param, enum change kind, uint64_t value)
{
	const struct acl_param *p = &acl_params(api)[param];

	if (kind == CHANGE_GONE)
		return p->dir != ACL_DIR_OUT && value &&
		       (p->kind == ACL_KIND_HANDLE
				       ? p->life == ACL_LIFE_USE && destroyer(p->handle) < ACL_API_COUNT
				       : p->kind == ACL_KIND_POINTER && is_of_runtime(value));
	if (kind == CHANGE_NOWHERE)
		return p->kind == ACL_KIND_POINTER && p->dir == ACL_DIR_OUT && value;
	if (kind == CHANGE_UNREADABLE)
		return p->kind == ACL_KIND_POINTER && p->dir != ACL_DIR_OUT && value && !is_of_runtime(value);
	switch (p->kind) {
	case ACL_KIND_INT:
	case ACL_KIND_UINT:
	case ACL_KIND_ENUM:
		return kind == CHANGE_MORE || kind == CHANGE_MOST
			       ? !is_count(api, param)
			       : kind == CHANGE_LESS && (value || p->kind == ACL_KIND_INT);
	case ACL_KIND_BOOL:
		return kind == CHANGE_ZERO && value;
	case ACL_KIND_HANDLE:
		return kind == CHANGE_ZERO && value;
	case ACL_KIND_POINTER:
		if (kind == CHANGE_INTERIOR)
			return is_of_runtime(value);
		return kind == CHANGE_ZERO && value && p->dir != ACL_DIR_OUT;
	default:
		return false;
	}
}

/* What begins and ends captures has variants enough. */
static bool may_be_captured(unsigned number)
{
	const struct acl_api_info *api = &acl_apis[number];

	if (number == ACL_API_aclmdlRICaptureBegin || number == ACL_API_aclmdlRICaptureEnd)
		return false;
	for (unsigned i = 0; i < api->n_params; i++)
		if (acl_params(api)[i].handle == ACL_HANDLE_STREAM && acl_params(api)[i].life == ACL_LIFE_USE)
			return true;
	return false;
}

static bool creates_stream(const struct acl_api_info *api)
{
	return api->n_params && acl_params(api)[0].handle == ACL_HANDLE_STREAM &&
	       acl_params(api)[0].life == ACL_LIFE_CREATE;
}

static bool may_happen(enum change kind, unsigned which)
{
	const struct acl_api_info *api = &acl_apis[scenario.calls[which].api];

	switch (kind) {
	case CHANGE_CAPTURED:
		return may_be_captured(scenario.calls[which].api);
	case CHANGE_LEARNED:
		return creates_stream(api);
	case CHANGE_RETRIED:
		return api->ret_kind == ACL_KIND_ERROR;
	case CHANGE_IDLE:
		/* Nothing may be waited for then. */
		return !scenario.calls[which].captured;
	default:
		return true;
	}
}

/* Of all calls of a scenario. */
enum whole {
	WHOLE_NOTHING,
	WHOLE_ON_DEVICE, /* the program runs there */
	WHOLE_OTHER_WAYS, /* objects and memory are used by others as well */
	WHOLE_TWO_DEVICES, /* another device is in use */
	WHOLE_AGAIN, /* a second time, with handles and addresses of the first */
	WHOLES
};

static const char *const wholes[] = {"", "on the device", "beside others", "with two devices", "again"};

static void begin_whole(struct fixture *fixture, enum whole whole)
{
	aclrtRunMode mode = ACL_DEVICE;
	struct acl_args_aclrtGetRunMode args = {.runMode = &mode};

	if (whole == WHOLE_ON_DEVICE)
		extra_call(fixture, ACL_API_aclrtGetRunMode, &args);
	if (whole == WHOLE_OTHER_WAYS)
		fixture->other_ways = ~0u;
	if (whole == WHOLE_TWO_DEVICES) {
		device_is(fixture, 1);
		device_is(fixture, 0);
	}
}

/* Everything that runs a variant. */
struct runner {
	const struct pair *t;
	struct fixture *fixture;
	void (*play)(const struct pair *t);
	enum whole whole;
	struct {
		uint64_t evaluated, findings, characters, values, objects;
	} sum; /* of the rule, over all variants */
	char same[600], result[600]; /* what comes out unchanged, and now */
};

/* A guard that no outcome shows still decides how often the rule is evaluated and what its findings hold. */
static void add_up(struct runner *r)
{
	r->sum.evaluated += fixture_count(r->fixture, r->t->rule);
	for (unsigned i = 0; i < r->fixture->n_found; i++) {
		const struct fixture_finding *f = &r->fixture->found[i];

		if (strcmp(f->rule->id, r->t->rule) != 0)
			continue;
		r->sum.findings++;
		r->sum.characters += strlen(f->text);
		r->sum.values += f->n_values;
		r->sum.objects += f->n_objects;
	}
}

static void record_sum(struct record *record, const struct runner *r)
{
	record_add(record,
		"  all of them: evaluated %llu times, %llu findings of %llu characters, %llu values, %llu "
		"objects\n",
		(unsigned long long)r->sum.evaluated, (unsigned long long)r->sum.findings,
		(unsigned long long)r->sum.characters, (unsigned long long)r->sum.values,
		(unsigned long long)r->sum.objects);
}

static void run_one(struct runner *r, char *out)
{
	fixture_again(r->fixture);
	scenario.n = 0;
	scenario.captures = 0;
	scenario.changed = NULL;
	begin_whole(r->fixture, r->whole);
	for (unsigned times = 0; times < (r->whole == WHOLE_AGAIN ? 2 : 1); times++)
		r->play(r->t);
	outcome(r->t, r->fixture, out, sizeof(r->result));
	add_up(r);
}

static void try_change(struct runner *r, struct lines *lines, const char *name)
{
	run_one(r, r->result);
	if (strcmp(r->result, r->same) != 0)
		lines_add(lines, r->result, name);
}

/* All of the scenario elsewhere. */
static void try_whole(struct runner *r, struct lines *lines)
{
	for (r->whole = WHOLE_ON_DEVICE; r->whole < WHOLES; r->whole++)
		/* What begins without a device is about the beginning. */
		if (r->whole != WHOLE_TWO_DEVICES || !r->t->bare)
			try_change(r, lines, wholes[r->whole]);
	r->whole = WHOLE_NOTHING;
}

static void try_call(struct runner *r, struct lines *lines, unsigned which)
{
	const struct acl_api_info *api = &acl_apis[scenario.calls[which].api];
	char name[128];

	change.call = scenario.calls[which].number;
	for (change.kind = CHANGE_RESULT; change.kind < CHANGE_WHOLE; change.kind++)
		if (may_happen(change.kind, which))
			try_change(r, lines, names[change.kind]);
	for (change.kind = CHANGE_LESS; change.kind <= CHANGE_UNREADABLE; change.kind++)
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
	lines.n = 0;
	try_whole(&r, &lines);
	for (unsigned k = 0; k < lines.n; k++)
		record_add(record, "  %s: %s\n", lines.line[k].variants, lines.line[k].outcome);
	for (unsigned i = 0; scenario.n <= LONG && i < scenario.distinct; i++) {
		lines.n = 0;
		try_call(&r, &lines, i);
		for (unsigned k = 0; k < lines.n; k++)
			record_add(record, "  %u %s %s: %s\n", i + 1, acl_apis[scenario.calls[i].api].name,
				lines.line[k].variants, lines.line[k].outcome);
	}
	record_sum(record, &r);
	memset(&change, 0, sizeof(change));
}
