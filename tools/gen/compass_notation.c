/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of templates that are short for XML of Trace Compass's language.  A line is one statement:
 *
 *	%location ID PATH
 *	%test ID: CONDITION
 *	%set PATH = VALUE [if CONDITION]	%add PATH + VALUE [if CONDITION]
 *	%segment VALUE from VALUE		%field TYPE NAME = VALUE	%close
 *
 * PATH is attributes with '/' between them: a constant, $FIELD of the event, {PATH} for the value of another
 * attribute, &LOCATION; a leading '.' is the scenario ("." alone is short for "#CurrentScenario/").
 * VALUE is $FIELD, "$FIELD as string", {PATH}, 'text', a number, null, a NAME of definedValue,
 * GROUP(event) for what a mapping group makes of the event's name, or `script` NAME=VALUE, ... TYPE.
 * CONDITION is VALUE OPERATOR VALUE, joined by & and, which binds less, |.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compass_notation.h"

struct statement {
	const char *line, *at;
	FILE *out;
};

static void __attribute__((noreturn)) notation_fail(const struct statement *s, const char *expected)
{
	fprintf(stderr, "acl-gen: expected %s at '%s' in: %s\n", expected, s->at, s->line);
	exit(1);
}

/* --- letters and words ---------------------------------------------------------- */

static void skip(struct statement *s)
{
	s->at += strspn(s->at, " ");
}

static bool take(struct statement *s, const char *word)
{
	skip(s);
	if (strncmp(s->at, word, strlen(word)))
		return false;
	s->at += strlen(word);
	return true;
}

static void need(struct statement *s, const char *word)
{
	if (!take(s, word))
		notation_fail(s, word);
}

static void put_text(FILE *out, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		switch (text[i]) {
		case '"':
			fputs("&quot;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		default:
			putc(text[i], out);
		}
	}
}

/* NAME="the text up to one of those letters, without blanks at its end" */
static void put_until(struct statement *s, const char *name, const char *letters)
{
	size_t n = strcspn(s->at, letters), length = n;

	while (length && s->at[length - 1] == ' ')
		length--;
	if (!length)
		notation_fail(s, name);
	fprintf(s->out, " %s=\"", name);
	put_text(s->out, s->at, length);
	fputs("\"", s->out);
	s->at += n;
}

/* --- attributes -------------------------------------------------------------------- */

static void put_path(struct statement *s, const char *end);

static void put_attribute(struct statement *s, const char *type, const char *end)
{
	fprintf(s->out, "<stateAttribute type=\"%s\"", type);
	put_until(s, "value", end);
	fputs("/>", s->out);
}

static void put_part(struct statement *s, const char *end)
{
	char letters[16];

	snprintf(letters, sizeof(letters), "/%s", end);
	if (take(s, "{")) {
		fputs("<stateAttribute type=\"query\">", s->out);
		put_path(s, "}");
		need(s, "}");
		fputs("</stateAttribute>", s->out);
	} else if (take(s, "$")) {
		put_attribute(s, "eventField", letters);
	} else if (take(s, "&")) {
		put_attribute(s, "location", letters);
	} else {
		put_attribute(s, "constant", letters);
	}
}

static void put_path(struct statement *s, const char *end)
{
	if (take(s, "."))
		fputs("<stateAttribute type=\"constant\" value=\"#CurrentScenario\"/>", s->out);
	do
		put_part(s, end);
	while (take(s, "/"));
}

/* --- values ------------------------------------------------------------------------- */

static void put_value(struct statement *s, const char *tag, const char *more);

static bool put_number(struct statement *s)
{
	size_t n = strspn(s->at, "-0123456789");

	if (!n)
		return false;
	fprintf(s->out, " type=\"long\" value=\"%.*s\"/>", (int)n, s->at);
	s->at += n;
	return true;
}

static void put_field(struct statement *s)
{
	size_t n = strcspn(s->at, " ,;)");

	fprintf(s->out, " type=\"eventField\" value=\"%.*s\"", (int)n, s->at);
	s->at += n;
	if (take(s, "as string"))
		fputs(" forcedType=\"string\"", s->out);
	fputs("/>", s->out);
}

static void put_script(struct statement *s, const char *tag)
{
	char *inputs = NULL;
	size_t size;
	struct statement inner = *s;

	/* Its inputs are the element's content. */
	fputs(" type=\"script\"", s->out);
	put_until(s, "value", "`");
	need(s, "`");
	inner.out = open_memstream(&inputs, &size);
	inner.at = s->at;
	do {
		char name[64];
		size_t n;

		skip(&inner);
		n = strcspn(inner.at, "=");
		snprintf(name, sizeof(name), " id=\"%.*s\"", (int)n, inner.at);
		inner.at += n;
		need(&inner, "=");
		put_value(&inner, "stateValue", name);
	} while (take(&inner, ","));
	fclose(inner.out);
	s->at = inner.at;
	skip(s);
	put_until(s, "forcedType", " ");
	fprintf(s->out, ">%s</%s>", inputs, tag);
	free(inputs);
}

