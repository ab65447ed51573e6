/* SPDX-License-Identifier: Apache-2.0 */
/*
 * English of one thing: "1 process was", not "1 processes were".  Formats name the plural, by which sentences
 * of other languages are found; of each number behind which such a word stands the value decides.
 */
#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

static const struct {
	const char *many, *one;
} words[] = {{"blocks", "block"}, {"calls", "call"}, {"errors", "error"}, {"events", "event"},
	{"findings", "finding"}, {"packets", "packet"}, {"places", "place"}, {"processes", "process"},
	{"rules", "rule"}, {"seconds", "second"}, {"sub-buffers", "sub-buffer"}, {"threads", "thread"}},
  verbs[] = {{"were", "was"}, {"are", "is"}};

/* Length of the word that text begins with; *one is what stands for it. 0: it is none of them. */
#define WORD_OF(list, text, one) word_of(&(list)[0].many, sizeof(list) / sizeof(*(list)), text, one)
static size_t word_of(const char *const *pairs, size_t n, const char *text, const char **one)
{
	for (size_t i = 0; i < n; i++) {
		size_t length = strlen(pairs[2 * i]);

		*one = pairs[2 * i + 1];
		if (!strncmp(text, pairs[2 * i], length) && !isalpha((unsigned char)text[length]) &&
			text[length] != '-')
			return length;
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
	const char *at = format, *one;
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
		n = is_one && *at == ' ' ? WORD_OF(words, at + 1, &one) : 0;
		if (!n)
			continue;
		to = stpcpy(stpcpy(to, " "), one);
		at += 1 + n;
		n = *at == ' ' ? WORD_OF(verbs, at + 1, &one) : 0;
		if (!n)
			continue;
		to = stpcpy(stpcpy(to, " "), one);
		at += 1 + n;
	}
	va_end(args);
	*to = 0;
	return text;
}
