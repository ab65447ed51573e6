/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON walker: a table of what each byte is. */
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

/* What a byte is to the walkers: most are passed over, many a byte. */
enum byte_class {
	BYTE_QUOTE = 1, /* ends a string, or begins one */
	BYTE_ESCAPE = 2,
	BYTE_OPENS = 4,
	BYTE_CLOSES = 8,
	BYTE_ENDS_WORD = 16, /* a comma or white space */
	BYTE_CONTROL = 32, /* not allowed inside a string */
	BYTE_BEYOND_ASCII = 64,
};

static const unsigned char byte_classes[256] = {
	[0 ... 8] = BYTE_CONTROL,
	['\t' ... '\n'] = BYTE_CONTROL | BYTE_ENDS_WORD,
	[0xb ... 0xc] = BYTE_CONTROL,
	['\r'] = BYTE_CONTROL | BYTE_ENDS_WORD,
	[0xe ... 0x1f] = BYTE_CONTROL,
	[' '] = BYTE_ENDS_WORD,
	[','] = BYTE_ENDS_WORD,
	['"'] = BYTE_QUOTE,
	['\\'] = BYTE_ESCAPE,
	['{'] = BYTE_OPENS,
	['['] = BYTE_OPENS,
	['}'] = BYTE_CLOSES,
	[']'] = BYTE_CLOSES,
	[0x80 ... 0xff] = BYTE_BEYOND_ASCII,
};

/* The first byte of one of the classes, or the end. */
static const char *find_class(const char *p, const char *end, unsigned classes)
{
	while (p < end && !(byte_classes[(unsigned char)*p] & classes))
		p++;
	return p;
}

/* From the opening quote to after the closing one, NULL if there is none. */
static const char *skip_string(const char *p, const char *end)
{
	for (p++; (p = find_class(p, end, BYTE_QUOTE | BYTE_ESCAPE)) < end; p += 2)
		if (*p == '"')
			return p + 1;
	return NULL;
}

/* After an object or array. */
static const char *skip_nested(const char *p, const char *end)
{
	size_t depth = 0;

	while ((p = find_class(p, end, BYTE_QUOTE | BYTE_OPENS | BYTE_CLOSES)) < end) {
		if (*p == '"') {
			p = skip_string(p, end);
			if (!p)
				return NULL;
			continue;
		}
		depth = byte_classes[(unsigned char)*p++] & BYTE_OPENS ? depth + 1 : depth - 1;
		if (!depth)
			return p;
	}
	return NULL;
}

/* After a value of any kind, NULL if it does not end. */
static const char *skip_value(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"')
		return skip_string(p, end);
	if (byte_classes[(unsigned char)*p] & BYTE_OPENS)
		return skip_nested(p, end);
	return find_class(p, end, BYTE_QUOTE | BYTE_CLOSES | BYTE_ENDS_WORD);
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

/* How far values reach: by brackets and quotes alone, or as any reader takes them. */
struct reading {
	const char *(*string)(const char *p, const char *end);
	const char *(*value)(const char *p, const char *end);
};

/* A key and its colon; where the value begins, NULL when it is none. */
static const char *read_key(const struct reading *how, const char *p, const char *end, struct span *key)
{
	if (p == end || *p != '"')
		return NULL;
	key->at = p + 1;
	p = how->string(p, end);
	if (!p)
		return NULL;
	key->end = p - 1;
	p = space(p, end);
	return p < end && *p == ':' ? space(p + 1, end) : NULL;
}

static bool walk_object(const struct reading *how, struct span *text, scan_member_fn member, void *context)
{
	const char *p = space(text->at, text->end), *end = text->end;
	bool last = false;

	if (p == end || *p++ != '{')
		return false;
	p = space(p, end);
	if (p < end && *p == '}') {
		text->end = p + 1;
		return true;
	}
	while (!last) {
		struct span key, value;

		p = read_key(how, space(p, end), end, &key);
		value.at = p;
		value.end = p ? how->value(p, end) : NULL;
		if (!value.end || value.end == value.at)
			return false;
		if (!member(context, key, value))
			return true;
		p = separator(value.end, end, '}', &last);
		if (!p)
			return false;
	}
	text->end = p;
	return true;
}

static const struct reading by_brackets = {skip_string, skip_value};

bool scan_object(struct span text, scan_member_fn member, void *context)
{
	return walk_object(&by_brackets, &text, member, context);
}

bool scan_first_object(struct span *text, scan_member_fn member, void *context)
{
	return walk_object(&by_brackets, text, member, context);
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
		struct span value = {space(p, end), end};

		if (!element(context, &value))
			return true;
		p = separator(value.end, end, ']', &last);
		if (!p)
			return false;
	}
	return true;
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

/* After an escape sequence or a character of several bytes, NULL when it is no good one. */
static const char *valid_rare(const char *p, const char *end)
{
	uint32_t code;
	unsigned n;

	if (byte_classes[(unsigned char)*p] & BYTE_BEYOND_ASCII) {
		n = utf8_length(p, (size_t)(end - p), &code);
		return n ? p + n : NULL;
	}
	if (*p != '\\' || end - p < 2 || !p[1] || !strchr("\"\\/bfnrtu", p[1]))
		return NULL;
	if (p[1] != 'u')
		return p + 2;
	for (unsigned i = 2; i < 6; i++)
		if (end - p < 6 || !isxdigit((unsigned char)p[i]))
			return NULL;
	/* Halves of a character, and NUL, are for a parser to decide on. */
	return !strncasecmp(p + 2, "d", 1) || !strncmp(p + 2, "0000", 4) ? NULL : p + 6;
}

/* After the closing quote of the string that begins at p, NULL when it is no good one. */
static const char *valid_string(const char *p, const char *end)
{
	const unsigned classes = BYTE_QUOTE | BYTE_ESCAPE | BYTE_CONTROL | BYTE_BEYOND_ASCII;

	for (p++; p && (p = find_class(p, end, classes)) < end; p = valid_rare(p, end))
		if (*p == '"')
			return p + 1;
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

static const char *valid_nested(const char *p, const char *end, unsigned depth);

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
		p = valid_nested(p, end, depth + 1);
		p = p ? separator(p, end, closing, &last) : NULL;
	}
	return p;
}

static const char *valid_nested(const char *p, const char *end, unsigned depth)
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

static const char *valid_value(const char *p, const char *end)
{
	return valid_nested(p, end, 0);
}

bool scan_valid_object(struct span *text, scan_member_fn member, void *context)
{
	static const struct reading as_any_reader = {valid_string, valid_value};

	return walk_object(&as_any_reader, text, member, context);
}
