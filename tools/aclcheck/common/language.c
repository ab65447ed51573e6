/* SPDX-License-Identifier: Apache-2.0 */
/* What the command says to people, in their language. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "interpose/common/sentences.h"
#include "tools/aclcheck/common/command.h"

#define TEXT_SIZE 16384
#define TEXTS 8

enum acl_lang command_language(void)
{
	const char *word = getenv("ACLCHECK_LANG");

	return word && !strncmp(word, "zh", 2) ? ACL_LANG_ZH : ACL_LANG_EN;
}

const char *in_language(const char *english)
{
	static char texts[TEXTS][TEXT_SIZE];
	static unsigned next;
	struct text t;

	if (command_language() == ACL_LANG_EN)
		return english;
	text_init(&t, texts[next], TEXT_SIZE);
	sentences_put(&t, english, TEXT_SIZE, ACL_LANG_ZH);
	next = (next + 1) % TEXTS;
	return t.buf;
}

/* Sentences of other languages are found by the format's own words. */
static const char *vtext_in_language(char *text, size_t size, const char *format, va_list args)
{
	char one[512];

	if (command_language() == ACL_LANG_EN)
		format = plural_format(one, sizeof(one), format, args);
	vsnprintf(text, size, format, args);
	return in_language(text);
}

const char *text_in_language(char *text, size_t size, const char *format, ...)
{
	const char *answer;
	va_list args;

	va_start(args, format);
	answer = vtext_in_language(text, size, format, args);
	va_end(args);
	return answer;
}

void vprint_in_language(FILE *out, const char *format, va_list args)
{
	char text[1024];

	fputs(vtext_in_language(text, sizeof(text), format, args), out);
}

void print_in_language(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprint_in_language(out, format, args);
	va_end(args);
}

/* Of a terminal: what the table has beyond ASCII is Chinese, and takes two. */
static int columns_of(const char *text)
{
	int columns = 0;

	for (; *text; text++)
		columns += (*text & 0x80) == 0 ? 1 : (*text & 0xc0) == 0xc0 ? 2 : 0;
	return columns;
}

void print_column(FILE *out, int width, const char *english)
{
	const char *text = in_language(english);
	int room = abs(width) - columns_of(text);

	if (room < 0)
		room = 0;
	fprintf(out, "%*s%s%*s", width > 0 ? room : 0, "", text, width < 0 ? room : 0, "");
}
