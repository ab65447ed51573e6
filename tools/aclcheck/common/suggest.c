/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean", and lines that fit a terminal. */
#include <stdio.h>
#include <string.h>

#include "interpose/common/word_distance.h"
#include "tools/aclcheck/common/command.h"

#define WIDTH 100 /* columns of --help */

void suggest_begin(struct suggestion *s, const char *word)
{
	size_t n = strlen(word);

	*s = (struct suggestion){.word = word, .best = n < 3 ? 2 : n < 8 ? 3 : 4};
}

void suggest(struct suggestion *s, const char *candidate)
{
	unsigned d = word_distance(s->word, strlen(s->word), candidate);

	if (d >= s->best || d >= strlen(candidate))
		return;
	s->best = d;
	s->candidate = candidate;
}

const char *suggest_text(const struct suggestion *s)
{
	static char text[128];

	*text = '\0';
	if (s->candidate)
		snprintf(text, sizeof(text), " (did you mean '%.80s'?)", s->candidate);
	return text;
}

int command_bad_option(char *const *argv, int index, const struct option *options)
{
	const char *word = index > 0 ? argv[index - 1] : NULL;
	struct suggestion s;
	char name[64];

	if (!word || strncmp(word, "--", 2) != 0)
		return COMMAND_MISUSE;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	suggest_begin(&s, name);
	for (; options->name; options++) {
		if (!strcmp(options->name, name))
			return COMMAND_MISUSE;
		suggest(&s, options->name);
	}
	if (s.candidate)
		command_say("did you mean '--%s'?", s.candidate);
	return COMMAND_MISUSE;
}

void command_wrap(const char *text, int indent)
{
	int column = indent;

	printf("%*s", indent, "");
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > indent && column + 1 + n > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			column += printf(" ");
		}
		column += printf("%.*s", n, text);
		text += n;
		text += *text == ' ';
	}
	putchar('\n');
}
