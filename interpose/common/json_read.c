/* SPDX-License-Identifier: Apache-2.0 */
/* A recursive descent over a text of known length, with a bound on depth and on members. */
#include "interpose/common/json_read.h"

#include <string.h>
#include <sys/mman.h>

#include "interpose/common/text.h"
#include "interpose/common/tool_memory.h"

#define CHUNK_SIZE ((size_t)64 << 10)
#define DEPTH_MAX 32
#define MEMBERS_MAX 4096 /* each is compared with those before it */

struct jchunk {
	struct jchunk *next;
	size_t used;
	struct jnode nodes[];
};

struct reader {
	struct jdoc *doc;
	char *at, *end;
	unsigned line, depth;
};

static bool syntax(struct reader *r, const char *mistake)
{
	if (!r->doc->mistake) {
		r->doc->mistake = mistake;
		r->doc->line = r->line;
	}
	return false;
}

static struct jnode *node_new(struct reader *r)
{
	struct jchunk *c = r->doc->chunks;

	if (!c || sizeof(*c) + (c->used + 1) * sizeof(c->nodes[0]) > CHUNK_SIZE) {
		c = tool_memory_map(CHUNK_SIZE, 0);
		if (!c) {
			syntax(r, "no memory");
			return NULL;
		}
		c->next = r->doc->chunks;
		r->doc->chunks = c;
	}
	return &c->nodes[c->used++];
}

static void skip_space(struct reader *r)
{
	for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
		r->line += *r->at == '\n';
}

static bool accept(struct reader *r, char c)
{
	skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool read_hex4(struct reader *r, uint32_t *out)
{
	*out = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		char c = *r->at; /* at worst the NUL behind the text */
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
							: 16;

		if (digit == 16)
			return syntax(r, "invalid escape in a string");
		*out = *out << 4 | digit;
	}
	return true;
}

static char *put_utf8(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

/* Behind "\u"; never longer than what it was written with. */
static bool unicode_escape(struct reader *r, char **to)
{
	uint32_t c, low;

	if (!read_hex4(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00) {
		if (r->at[0] != '\\' || r->at[1] != 'u')
			return syntax(r, "half a surrogate pair in a string");
		r->at += 2;
		if (!read_hex4(r, &low))
			return false;
		if (low < 0xdc00 || low > 0xdfff)
			return syntax(r, "half a surrogate pair in a string");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	} else if (c >= 0xdc00 && c < 0xe000) {
		return syntax(r, "half a surrogate pair in a string");
	}
	if (!c)
		return syntax(r, "\\u0000 in a string");
	*to = put_utf8(*to, c);
	return true;
}

static bool read_escape(struct reader *r, char **to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *known;
	char c = *++r->at;

	if (c == 'u') {
		r->at++;
		return unicode_escape(r, to);
	}
	known = c ? strchr(names, c) : NULL;
	if (!known)
		return syntax(r, "invalid escape in a string");
	*(*to)++ = values[known - names];
	r->at++;
	return true;
}

/* Behind the opening quote. */
static const char *read_string(struct reader *r)
{
	char *start = r->at, *to = r->at;

	for (;;) {
		uint32_t code;
		unsigned n;

		if (r->at == r->end)
			return syntax(r, "a string without end"), NULL;
		if (*r->at == '"')
			break;
		if ((unsigned char)*r->at < 0x20)
			return syntax(r, "a control character in a string"), NULL;
		if (*r->at == '\\') {
			if (!read_escape(r, &to))
				return NULL;
			continue;
		}
		n = utf8_length(r->at, (size_t)(r->end - r->at), &code);
		if (!n)
			return syntax(r, "invalid UTF-8"), NULL;
		memmove(to, r->at, n);
		to += n;
		r->at += n;
	}
	r->at++;
	*to = '\0';
	return start;
}

static bool read_number(struct reader *r, struct jnode *v)
{
	bool minus = *r->at == '-', real = false;
	const char *digits;
	uint64_t n = 0;

	r->at += minus;
	digits = r->at;
	for (; *r->at >= '0' && *r->at <= '9'; r->at++) {
		if (n > (uint64_t)INT64_MAX / 10)
			return syntax(r, "a number that is too large");
		n = n * 10 + (unsigned)(*r->at - '0');
		if (n > (uint64_t)INT64_MAX)
			return syntax(r, "a number that is too large");
	}
	if (r->at == digits || (*digits == '0' && r->at > digits + 1))
		return syntax(r, "an invalid number");
	for (; *r->at && strchr("0123456789.eE+-", *r->at); r->at++)
		real = true;
	v->kind = real ? JNODE_REAL : JNODE_INTEGER;
	v->integer = minus ? -(int64_t)n : (int64_t)n;
	return true;
}

static bool read_word(struct reader *r, struct jnode *v)
{
	static const struct {
		const char *word;
		enum jnode_kind kind;
	} words[] = {{"null", JNODE_NULL}, {"false", JNODE_FALSE}, {"true", JNODE_TRUE}};

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i].word);

		if ((size_t)(r->end - r->at) >= n && !memcmp(r->at, words[i].word, n)) {
			v->kind = words[i].kind;
			r->at += n;
			return true;
		}
	}
	return syntax(r, "a value is missing or no value");
}

