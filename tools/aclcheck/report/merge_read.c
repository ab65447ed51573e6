/* SPDX-License-Identifier: Apache-2.0 */
/* A finding is looked at once: what identifies it, and what of it is written again. */
#include "tools/aclcheck/report/merge_parts.h"

#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

static void keep_text(struct finding_read *r, const char *text, size_t n)
{
	if (n > r->kept_room - r->kept_size) {
		r->kept_room = 2 * (r->kept_room + n) + 1024;
		r->kept = need(realloc(r->kept, r->kept_room));
	}
	memcpy(r->kept + r->kept_size, text, n);
	r->kept_size += n;
}

static void keep_member(struct finding_read *r, struct span key, struct span value)
{
	if (r->kept_size > 1)
		keep_text(r, ",", 1);
	/* With its quotes. */
	keep_text(r, key.at - 1, (size_t)(key.end - key.at) + 2);
	keep_text(r, ":", 1);
	keep_text(r, value.at, (size_t)(value.end - value.at));
}

/* A member that merging makes anew? */
static bool read_made(struct finding_read *r, struct span key, struct span value)
{
	if (span_is(key, "count"))
		r->count = value;
	else if (span_is(key, "processes"))
		r->merged = true;
	else
		return span_is(key, "record") || span_is(key, "sites") || span_is(key, "ranks");
	return true;
}

static bool has_escape(struct span s)
{
	return memchr(s.at, '\\', (size_t)(s.end - s.at)) != NULL;
}

static bool read_member(void *context, struct span key, struct span value)
{
	struct finding_read *r = context;

	r->escaped |= has_escape(key) || (span_is(key, "severity") && has_escape(value));
	if (read_made(r, key, value))
		return true;
	keep_member(r, key, value);
	if (span_is(key, "fingerprint"))
		span_string(value, &r->fingerprint);
	else if (span_is(key, "serial"))
		r->serial = value;
	else if (span_is(key, "stack"))
		r->stack = value;
	else if (span_is(key, "severity"))
		r->severity = value;
	else if (span_is(key, "advice"))
		r->advice = value;
	else if (span_is(key, "secondary"))
		r->secondary = value;
	else if (span_is(key, "suppressed"))
		r->suppressed = value;
	else if (span_is(key, "expected"))
		r->expected = span_is(value, "true");
	return true;
}

static void merge_read_begin(struct finding_read *r)
{
	*r = (struct finding_read){.kept = r->kept, .kept_room = r->kept_room};
	keep_text(r, "{", 1);
}

bool finding_read(struct finding_read *r, struct span *text)
{
	merge_read_begin(r);
	if (!scan_valid_object(text, read_member, r) || r->escaped)
		return false;
	keep_text(r, "}", 1);
	return true;
}

bool finding_read_rewritten(struct finding_read *r, struct span *text)
{
	merge_read_begin(r);
	if (!scan_first_object(text, read_member, r))
		return false;
	keep_text(r, "}", 1);
	return true;
}
