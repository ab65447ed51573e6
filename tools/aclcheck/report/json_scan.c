/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON walker: strings by memchr, nesting by a counter. */
#include "tools/aclcheck/report/merge_parts.h"

#include <string.h>

static const char *space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r'))
		p++;
	return p;
}

/* p is after the opening quote; returns the closing one, NULL if there is none. */
static const char *string_end(const char *p, const char *end)
{
	const char *quote = p, *back;

	while ((quote = memchr(quote, '"', (size_t)(end - quote)))) {
		for (back = quote; back > p && back[-1] == '\\'; back--)
			;
		if ((quote - back) % 2 == 0)
			return quote;
		quote++;
	}
	return NULL;
}

/* After a value of any kind, NULL if it does not end. */
static const char *skip_value(const char *p, const char *end)
{
	size_t depth = 0;

	for (; p < end; p++) {
		switch (*p) {
		case '"':
			p = string_end(p + 1, end);
			if (!p)
				return NULL;
			if (!depth)
				return p + 1;
			break;
		case '{':
		case '[':
			depth++;
			break;
		case '}':
		case ']':
			if (!depth)
				return p;
			if (!--depth)
				return p + 1;
			break;
		case ',':
		case ' ':
		case '\n':
		case '\r':
		case '\t':
			if (!depth)
				return p;
			break;
		default:
			break;
		}
	}
	return depth ? NULL : p;
}

/* After a ',' or before the closing bracket; NULL when neither stands there. *last: it was the bracket. */
static const char *separator(const char *p, const char *end, char closing, bool *last)
{
	p = space(p, end);
	if (p == end || (*p != ',' && *p != closing))
		return NULL;
	*last = *p == closing;
	return p + 1;
}

bool scan_object(struct span text, scan_member_fn member, void *context)
{
	const char *p = space(text.at, text.end), *end = text.end;
	bool last = false;

	if (p == end || *p++ != '{')
		return false;
	p = space(p, end);
	if (p < end && *p == '}')
		return true;
	while (!last) {
		struct span key, value;

		p = space(p, end);
		if (p == end || *p != '"')
			return false;
		key.at = p + 1;
		key.end = string_end(p + 1, end);
		if (!key.end)
			return false;
		p = space(key.end + 1, end);
		if (p == end || *p++ != ':')
			return false;
		value.at = space(p, end);
		value.end = skip_value(value.at, end);
		if (!value.end || value.end == value.at)
			return false;
		if (!member(context, key, value))
			return true;
		p = separator(value.end, end, '}', &last);
		if (!p)
			return false;
	}
	return true;
}

bool scan_array(struct span text, scan_element_fn element, void *context)
{
	const char *p = space(text.at, text.end), *end = text.end;
	bool last = false;

	if (p == end || *p++ != '[')
		return false;
	p = space(p, end);
	if (p < end && *p == ']')
		return true;
	while (!last) {
		struct span value;

		value.at = space(p, end);
		value.end = skip_value(value.at, end);
		if (!value.end || value.end == value.at)
			return false;
		if (!element(context, value))
			return true;
		p = separator(value.end, end, ']', &last);
		if (!p)
			return false;
	}
	return true;
}

bool span_is(struct span s, const char *word)
{
	size_t n = strlen(word);

	return (size_t)(s.end - s.at) == n && !memcmp(s.at, word, n);
}

bool span_string(struct span value, struct span *inside)
{
	if (value.end - value.at < 2 || *value.at != '"' || value.end[-1] != '"')
		return false;
	inside->at = value.at + 1;
	inside->end = value.end - 1;
	return true;
}

struct span span_trim(struct span s)
{
	s.at = space(s.at, s.end);
	return s;
}
