/* SPDX-License-Identifier: Apache-2.0 */
/* "did you mean", and texts for a terminal. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "interpose/common/text.h"
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
	const char *word = index > 0 ? argv[index - 1] : "";
	const struct option *found = NULL;
	struct suggestion s;
	unsigned begun = 0;
	char name[64];

	if (strncmp(word, "--", 2) != 0)
		return command_misuse("%s: unknown option '-%c', or it lacks its value", argv[0], optopt);
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
	suggest_begin(&s, name);
	for (; options->name; options++) {
		suggest(&s, options->name);
		if (strncmp(options->name, name, strlen(name)) != 0)
			continue;
		/* getopt takes what an option's name begins with, if only one does. */
		begun += found == NULL || strcmp(found->name, name) != 0;
		found = found && !strcmp(found->name, name) ? found : options;
	}
	if (begun > 1 && strcmp(found->name, name) != 0)
		return command_misuse("%s: several options begin with '--%s'", argv[0], name);
	if (found)
		return command_misuse(found->has_arg == no_argument ? "%s: option '--%s' takes no value"
								    : "%s: option '--%s' needs a value",
			argv[0], found->name);
	if (s.candidate)
		return command_misuse(
			"%s: unknown option '--%s' (did you mean '--%s'?)", argv[0], name, s.candidate);
	return command_misuse("%s: unknown option '--%s'", argv[0], name);
}

/* Chinese breaks anywhere, but not before these. */
static bool closes(const char *s)
{
	static const char marks[] = "，。；：、）！？";

	for (const char *m = marks; *m; m += 3)
		if (!strncmp(s, m, 3))
			return true;
	return false;
}

/* What is not parted, in bytes, and how many columns it takes. */
static size_t unit(const char *s, int *columns)
{
	size_t n = 0, letter;
	uint32_t c;

	*columns = 0;
	do {
		letter = (unsigned char)s[n] < 0x80 ? 1 : utf8_length(s + n, strlen(s + n), &c);
		letter = letter ? letter : 1;
		*columns += letter > 2 ? 2 : 1;
		n += letter;
	} while (s[n] && s[n] != ' ' && (closes(s + n) || (letter == 1 && (unsigned char)s[n] < 0x80)));
	return n;
}

void command_wrap(const char *text, int indent, int column)
{
	bool begun = false;

	printf("%*s", indent > column ? indent - column : 0, "");
	column = column > indent ? column : indent;
	while (*text) {
		bool space = *text == ' ';
		int columns;
		size_t n;

		text += strspn(text, " ");
		if (!*text)
			break;
		n = unit(text, &columns);
		if (begun && column + space + columns > WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
			space = false;
		}
		column += printf("%s", begun && space ? " " : "") + columns;
		printf("%.*s", (int)n, text);
		begun = true;
		text += n;
	}
	putchar('\n');
}

const char *bytes_text(uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	static char text[4][32];
	static unsigned next;
	char *out = text[next++ % 4];
	double value = (double)bytes;
	unsigned unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(out, sizeof(text[0]),
		unit && value < 100 && value != (double)(uint64_t)value ? "%.1f %s" : "%.0f %s", value,
		units[unit]);
	return out;
}
