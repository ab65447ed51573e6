/* SPDX-License-Identifier: Apache-2.0 */
/* What a run with one failed call shows, beside runs without. */
#include "tools/aclcheck/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/common/fault_rules.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/report/report.h"

const char *const outcome_words[OUTCOMES] = {
	"crash", "hang", "misuse", "ignored", "not-reached", "lost", "stopped", "retried", "other-way"};

/* --- ends ----------------------------------------------------------------------- */

/* Of the program itself; of processes below one that was killed counts. */
static json_int_t signal_of(const json_t *report)
{
	const json_t *process;
	json_int_t signal = number_of(json_array_get(json_object_get(report, "runs"), 0), "signal");
	size_t i;

	if (signal > 0)
		return signal;
	json_array_foreach(json_object_get(report, "processes"), i, process)
	{
		if (!strcmp(text_of(process, "end"), "killed"))
			return -1;
	}
	return 0;
}

static bool timed_out(const json_t *report)
{
	const json_t *doubt;
	size_t i;

	json_array_foreach(json_object_get(report, "inconclusive"), i, doubt)
	{
		if (!strcmp(text_of(doubt, "reason"), "timeout"))
			return true;
	}
	return false;
}

static json_int_t status_of(const json_t *report)
{
	return number_of(json_array_get(json_object_get(report, "runs"), 0), "exit_status");
}

/* --- calls ------------------------------------------------------------------------ */

static json_int_t times(const json_t *call)
{
	return number_of(call, "linked") + number_of(call, "dlsym");
}

static json_t *calls_of(const json_t *report)
{
	json_t *calls = need(json_object());
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(json_object_get(report, "reach"), "calls"), i, call)
		json_object_set_new(calls, text_of(call, "call"), json_integer(times(call)));
	return calls;
}

static json_int_t edge(const json_t *range, size_t which)
{
	return json_integer_value(json_array_get(range, which));
}

static void widen(json_t *ranges, const char *name, json_int_t n)
{
	json_t *range = json_object_get(ranges, name);

	if (!range) {
		json_object_set_new(ranges, name, json_pack("[i, I]", 0, n));
		return;
	}
	if (n < edge(range, 0))
		json_array_set_new(range, 0, json_integer(n));
	if (n > edge(range, 1))
		json_array_set_new(range, 1, json_integer(n));
}

/* A function that is called more or less often than without the failure; NULL: none. */
static const char *other_call(const json_t *ranges, const json_t *calls)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)calls, name, value)
	{
		const json_t *range = json_object_get(ranges, name);

		if (!range || json_integer_value(value) < edge(range, 0) ||
			json_integer_value(value) > edge(range, 1))
			return name;
	}
	json_object_foreach((json_t *)ranges, name, value)
	{
		if (edge(value, 0) > 0 && !json_object_get(calls, name))
			return name;
	}
	return NULL;
}

/* --- without a failure --------------------------------------------------------------- */

json_t *reference_new(const json_t *report)
{
	json_t *ranges = need(json_object()), *calls = calls_of(report), *n;
	const char *name;

	json_object_foreach(calls, name, n) json_object_set_new(ranges, name, json_pack("[O, O]", n, n));
	json_decref(calls);
	return need(json_pack("{s:I, s:o, s:o}", "status", status_of(report), "found",
		baseline_fingerprints(report), "calls", ranges));
}

void reference_widen(json_t *reference, const json_t *report)
{
	json_t *ranges = json_object_get(reference, "calls"), *calls = calls_of(report), *found, *value;
	const char *name;
	void *next;

	json_object_foreach(calls, name, value) widen(ranges, name, json_integer_value(value));
	json_object_foreach_safe(ranges, next, name, value)
	{
		if (!json_object_get(calls, name))
			widen(ranges, name, 0);
	}
	json_decref(calls);
	found = baseline_fingerprints(report);
	json_object_update(json_object_get(reference, "found"), found);
	json_decref(found);
}

const char *reference_refusal(const json_t *report)
{
	if (!report)
		return "the program left no report";
	if (timed_out(report))
		return "the program does not end in time without any failure";
	if (signal_of(report))
		return "the program is killed without any failure";
	return NULL;
}

/* --- places --------------------------------------------------------------------------- */

static const struct acl_api_info *function_of(const json_t *place)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (!strcmp(acl_apis[api].name, text_of(place, "call")))
			return &acl_apis[api];
	return NULL;
}

