/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of a generated table in one string. */
#include "texts.h"

#include <stdlib.h>
#include <string.h>

unsigned texts_add(struct texts *t, const char *text)
{
	if (!text)
		return 0;
	for (unsigned i = 0; i < t->n; i++)
		if (!strcmp(t->list[i], text))
			return t->at[i];
	if (!t->n)
		t->size = 1;
	t->list = realloc(t->list, (t->n + 1) * sizeof(*t->list));
	t->at = realloc(t->at, (t->n + 1) * sizeof(*t->at));
	if (!t->list || !t->at)
		abort();
	t->list[t->n] = strdup(text);
	t->at[t->n] = t->size;
	t->size += (unsigned)strlen(text) + 1;
	return t->at[t->n++];
}

void print_quoted(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++)
		switch (*text) {
		case '\n':
			fputs("\\n", f);
			break;
		case '\t':
			fputs("\\t", f);
			break;
		case '"':
		case '\\':
			putc('\\', f);
			/* fall through */
		default:
			putc(*text, f);
		}
	putc('"', f);
}

void texts_print(const struct texts *t, FILE *f, const char *name)
{
	fprintf(f, "\nconst char %s[] = \"\\0\"", name);
	for (unsigned i = 0; i < t->n; i++) {
		fputs("\n\t", f);
		print_quoted(f, t->list[i]);
		fputs(" \"\\0\"", f);
	}
	fputs(";\n", f);
}

void print_name(FILE *f, const char *name, size_t *longest)
{
	fprintf(f, "\"%s\"", name);
	if (strlen(name) > *longest)
		*longest = strlen(name);
}

void print_room(FILE *f, size_t longest, const char *room)
{
	fprintf(f, "_Static_assert(%zu < %s, \"the longest name has no room\");\n", longest, room);
}