/* A name alone is one of a definedValue; with (event) it is a mapping group. */
static void put_name(struct statement *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s->at[n]) || s->at[n] == '_')
		n++;
	if (!n)
		notation_fail(s, "a value");
	if (!strncmp(s->at + n, "(event)", 7)) {
		fprintf(s->out, " type=\"eventName\" mappingGroup=\"%.*s\"/>", (int)n, s->at);
		s->at += 7;
	} else {
		fprintf(s->out, " type=\"int\" value=\"$%.*s\"/>", (int)n, s->at);
	}
	s->at += n;
}

static void put_value(struct statement *s, const char *tag, const char *more)
{
	fprintf(s->out, "<%s%s", tag, more);
	skip(s);
	if (take(s, "{")) {
		fputs(" type=\"query\">", s->out);
		put_path(s, "}");
		need(s, "}");
		fprintf(s->out, "</%s>", tag);
	} else if (take(s, "$")) {
		put_field(s);
	} else if (take(s, "'")) {
		fputs(" type=\"string\"", s->out);
		put_until(s, "value", "'");
		need(s, "'");
		fputs("/>", s->out);
	} else if (take(s, "`")) {
		put_script(s, tag);
	} else if (take(s, "null")) {
		fputs(" type=\"null\"/>", s->out);
	} else if (!put_number(s)) {
		put_name(s);
	}
}

/* --- conditions ------------------------------------------------------------------------ */

static void put_comparison(struct statement *s)
{
	static const struct {
		const char *sign, *name;
	} operators[] = {{"==", "eq"}, {"!=", "ne"}, {"<=", "le"}, {">=", "ge"}, {"<", "lt"}, {">", "gt"}};
	char *left = NULL;
	size_t size;
	struct statement inner = *s;
	unsigned i = 0;

	inner.out = open_memstream(&left, &size);
	put_value(&inner, "stateValue", "");
	fclose(inner.out);
	s->at = inner.at;
	while (i < sizeof(operators) / sizeof(operators[0]) && !take(s, operators[i].sign))
		i++;
	if (i == sizeof(operators) / sizeof(operators[0]))
		notation_fail(s, "a comparison");
	fprintf(s->out, "<condition operator=\"%s\">%s", operators[i].name, left);
	put_value(s, "stateValue", "");
	fputs("</condition>", s->out);
	free(left);
}

static void put_all(struct statement *s)
{
	fputs("<and>", s->out);
	do
		put_comparison(s);
	while (take(s, "&"));
	fputs("</and>", s->out);
}

static void put_condition(struct statement *s)
{
	fputs("<if><or>", s->out);
	do
		put_all(s);
	while (take(s, "|"));
	fputs("</or></if>", s->out);
}

/* --- statements ------------------------------------------------------------------------- */

static void put_change(struct statement *s, const char *sign, const char *more)
{
	char *change = NULL;
	size_t size;
	struct statement inner = *s;

	inner.out = open_memstream(&change, &size);
	put_path(&inner, sign);
	need(&inner, sign);
	put_value(&inner, "stateValue", more);
	fclose(inner.out);
	s->at = inner.at;
	fputs("<stateChange>", s->out);
	if (take(s, "if ")) {
		put_condition(s);
		fprintf(s->out, "<then>%s</then>", change);
	} else {
		fputs(change, s->out);
	}
	fputs("</stateChange>", s->out);
	free(change);
}

static void put_segment(struct statement *s)
{
	fputs("<segment><segType><segName>", s->out);
	put_value(s, "stateValue", "");
	need(s, "from ");
	fputs("</segName></segType><segTime>", s->out);
	put_value(s, "begin", "");
	fputs("<end type=\"eventField\" value=\"TIMESTAMP\"/></segTime><segContent>", s->out);
}

static void put_segment_field(struct statement *s)
{
	const char *type = s->at + strspn(s->at, " ");
	size_t n = strcspn(type, " ");

	s->at = type + n;
	skip(s);
	fputs("<segField", s->out);
	put_until(s, "name", "=");
	need(s, "=");
	fprintf(s->out, " type=\"%.*s\">", (int)n, type);
	put_value(s, "stateValue", "");
	fputs("</segField>", s->out);
}

bool compass_statement(FILE *out, const char *line)
{
	struct statement s = {.line = line, .at = line, .out = out};

	if (take(&s, "%location ")) {
		fputs("<location", out);
		put_until(&s, "id", " ");
		fputs(">", out);
		put_path(&s, "");
		fputs("</location>\n", out);
	} else if (take(&s, "%test ")) {
		fputs("<test", out);
		put_until(&s, "id", ":");
		fputs(">", out);
		need(&s, ":");
		put_condition(&s);
		fputs("</test>\n", out);
	} else if (take(&s, "%set ")) {
		put_change(&s, "=", "");
		putc('\n', out);
	} else if (take(&s, "%add ")) {
		put_change(&s, "+", " increment=\"true\"");
		putc('\n', out);
	} else if (take(&s, "%segment ")) {
		put_segment(&s);
		putc('\n', out);
	} else if (take(&s, "%field ")) {
		put_segment_field(&s);
		putc('\n', out);
	} else if (take(&s, "%close")) {
		fputs("</segContent></segment>\n", out);
	} else {
		return false;
	}
	skip(&s);
	if (*s.at)
		notation_fail(&s, "the end");
	return true;
}