/* "at=app+0x1234" or "at=app.py#42" of a frame; false: it cannot be written so. */
static bool at_frame(const json_t *frame, char *out, size_t size)
{
	const bool python = !strcmp(text_of(frame, "language"), "python");
	const char *file = text_of(frame, python ? "file" : "module"), *name = file;
	int n;

	/* Files of one name are common (__init__.py): as many of the directories as have room. */
	while (strlen(name) > (python ? FAULT_WORD - 28 : 0) && strchr(name, '/'))
		name = strchr(name, '/') + 1;
	if (!*name || strpbrk(name, ":;#"))
		return false;
	if (python)
		n = snprintf(out, size, "at=%s#%lld", name, (long long)number_of(frame, "line"));
	else
		n = snprintf(out, size, "at=%s+%s", name, text_of(frame, "offset"));
	return n > 0 && (size_t)n < size && (python || *text_of(frame, "offset"));
}

static bool at_place(const json_t *place, char *out, size_t size)
{
	const json_t *python = json_object_get(place, "python");
	size_t n;

	if (!at_frame(json_object_get(place, "place"), out, size))
		return false;
	n = strlen(out);
	if (!python)
		return true;
	out[n++] = ':';
	return n < size && at_frame(python, out + n, size - n);
}

json_t *places_of(const json_t *report)
{
	json_t *places = need(json_array()), *one;
	const struct acl_api_info *function;
	char at[FAULT_WORD * 2];
	size_t i;

	json_array_foreach(json_object_get(report, "injected"), i, one)
	{
		function = function_of(one);
		if (!function || function->ret_kind != ACL_KIND_ERROR || !at_place(one, at, sizeof(at)))
			continue;
		json_array_append_new(places,
			json_pack("{s:s, s:O, s:O*}", "call", text_of(one, "call"), "place",
				json_object_get(one, "place"), "python", json_object_get(one, "python")));
	}
	return places;
}

/* What the runtime documents for a lack of memory or resources; elsewhere the driver's failure. */
static int error_of(const struct acl_api_info *function)
{
	switch (function->operation_group) {
	case ACL_OP_GROUP_ALLOCATE:
		return 207001;
	case ACL_OP_GROUP_CREATE:
	case ACL_OP_GROUP_RESERVE:
		return 207005;
	}
	return 507899;
}

bool place_fault(const json_t *place, char *out, size_t size)
{
	const struct acl_api_info *function = function_of(place);
	char at[FAULT_WORD * 2];
	int n;

	if (!function || !at_place(place, at, sizeof(at)))
		return false;
	n = snprintf(out, size, "%s:%s:when=1:error=%d", function->name, at, error_of(function));
	return n > 0 && (size_t)n < size;
}

/* --- with a failure ---------------------------------------------------------------------- */

static const json_t *new_error(const json_t *found, const json_t *report)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(report, "findings"), i, finding)
	{
		if (finding_fails(finding, FAIL_ON_ERROR) &&
			!json_object_get(found, text_of(finding, "fingerprint")))
			return finding;
	}
	return NULL;
}

static const json_t *failed_call(const json_t *report)
{
	const json_t *one;
	size_t i;

	json_array_foreach(json_object_get(report, "injected"), i, one)
	{
		if (number_of(one, "error"))
			return one;
	}
	return NULL;
}

static enum outcome bad_end(const json_t *report, char *detail, size_t size)
{
	json_int_t signal = signal_of(report);

	if (timed_out(report))
		return OUTCOME_HANG;
	if (!signal)
		return OUTCOMES;
	if (signal > 0)
		snprintf(detail, size, "signal %d (%s)", (int)signal, strsignal((int)signal));
	else
		snprintf(detail, size, "a process below was killed");
	return OUTCOME_CRASH;
}

enum outcome outcome_of(const json_t *reference, const json_t *report, char *detail, size_t size)
{
	const json_t *failed = report ? failed_call(report) : NULL, *finding;
	json_t *calls;
	const char *other;
	enum outcome end;

	*detail = '\0';
	if (!report || !failed)
		return report ? OUTCOME_NOT_REACHED : OUTCOME_LOST;
	end = bad_end(report, detail, size);
	if (end != OUTCOMES)
		return end;
	finding = new_error(json_object_get(reference, "found"), report);
	if (finding) {
		snprintf(detail, size, "%s by %s", text_of(finding, "rule"), text_of(finding, "call"));
		return OUTCOME_MISUSE;
	}
	if (status_of(report) && status_of(report) != number_of(reference, "status")) {
		snprintf(detail, size, "exit code %d", (int)status_of(report));
		return OUTCOME_STOPPED;
	}
	if (!strcmp(text_of(failed, "noticed"), "retried"))
		return OUTCOME_RETRIED;
	calls = calls_of(report);
	other = other_call(json_object_get(reference, "calls"), calls);
	if (other)
		snprintf(detail, size, "%s %lld times", other,
			(long long)json_integer_value(json_object_get(calls, other)));
	json_decref(calls);
	return other ? OUTCOME_OTHER_WAY : OUTCOME_IGNORED;
}
