/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/tracecompass/: the analyses for Trace Compass, from the templates tracepoints/tracecompass/NAME.xml.
 * Which functions an event handler is about is said there in the model's words; their names are filled in:
 *
 *	@entry WHAT@ @exit WHAT@	names of events, with '|' between them
 *	@call WHAT@			the same of recordings with one event a call
 *	@each PARAMETER of WHAT		the lines up to "@end", once for each name that the functions give
 *					the parameter: @param@ is the name, @entry@ ... those functions
 *	@each member of ENUM		once for each @member@ of an enumeration
 *	@each error of capture.goes-on	once for each @error@ after which a capture is not over
 *	@each function of WHAT		once for each @function@
 *	@version@			a number that changes with the file
 *
 * WHAT is a list of operations ("synchronise.stream"), groups of them ("copy"), "all", "blocking", or
 * "async": work that a stream gets; "a+b" is both.  PARAMETER is the word of a kind of object ("stream": the
 * first one), or of a role.  Lines that begin with '%' are short for XML: compass_notation.c.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "compass_notation.h"
#include "emit.h"

#define LINE 4096u

const char *emit_compass;

static const struct model *model;

/* A template and where it is read. */
struct analysis {
	const char *path;
	char **lines;
	unsigned n_lines;
	/* Inside @each: what is repeated; NULL outside. */
	const char *what, *who, *word;
};

static void __attribute__((noreturn))
compass_fail(const struct analysis *t, const char *why, const char *what)
{
	fprintf(stderr, "acl-gen: %s: %s: %s\n", t->path, why, what);
	exit(1);
}

/* --- which functions -------------------------------------------------------------- */

static const char *object_of(const struct param *p)
{
	return p->ref.type && !p->ref.stars ? p->ref.type->handle : NULL;
}

static const struct param *parameter(const struct function *f, const char *who)
{
	for (unsigned i = 0; i < f->n_params; i++)
		if (object_of(&f->params[i]) && !strcmp(object_of(&f->params[i]), who))
			return &f->params[i];
	for (unsigned i = 0; i < f->n_params; i++)
		if (f->params[i].role && !strcmp(f->params[i].role, who))
			return &f->params[i];
	return NULL;
}

static bool gives_work(const struct function *f)
{
	const struct param *stream = parameter(f, "stream");

	return !strcmp(f->mode, "async") && stream && stream->life && !strcmp(stream->life, "use");
}

static bool is_word(const struct function *f, const char *word)
{
	if (!strcmp(word, "all"))
		return true;
	if (!strcmp(word, "async"))
		return gives_work(f);
	if (!strcmp(word, "blocking"))
		return !strcmp(f->mode, "blocking");
	return f->operation && (!strcmp(f->operation->name, word) || !strcmp(f->operation->group, word));
}

/* "a+b": both. */
static bool is_all(const struct function *f, const char *words)
{
	char list[LINE], *rest = list;

	snprintf(list, sizeof(list), "%s", words);
	for (char *word = strsep(&rest, "+"); word; word = strsep(&rest, "+"))
		if (!is_word(f, word))
			return false;
	return true;
}

static bool is_among(const struct function *f, const char *what)
{
	char list[LINE], *rest = list;

	snprintf(list, sizeof(list), "%s", what);
	for (char *word = strsep(&rest, ", "); word; word = strsep(&rest, ", "))
		if (*word && is_all(f, word))
			return true;
	return false;
}

static bool is_meant(const struct analysis *t, const struct function *f, const char *what)
{
	const struct param *p;

	if (*what)
		return is_among(f, what);
	if (!t->who)
		compass_fail(t, "no functions are named", "@entry@, @exit@ or @call@ outside of @each");
	p = parameter(f, t->who);
	return is_among(f, t->what) && p && !strcmp(p->name, t->word);
}

static void print_names(const struct analysis *t, FILE *out, const char *form, const char *what)
{
	bool any = false;

	for (unsigned i = 0; i < model->n_wrapped; i++) {
		const struct function *f = model->wrapped[i];

		if (!is_meant(t, f, what))
			continue;
		fputs(any ? "|" : "", out);
		if (!strcmp(form, "call"))
			fprintf(out, "acl_call:%s", f->name);
		else
			fprintf(out, "acl:%s_%s", f->name, form);
		any = true;
	}
	if (!any)
		compass_fail(t, "no function is", what);
}

/* --- lines ------------------------------------------------------------------------- */

static void print_word(const struct analysis *t, FILE *out, char *word)
{
	char *what = strchr(word, ' ');

	if (!strcmp(word, "version")) {
		fputs("@version@", out);
		return;
	}
	if (!strcmp(word, "param") || !strcmp(word, "member") || !strcmp(word, "error") ||
		!strcmp(word, "function")) {
		if (!t->word)
			compass_fail(t, "outside of @each", word);
		fputs(t->word, out);
		return;
	}
	if (what)
		*what++ = 0;
	if (strcmp(word, "entry") != 0 && strcmp(word, "exit") != 0 && strcmp(word, "call") != 0)
		compass_fail(t, "unknown word", word);
	print_names(t, out, word, what ? what : "");
}

static void print_line(const struct analysis *t, FILE *out, const char *line)
{
	char copy[LINE], *rest = copy, *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool inside = false;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *part = strsep(&rest, "@"); part; part = strsep(&rest, "@"), inside = !inside) {
		if (inside)
			print_word(t, f, part);
		else
			fputs(part, f);
	}
	fclose(f);
	if (!compass_statement(out, text))
		fprintf(out, "%s\n", text);
	free(text);
}

