/* SPDX-License-Identifier: Apache-2.0 */
/*
 * English of one thing: "1 process was", not "1 processes were".  Formats name the plural, by which sentences
 * of other languages are found; of each number behind which such a word stands the value decides.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

struct word {
	const char *many, *one;
};

/* Each list ends with NULL. */
static const struct word nouns[] = {{"blocks", "block"}, {"calls", "call"}, {"errors", "error"},
	{"events", "event"}, {"findings", "finding"}, {"packets", "packet"}, {"places", "place"},
	{"processes", "process"}, {"rules", "rule"}, {"seconds", "second"}, {"sub-buffers", "sub-buffer"},
	{"threads", "thread"}, {NULL, NULL}};
static const struct word verbs[] = {{"were", "was"}, {"are", "is"}, {NULL, NULL}};

/* Where a text begins with a blank and a word of the list: puts the singular, and returns their length. */
static size_t put_one(char **to, const struct word *list, const char *text)
{
	for (; *text == ' ' && list->many; list++) {
		size_t n = strlen(list->many);

		if (strncmp(text + 1, list->many, n) != 0 || isalpha((unsigned char)text[1 + n]) ||
			text[1 + n] == '-')
			continue;
		*to = stpcpy(stpcpy(*to, " "), list->one);
		return 1 + n;
	}
	return 0;
}

/* The next conversion of a format, and its argument, if that is a number; *at goes behind it. False: what it
 * takes is unknown here. */
static bool take_argument(const char **at, va_list *args, bool *is_one)
{
	unsigned longs = 0;
	bool size = false;

	*is_one = false;
	for (++*at; **at && strchr("0123456789-+ #.*lzj", **at); ++*at) {
		longs += **at == 'l';
		size |= **at == 'z' || **at == 'j';
		if (**at == '*')
			(void)va_arg(*args, int);
	}
	switch (*(*at)++) {
	case '%':
		return true;
	case 's':
	case 'p':
		(void)va_arg(*args, void *);
		return true;
	case 'f':
	case 'g':
		(void)va_arg(*args, double);
		return true;
	case 'd':
	case 'u':
	case 'x':
		*is_one = (longs || size ? va_arg(*args, uint64_t) : va_arg(*args, unsigned)) == 1;
		return true;
	default:
		return false;
	}
}

const char *plural_format(char *text, size_t size, const char *format, va_list given)
{
	const char *at = format;
	char *to = text;
	bool is_one;
	va_list args;

	if (strlen(format) >= size)
		return format;
	va_copy(args, given);
	while (*at) {
		const char *from = at;
		size_t n;

		if (*at != '%') {
			*to++ = *at++;
			continue;
		}
		if (!take_argument(&at, &args, &is_one)) {
			va_end(args);
			return format;
		}
		to = mempcpy(to, from, (size_t)(at - from));
		n = is_one ? put_one(&to, nouns, at) : 0;
		if (n)
			n += put_one(&to, verbs, at + n);
		at += n;
	}
	va_end(args);
	*to = 0;
	return text;
}

const char *plural_text(char *text, size_t size, const char *format, ...)
{
	char one[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, size, plural_format(one, sizeof(one), format, args), args);
	va_end(args);
	return text;
}
