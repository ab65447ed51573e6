/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON walker: strings by memchr, nesting by a counter. */
#include "tools/aclcheck/report/merge_parts.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "interpose/common/text.h"

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

void member_write_key(FILE *to, bool *any, struct span key)
{
	if (*any)
		putc_unlocked(',', to);
	*any = true;
	/* With its quotes. */
	fwrite_unlocked(key.at - 1, 1, (size_t)(key.end - key.at) + 2, to);
	putc_unlocked(':', to);
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

/* --- validity -------------------------------------------------------------------- */

#define DEPTH_MAX 512

/* After the closing quote of the string that begins at p, NULL when it is no good one. */
static const char *valid_string(const char *p, const char *end)
{
	uint32_t code;
	unsigned n;

	for (p++; p < end; p += n) {
		unsigned char c = (unsigned char)*p;

		n = 1;
		if (c == '"')
			return p + 1;
		if (c < 0x20)
			return NULL;
		if (c == '\\') {
			if (end - p < 2 || !strchr("\"\\/bfnrtu", p[1]) || !p[1])
				return NULL;
			n = p[1] == 'u' ? 6 : 2;
			for (unsigned i = 2; i < n; i++)
				if (end - p < 6 || !isxdigit((unsigned char)p[i]))
					return NULL;
			/* Halves of a character, and NUL, are for a parser to decide on. */
			if (n == 6 && (!strncasecmp(p + 2, "d", 1) || !strncmp(p + 2, "0000", 4)))
				return NULL;
		} else if (c >= 0x80) {
			n = utf8_length(p, (size_t)(end - p), &code);
			if (!n)
				return NULL;
		}
	}
	return NULL;
}

static const char *digits(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p == start ? NULL : p;
}

static const char *valid_number(const char *p, const char *end)
{
	const char *start;

	p += *p == '-';
	start = p;
	p = digits(p, end);
	/* Numbers that do not fit are for a parser to decide on. */
	if (!p || (*start == '0' && p > start + 1) || p > start + 17)
		return NULL;
	if (p < end && *p == '.' && !(p = digits(p + 1, end)))
		return NULL;
	return p < end && (*p == 'e' || *p == 'E') ? NULL : p;
}

static const char *valid_word(const char *p, const char *end)
{
	static const char *const words[] = {"true", "false", "null"};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if ((size_t)(end - p) >= strlen(words[i]) && !memcmp(p, words[i], strlen(words[i])))
			return p + strlen(words[i]);
	return NULL;
}

static const char *valid_value(const char *p, const char *end, unsigned depth);

/* Members or elements up to the closing bracket. */
static const char *valid_list(const char *p, const char *end, unsigned depth)
{
	bool object = *p == '{', last = false;
	char closing = object ? '}' : ']';

	p = space(p + 1, end);
	if (p < end && *p == closing)
		return p + 1;
	while (p && !last) {
		p = space(p, end);
		if (object) {
			p = p < end && *p == '"' ? valid_string(p, end) : NULL;
			p = p ? space(p, end) : NULL;
			if (!p || p == end || *p++ != ':')
				return NULL;
		}
		p = valid_value(p, end, depth + 1);
		p = p ? separator(p, end, closing, &last) : NULL;
	}
	return p;
}

static const char *valid_value(const char *p, const char *end, unsigned depth)
{
	p = space(p, end);
	if (p == end || depth > DEPTH_MAX)
		return NULL;
	if (*p == '"')
		return valid_string(p, end);
	if (*p == '{' || *p == '[')
		return valid_list(p, end, depth);
	return *p == '-' || (*p >= '0' && *p <= '9') ? valid_number(p, end) : valid_word(p, end);
}

bool span_is_json(struct span s)
{
	const char *p = valid_value(s.at, s.end, 0);

	return p && space(p, s.end) == s.end;
}
