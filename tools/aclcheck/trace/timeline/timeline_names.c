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

void timeline_stream_name(const struct stream_lane *lane, char *text, size_t size)
{
	if (lane->key.stream)
		snprintf(text, size, "stream %u (0x%" PRIx64 ")", lane->number, lane->key.stream);
	else
		snprintf(text, size, "default stream");
}

void timeline_put_text(FILE *out, const char *s)
{
	char escaped[16384];
	struct text t;

	text_init(&t, escaped, sizeof(escaped));
	jout_escape(&t, s, strlen(s));
	fprintf(out, "\"%s\"", escaped);
}
