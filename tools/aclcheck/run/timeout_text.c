/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads were in when the time was over, from the last calls of the processes that were ended. */
#include "tools/aclcheck/run/run.h"

#include <string.h>

#include "interpose/common/text.h"
#include "tools/aclcheck/report/report.h"

#define WAITING_MAX 8 /* threads named; the report has all */

static void describe_call(struct text *t, const json_t *call)
{
	const char *name, *separator = "";
	const json_t *value;

	text_fmt(t, "%s(", text_of(call, "call"));
	json_object_foreach(json_object_get(call, "args"), name, value)
	{
		text_fmt(t, "%s%s=%s", separator, name,
			json_is_string(value) ? json_string_value(value) : "?");
		separator = ", ";
	}
	text_char(t, ')');
}

static void describe_thread(struct text *t, const json_t *process, const json_t *thread, unsigned *named)
{
	const json_t *call;
	size_t i;

	json_array_foreach(json_object_get(thread, "calls"), i, call)
	{
		if (!flag_of(call, "inside") || (*named)++ >= WAITING_MAX)
			continue;
		text_str(t, *named == 1 ? "; " : ", ");
		text_fmt(t, "thread %u of process %u was in ", (uint64_t)number_of(thread, "thread"),
			(uint64_t)number_of(process, "pid"));
		describe_call(t, call);
		wait_chain(t, process, call);
	}
}

void timeout_describe(json_t *report)
{
	json_t *reason;
	const json_t *process, *thread;
	char line[2048];
	unsigned named = 0;
	struct text t;
	size_t i, k;

	text_init(&t, line, sizeof(line));
	json_array_foreach(json_object_get(report, "processes"), i, process)
	{
		json_array_foreach(json_object_get(process, "last_calls"), k, thread)
			describe_thread(&t, process, thread, &named);
	}
	if (named > WAITING_MAX)
		text_fmt(&t, " and %u more", (uint64_t)(named - WAITING_MAX));
	json_array_foreach(json_object_get(report, "inconclusive"), i, reason)
	{
		char text[sizeof(line) + 256];

		if (strcmp(text_of(reason, "reason"), "timeout") != 0)
			continue;
		snprintf(text, sizeof(text), "%.200s%s", text_of(reason, "text"), line);
		json_object_set_new(reason, "text", json_string(text));
	}
}
