/* SPDX-License-Identifier: Apache-2.0 */
/* What the things of a timeline are called, whoever draws it. */
#include <inttypes.h>
#include <string.h>

#include "interpose/common/json_writer.h"
#include "tools/aclcheck/trace/timeline/timeline.h"

void timeline_process_name(const struct process_state *p, char *text, size_t size)
{
	const char *command = p->command ? p->command : "";
	const char *host = p->host ? p->host : "";

	if (p->rank && *p->rank)
		snprintf(text, size, "rank %s%s%s: %s", p->rank, *host ? " on " : "", host, command);
	else
		snprintf(text, size, "%s%s%s", command, *host ? " on " : "", host);
}

/* The last one that the program gave it, NULL: none. */
static const char *given_name(const struct timeline *t, const struct stream_lane *lane)
{
	for (size_t i = t->n_names; i-- > 0;) {
		const struct timeline_name *n = &t->names[i];

		if (n->process == lane->process && n->object == lane->key.stream && n->time > lane->from &&
			n->time < lane->until)
			return n->text;
	}
	return NULL;
}

void timeline_stream_name(const struct timeline *t, const struct stream_lane *lane, char *text, size_t size)
{
	const char *given = lane->key.stream ? given_name(t, lane) : NULL;

	if (!lane->key.stream)
		snprintf(text, size, "default stream");
	else if (given)
		snprintf(text, size, "stream %u \"%.100s\" (0x%" PRIx64 ")", lane->number, given,
			lane->key.stream);
	else
		snprintf(text, size, "stream %u (0x%" PRIx64 ")", lane->number, lane->key.stream);
}

void timeline_put_text(FILE *out, const char *s)
{
	char escaped[16384];
	struct text t;

	text_init(&t, escaped, sizeof(escaped));
	jout_escape(&t, s, strlen(s));
	fprintf(out, "\"%s\"", escaped);
}