static bool read_value(struct reader *r, struct jnode *v);

static bool read_key(struct reader *r, const struct jnode *object, struct jnode *v)
{
	if (!accept(r, '"'))
		return syntax(r, "a member must begin with a string");
	v->key = read_string(r);
	if (!v->key)
		return false;
	for (const struct jnode *m = object->first; m && m != v; m = m->next)
		if (!strcmp(m->key, v->key))
			return syntax(r, "a key that stands twice in one object");
	return accept(r, ':') || syntax(r, "':' is missing behind a key");
}

static bool read_elements(struct reader *r, struct jnode *list, char close)
{
	struct jnode **link = &list->first;

	list->kind = close == '}' ? JNODE_OBJECT : JNODE_ARRAY;
	if (++r->depth > DEPTH_MAX)
		return syntax(r, "nested too deeply");
	if (!accept(r, close)) {
		do {
			struct jnode *v = node_new(r);

			if (!v)
				return false;
			if (++list->n > MEMBERS_MAX && close == '}')
				return syntax(r, "too many members");
			if ((close == '}' && !read_key(r, list, v)) || !read_value(r, v))
				return false;
			*link = v;
			link = &v->next;
		} while (accept(r, ','));
		if (!accept(r, close))
			return syntax(r, close == '}' ? "',' or '}' is missing" : "',' or ']' is missing");
	}
	r->depth--;
	return true;
}

static bool read_value(struct reader *r, struct jnode *v)
{
	if (accept(r, '{'))
		return read_elements(r, v, '}');
	if (accept(r, '['))
		return read_elements(r, v, ']');
	if (accept(r, '"')) {
		v->kind = JNODE_STRING;
		v->text = read_string(r);
		return v->text != NULL;
	}
	if (r->at < r->end && (*r->at == '-' || (*r->at >= '0' && *r->at <= '9')))
		return read_number(r, v);
	return read_word(r, v);
}

bool jdoc_read(struct jdoc *doc, char *text, size_t size)
{
	struct reader r = {.doc = doc, .at = text, .end = text + size, .line = 1};

	*doc = (struct jdoc){0};
	doc->top = node_new(&r);
	if (doc->top && read_value(&r, doc->top)) {
		skip_space(&r);
		if (r.at != r.end)
			syntax(&r, "something stands behind the end");
		else if (doc->top->kind < JNODE_ARRAY)
			syntax(&r, "neither an object nor a list");
	}
	if (!doc->mistake)
		return true;
	jdoc_free(doc);
	return false;
}

void jdoc_free(struct jdoc *doc)
{
	for (struct jchunk *c = doc->chunks, *next; c; c = next) {
		next = c->next;
		munmap(c, CHUNK_SIZE);
	}
	doc->chunks = NULL;
	doc->top = NULL;
}

const struct jnode *jnode_get(const struct jnode *object, const char *wanted)
{
	if (!object || object->kind != JNODE_OBJECT)
		return NULL;
	for (const struct jnode *m = object->first; m; m = m->next)
		if (!strcmp(m->key, wanted))
			return m;
	return NULL;
}