/* The line at which the repeated lines that begin there end. */
static unsigned find_end(const struct analysis *t, unsigned from)
{
	for (unsigned i = from; i < t->n_lines; i++)
		if (!strcmp(t->lines[i], "@end"))
			return i;
	compass_fail(t, "no @end of", t->lines[from - 1]);
}

static void repeat(struct analysis *t, FILE *out, unsigned from, unsigned end, const char *word)
{
	t->word = word;
	for (unsigned i = from; i < end; i++)
		print_line(t, out, t->lines[i]);
	t->word = NULL;
}

static void each_member(struct analysis *t, FILE *out, unsigned from, unsigned end)
{
	const struct type *e = model_type(model, t->what);

	if (!e || e->kind != TYPE_ENUM)
		compass_fail(t, "no enumeration", t->what);
	for (unsigned i = 0; i < e->n_members; i++)
		repeat(t, out, from, end, e->members[i].name);
}

static bool goes_on(long long code)
{
	static const long long codes[] = {
#define CODE(code) code,
#include "include/aclcheck/capture_goes_on.def"
#undef CODE
	};

	for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i] == code)
			return true;
	return false;
}

static void each_error(struct analysis *t, FILE *out, unsigned from, unsigned end)
{
	if (strcmp(t->what, "capture.goes-on") != 0)
		compass_fail(t, "no errors are named", t->what);
	for (unsigned i = 0; i < model->n_constants; i++)
		if (!strncmp(model->constants[i].name, "ACL_ERROR_", 10) &&
			goes_on(model->constants[i].value))
			repeat(t, out, from, end, model->constants[i].name);
}

static void each_function(struct analysis *t, FILE *out, unsigned from, unsigned end)
{
	for (unsigned i = 0; i < model->n_wrapped; i++)
		if (is_among(model->wrapped[i], t->what))
			repeat(t, out, from, end, model->wrapped[i]->name);
}

static void each_parameter(struct analysis *t, FILE *out, unsigned from, unsigned end)
{
	const char *seen[64];
	unsigned n = 0, k;

	for (unsigned i = 0; i < model->n_wrapped; i++) {
		const struct function *f = model->wrapped[i];
		const struct param *p = is_among(f, t->what) ? parameter(f, t->who) : NULL;

		for (k = 0; p && k < n && strcmp(seen[k], p->name) != 0;)
			k++;
		if (!p || k < n || n == sizeof(seen) / sizeof(seen[0]))
			continue;
		seen[n++] = p->name;
		repeat(t, out, from, end, p->name);
	}
	if (!n)
		compass_fail(t, "no function has", t->who);
}

/* "each WHO of WHAT"; returns the line of its @end. */
static unsigned print_each(struct analysis *t, FILE *out, unsigned at)
{
	char line[LINE], *of;
	unsigned end = find_end(t, at + 1);

	snprintf(line, sizeof(line), "%s", t->lines[at] + strlen("@each "));
	of = strstr(line, " of ");
	if (!of)
		compass_fail(t, "expected @each PARAMETER of WHAT", line);
	*of = 0;
	t->who = line;
	t->what = of + strlen(" of ");
	if (!strcmp(t->who, "member"))
		each_member(t, out, at + 1, end);
	else if (!strcmp(t->who, "error"))
		each_error(t, out, at + 1, end);
	else if (!strcmp(t->who, "function"))
		each_function(t, out, at + 1, end);
	else
		each_parameter(t, out, at + 1, end);
	t->who = t->what = NULL;
	return end;
}

/* --- files -------------------------------------------------------------------------- */

static void read_lines(struct analysis *t)
{
	FILE *f = fopen(t->path, "r");
	char line[LINE];

	if (!f)
		compass_fail(t, "cannot be read", "");
	while (fgets(line, sizeof(line), f)) {
		if (strlen(line) == sizeof(line) - 1)
			compass_fail(t, "a line is too long", line);
		line[strcspn(line, "\n")] = 0;
		t->lines = realloc(t->lines, (t->n_lines + 1) * sizeof(*t->lines));
		t->lines[t->n_lines++] = strdup(line);
	}
	fclose(f);
}

/* Trace Compass keeps what an analysis made of a trace until its version differs: an int of Java. */
static unsigned version_of(const char *text)
{
	unsigned hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash & 0x7fffffffu;
}

static void print_file(const char *name, char *text)
{
	char path[512], *rest = text;
	unsigned version = version_of(text);
	FILE *f;

	snprintf(path, sizeof(path), "gen/tracecompass/%s", name);
	f = emit_open_plain(path);
	for (char *at = strstr(rest, "@version@"); at; at = strstr(rest, "@version@")) {
		fwrite(rest, 1, (size_t)(at - rest), f);
		fprintf(f, "%u", version);
		rest = at + strlen("@version@");
	}
	fputs(rest, f);
	emit_close(f);
}

static void print_template(const char *directory, const char *name)
{
	char path[1024], *text = NULL;
	struct analysis t = {.path = path};
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	read_lines(&t);
	f = open_memstream(&text, &size);
	for (unsigned i = 0; i < t.n_lines; i++) {
		if (!strncmp(t.lines[i], "@each ", 6))
			i = print_each(&t, f, i);
		else
			print_line(&t, f, t.lines[i]);
	}
	fclose(f);
	print_file(name, text);
	for (unsigned i = 0; i < t.n_lines; i++)
		free(t.lines[i]);
	free(t.lines);
	free(text);
}

void print_compass(const struct model *m)
{
	DIR *d = emit_compass ? opendir(emit_compass) : NULL;
	struct dirent *e;

	model = m;
	while (d && (e = readdir(d))) {
		size_t n = strlen(e->d_name);

		if (n > 4 && !strcmp(e->d_name + n - 4, ".xml"))
			print_template(emit_compass, e->d_name);
	}
	if (d)
		closedir(d);
}
