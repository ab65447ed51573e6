/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats and what several of them need. */
#include "tools/aclcheck/formats.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/text.h"
#include "tools/aclcheck/command.h"

const struct report_format report_formats[] = {
	{ "text", print_text },
	{ "json", print_json },
	{ NULL, NULL },
};

const json_t *finding_frame(const json_t *finding)
{
	const json_t *stack = json_object_get(finding, "stack"), *frame;
	size_t i;

	json_array_foreach(stack, i, frame)
	if (*text_of(frame, "file"))
		return frame;
	return json_array_get(stack, 0);
}

void put_safe(FILE *to, const char *s)
{
	size_t n = strlen(s), cap = 4 * n + 1;
	char *buf = need(malloc(cap));
	struct text t;

	text_init(&t, buf, cap);
	text_safe(&t, s, n);
	fwrite(buf, 1, t.len, to);
	free(buf);
}

const char *finding_ranks(const json_t *finding)
{
	static char buf[512];
	const json_t *ranks = json_object_get(finding, "ranks");
	size_t n = json_array_size(ranks), used;
	json_int_t processes = number_of(finding, "processes");

	*buf = '\0';
	if (processes > 1)
		snprintf(buf, sizeof(buf), "%lld processes", processes);
	if (n)
		strcat(buf, *buf ? ", ranks " : "rank ");
	for (size_t i = 0; i < n;) {
		json_int_t first = json_integer_value(json_array_get(ranks, i)), last = first;
		size_t start = i;

		while (++i < n && json_integer_value(json_array_get(ranks, i)) == last + 1)
			last++;
		used = strlen(buf);
		if (used > sizeof(buf) - 64) {
			strcat(buf, ", …");
			break;
		}
		snprintf(buf + used, sizeof(buf) - used, last > first ? "%s%lld-%lld" : "%s%lld", start ? ", " : "",
			first, last);
	}
	return buf;
}
