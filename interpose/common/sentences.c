/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sentence is recognised by the format it was printed with: the words between the conversions are found in
 * it, what stands in their place are its values, which are words or sentences of the table themselves, names
 * or numbers.  So the checks have one language, and reports written anywhere can be read in both.
 */
#include "interpose/common/sentences.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define VALUES_MAX 9
#define STEPS_MAX 20000 /* of comparisons for one sentence */
#define DEPTH_MAX 4

/*
 * All texts one behind the other, and the tables say where in it they are: pointers would have to be
 * relocated in every process that loads the library.  A text has the name of its file and line.
 */
#define NAME_OF(language, file, line) language##_##file##_##line
#define NAME(language, file, line) NAME_OF(language, file, line)

static const struct texts {
#define SENTENCE(english, chinese)                                                                           \
	char NAME(en, PART, __LINE__)[sizeof(english)], NAME(zh, PART, __LINE__)[sizeof(chinese)];
#define LABEL(english, chinese) SENTENCE(english, chinese)
#include "interpose/common/sentence_files.def"
#undef SENTENCE
} texts = {
#define SENTENCE(english, chinese) english, chinese,
#include "interpose/common/sentence_files.def"
#undef LABEL
#undef SENTENCE
};

struct sentence {
	uint32_t english, chinese;
};

#define PLACE(language) offsetof(struct texts, NAME(language, PART, __LINE__))

static const struct sentence table[] = {
#define SENTENCE(english, chinese) {PLACE(en), PLACE(zh)},
#define LABEL(english, chinese)
#include "interpose/common/sentence_files.def"
#undef LABEL
#undef SENTENCE
};

static const struct sentence labels[] = {
#define SENTENCE(english, chinese)
#define LABEL(english, chinese) {PLACE(en), PLACE(zh)},
#include "interpose/common/sentence_files.def"
#undef LABEL
#undef SENTENCE
};

static const char *text_at(uint32_t at)
{
	return (const char *)&texts + at;
}

struct stretch {
	const char *at;
	size_t n;
};

struct matching {
	const char *end; /* of the text */
	struct stretch values[VALUES_MAX];
	size_t words; /* letters of the format that were found */
	unsigned steps;
};

/* After a conversion ("%llu"), which begins at format; kind gets its letter. */
static const char *after_conversion(const char *format, char *kind)
{
	format += 1 + strspn(format + 1, "0123456789.-+ *lz");
	*kind = *format;
	return format + (*format != '\0');
}

static bool may_be(char kind, char c)
{
	return kind == 's' || (c && strchr("0123456789abcdefx-", c)) || (kind == 'f' && c == '.');
}

/* A full stop in "0..7" or "9.1" ends no sentence. */
static bool is_within_value(const struct matching *m, char last, const char *next)
{
	return last == '.' && next < m->end && (*next == '.' || isalnum((unsigned char)*next));
}

/*
 * Where the text that the format makes ends, NULL when text is none of it. Values are as short as they can
 * be; of two that nothing parts the first has all.
 */
static const char *match(struct matching *m, const char *format, const char *text, unsigned value)
{
	const char *next, *most = text;
	char kind;

	for (; *format && *format != '%'; format++, text++, m->words++)
		if (text == m->end || *text != *format)
			return NULL;
	if (!*format)
		return is_within_value(m, format[-1], text) ? NULL : text;
	next = after_conversion(format, &kind);
	for (most = text; most < m->end && may_be(kind, *most);)
		most++;
	for (size_t i = 0; value < VALUES_MAX && i <= (size_t)(most - text); i++) {
		const char *p = *next == '%' || !*next ? most - i : text + i, *stop;
		size_t words = m->words;

		stop = match(m, next, p, value + 1);
		if (stop) {
			m->values[value] = (struct stretch){text, (size_t)(p - text)};
			return stop;
		}
		m->words = words;
		if (++m->steps > STEPS_MAX)
			return NULL;
	}
	return NULL;
}

/* The sentence of the table that begins here, the one with most words; *end is behind it. */
static const struct sentence *recognise(struct stretch text, struct matching *best, const char **end)
{
	const struct sentence *found = NULL;
	bool whole = false;

	*best = (struct matching){.words = 0};
	*end = text.at;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		struct matching m = {.end = text.at + text.n};
		const char *stop = match(&m, text_at(table[i].english), text.at, 0);
		bool all = stop == m.end;

		if (!stop || !m.words || (whole && !all) || (found && whole == all && m.words <= best->words))
			continue;
		/* A word within a text is none of ours: only sentences follow each other. */
		if (!all && !strchr(".;,: ", stop[-1]) && !strchr(";, ", *stop))
			continue;
		*best = m;
		*end = stop;
		found = &table[i];
		whole = all;
	}
	return found;
}

static void put_stretch(struct text *t, struct stretch text, unsigned depth);

static void put_sentence(struct text *t, const struct sentence *s, const struct matching *m, unsigned depth)
{
	for (const char *p = text_at(s->chinese); *p; p++) {
		const struct stretch *value;
		bool as_is;

		if (*p != '%') {
			text_char(t, *p);
			continue;
		}
		as_is = *++p == '=';
		p += as_is;
		if (*p < '1' || *p > '9')
			continue;
		value = &m->values[*p - '1'];
		if (as_is)
			text_safe(t, value->at, value->n);
		else
			put_stretch(t, *value, depth + 1);
	}
}

static struct stretch rest_of(struct stretch text, const char *from)
{
	return (struct stretch){from, (size_t)(text.at + text.n - from)};
}

/* Single words are too many things. */
static bool is_known_to_its_end(struct stretch text)
{
	struct matching m;
	const char *end;
	const struct sentence *s = recognise(text, &m, &end);

	return s && end == text.at + text.n && strchr(text_at(s->english), ' ');
}

/* What is known from some place on to its end: "64 KiB; only rounding up saves it", "KiB device memory". */
static const char *known_end(struct stretch text)
{
	for (const char *p = text.at + 1; p < text.at + text.n; p++)
		if ((strchr(";, ", *p) || p[-1] == ' ') && is_known_to_its_end(rest_of(text, p)))
			return p;
	return text.at + text.n;
}

static void put_stretch(struct text *t, struct stretch text, unsigned depth)
{
	while (text.n) {
		struct matching m;
		const char *end;
		const struct sentence *s = depth < DEPTH_MAX ? recognise(text, &m, &end) : NULL;

		if (s) {
			put_sentence(t, s, &m, depth);
		} else {
			end = depth < DEPTH_MAX ? known_end(text) : text.at + text.n;
			text_safe(t, text.at, (size_t)(end - text.at));
		}
		text = rest_of(text, end);
	}
}

static const char *label_of(struct stretch text)
{
	for (size_t i = 0; i < sizeof(labels) / sizeof(*labels); i++) {
		const char *english = text_at(labels[i].english);

		if (!strncmp(english, text.at, text.n) && !english[text.n])
			return text_at(labels[i].chinese);
	}
	return NULL;
}

void sentences_put(struct text *t, const char *english, size_t n, enum acl_lang lang)
{
	const struct stretch text = {english, strnlen(english, n)};
	const char *label = lang == ACL_LANG_ZH ? label_of(text) : NULL;

	if (label)
		text_str(t, label);
	else if (lang == ACL_LANG_ZH)
		put_stretch(t, text, 0);
	else
		text_safe(t, english, n);
}
