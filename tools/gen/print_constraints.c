/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_constraints.c from section "needs" of the model: what the arguments of a
 * call need to satisfy.  The notation is explained in include/acl/README.md.
 */
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "constraint_words.h"
#include "emit.h"
#include "texts.h"

#define MAX_TERMS 4 /* the need and its conditions */
#define MAX_RANGES 16
#define MAX_NEEDS 64 /* of one function, not counting those of "null" */

struct operand {
	char text[96];
	const char *how;
	char where[256]; /* initialisers of offset, behind, size */
	char number[32];
	unsigned factor;
	int param;
	bool is_signed;
};

struct term {
	struct operand left, more, right;
	const char *op;
	char about[96], value[400]; /* as written: what is compared, and with what */
	long long ranges[MAX_RANGES][2];
	unsigned n_ranges;
};

struct need {
	char rule[64];
	const char *text;
	struct term terms[MAX_TERMS];
	unsigned n_terms;
	const char *severity;
	char soc[32], only_soc[160];
	const char *since, *until;
};

static const struct model *model;
static const char *at_function, *at_text, *cursor;
static FILE *sentences; /* gen/constraint_sentences.def */
static char *sentence_text; /* what is in it so far */
static size_t sentence_size;

static void __attribute__((noreturn, format(printf, 1, 2))) constraint_fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: needs %s: \"%s\": ", model->path, at_function, at_text);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

/* --- words -------------------------------------------------------------------- */

static bool word_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '-';
}

static void blanks(void)
{
	while (*cursor == ' ')
		cursor++;
}

/* Takes the literal when it comes next (a word only as a whole). */
static bool take(const char *literal)
{
	size_t n = strlen(literal);

	blanks();
	if (strncmp(cursor, literal, n) || (word_char(literal[n - 1]) && word_char(cursor[n])))
		return false;
	cursor += n;
	return true;
}

static void word(char *to, size_t room, const char *more)
{
	size_t n = 0;

	blanks();
	while (word_char(*cursor) || (*cursor && strchr(more, *cursor))) {
		if (n + 1 >= room)
			constraint_fail("a word is too long");
		to[n++] = *cursor++;
	}
	to[n] = 0;
	if (!n)
		constraint_fail("something is missing at \"%s\"", cursor);
}

static bool constant_value(const char *name, long long *value)
{
	for (unsigned i = 0; i < model->n_constants; i++)
		if (!strcmp(model->constants[i].name, name)) {
			*value = model->constants[i].value;
			return true;
		}
	for (unsigned i = 0; i < model->n_types; i++)
		for (unsigned k = 0; k < model->types[i].n_members; k++)
			if (!strcmp(model->types[i].members[k].name, name)) {
				*value = model->types[i].members[k].value;
				return true;
			}
	return false;
}

/* 4096, -1, 0x3f, ~0x3f, 2M, ACL_MEMCPY_DEFAULT */
static long long number(void)
{
	bool inverted = take("~");
	char name[96], *end;
	long long v;

	blanks();
	if (isalpha((unsigned char)*cursor)) {
		word(name, sizeof(name), "");
		if (!constant_value(name, &v))
			constraint_fail("no constant %s", name);
		return inverted ? ~v : v;
	}
	v = strtoll(cursor, &end, 0);
	if (end == cursor)
		constraint_fail("no number at \"%s\"", cursor);
	for (const char *units = "KMGT", *u = strchr(units, *end); *end && u && u >= units; u--) {
		v *= 1024;
		if (u == units)
			end++;
	}
	cursor = end;
	return inverted ? ~v : v;
}

/* --- operands ------------------------------------------------------------------- */

static bool signed_type(const struct typeref *r)
{
	if (r->stars)
		return false;
	if (r->type)
		return r->type->kind == TYPE_ENUM || (r->type->kind == TYPE_ALIAS && r->type->type[0] == 'i');
	return !strncmp(r->base, "int", 3);
}

/* The type of a dotted field. */
static struct typeref field_type(const struct field *fields, unsigned n, const char *path)
{
	size_t len = strcspn(path, ".");

	for (unsigned i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		struct typeref r;

		if (!f->name || strncmp(f->name, path, len) || f->name[len])
			continue;
		r = model_ref(model, f->type);
		if (!path[len])
			return r;
		if (!r.type || !r.type->n_fields || r.stars)
			constraint_fail("%.*s has no fields", (int)len, path);
		return field_type(r.type->fields, r.type->n_fields, path + len + 1);
	}
	constraint_fail("no field %s", path);
}

static void operand_field(struct operand *o, const struct function *f, int param, const char *path)
{
	const struct param *p = &f->params[param];
	const struct type *t = p->ref.type;
	struct typeref r;

	if (!t || !t->n_fields || p->ref.stars > 1)
		constraint_fail("%s is no structure", p->name);
	r = field_type(t->fields, t->n_fields, path);
	o->is_signed = signed_type(&r);
	if (p->ref.stars) {
		o->how = "BEHIND";
		snprintf(o->where, sizeof(o->where),
			"offsetof(struct acl_args_%s, %s), offsetof(%s, %s), sizeof(((%s *)0)->%s)", f->name,
			p->name, p->ref.base, path, p->ref.base, path);
	} else {
		o->how = "PARAM";
		snprintf(o->where, sizeof(o->where),
			"offsetof(struct acl_args_%s, %s) + offsetof(%s, %s), 0, sizeof(((%s *)0)->%s)",
			f->name, p->name, p->ref.base, path, p->ref.base, path);
	}
}

static int param_of(const struct function *f, const char *name)
{
	size_t len = strcspn(name, ".");

	for (unsigned i = 0; i < f->n_params; i++)
		if (!strncmp(f->params[i].name, name, len) && !f->params[i].name[len])
			return (int)i;
	return -1;
}

static void operand_param(struct operand *o, const struct function *f, const char *name, bool pointee)
{
	const struct param *p;

	o->param = param_of(f, name);
	if (o->param < 0)
		constraint_fail("no parameter %s", name);
	p = &f->params[o->param];
	snprintf(o->text, sizeof(o->text), "%s%s", pointee ? "*" : "", name);
	if (strchr(name, '.')) {
		operand_field(o, f, o->param, strchr(name, '.') + 1);
	} else if (pointee) {
		o->how = "BEHIND";
		o->is_signed = signed_type(&(struct typeref){.base = p->ref.base, .type = p->ref.type});
		snprintf(o->where, sizeof(o->where), "offsetof(struct acl_args_%s, %s), 0, sizeof(%s)",
			f->name, p->name, p->ref.base);
	} else {
		o->how = "PARAM";
		o->is_signed = signed_type(&p->ref);
		snprintf(o->where, sizeof(o->where),
			"offsetof(struct acl_args_%s, %s), 0, sizeof(((struct acl_args_%s *)0)->%s)", f->name,
			p->name, f->name, p->name);
	}
}

/* A number, or a parameter with its field, a mask and a factor. */
static void operand(struct operand *o, const struct function *f)
{
	char name[96];
	const char *start;

	o->param = -1;
	o->factor = 1;
	strcpy(o->number, "0");
	blanks();
	start = cursor;
	if (take("*")) {
		word(name, sizeof(name), ".");
		operand_param(o, f, name, true);
	} else if (isalpha((unsigned char)*cursor)) {
		word(name, sizeof(name), ".");
		if (param_of(f, name) >= 0)
			operand_param(o, f, name, false);
		else
			cursor = start;
	}
	if (!o->how) {
		o->how = "NUMBER";
		snprintf(o->number, sizeof(o->number), "(uint64_t)%lldLL", number());
		snprintf(o->text, sizeof(o->text), "%.*s", (int)(cursor - start), start);
		strcpy(o->where, "0, 0, 8");
		o->is_signed = true;
		return;
	}
	if (take("&"))
		snprintf(o->number, sizeof(o->number), "(uint64_t)%lldLL", number());
	if (take("*"))
		o->factor = (unsigned)number();
}

/* --- terms ------------------------------------------------------------------------ */

static void ranges(struct term *t)
{
	do {
		long long low = number();

		if (t->n_ranges == MAX_RANGES)
			constraint_fail("too many values");
		t->ranges[t->n_ranges][0] = low;
		t->ranges[t->n_ranges++][1] = take("..") ? number() : low;
	} while (take(","));
}

/* What was read since, without the blanks around it. */
static void read_since(const char *start, char *to, size_t room)
{
	size_t n;

	start += strspn(start, " ");
	for (n = (size_t)(cursor - start); n && start[n - 1] == ' '; n--)
		;
	if (n >= room)
		constraint_fail("a term is too long");
	memcpy(to, start, n);
	to[n] = 0;
}

static void term(struct term *t, const struct function *f)
{
	static const struct {
		const char *spelling, *op;
	} compare[] = {{"==", "EQ"}, {"!=", "NE"}, {"<=", "LE"}, {">=", "GE"}, {"<", "LT"}, {">", "GT"},
		{"align", "ALIGN"}};
	const char *start;

	if (take("never")) {
		t->op = "NEVER";
		return;
	}
	start = cursor;
	operand(&t->left, f);
	if (take("+"))
		operand(&t->more, f);
	read_since(start, t->about, sizeof(t->about));
	for (unsigned i = 0; i < sizeof(compare) / sizeof(compare[0]); i++)
		if (take(compare[i].spelling)) {
			t->op = compare[i].op;
			start = cursor;
			operand(&t->right, f);
			read_since(start, t->value, sizeof(t->value));
			return;
		}
	if (take("in") || take("out")) {
		t->op = cursor[-1] == 'n' ? "IN" : "OUT";
		start = cursor;
		ranges(t);
		read_since(start, t->value, sizeof(t->value));
	} else if (take("zero")) {
		t->op = "ZERO";
	} else {
		t->op = "SET";
	}
}

static const char *release(void)
{
	char name[32];

	word(name, sizeof(name), ".");
	for (const char **v = model->versions; *v; v++)
		if (!strcmp(*v, name))
			return *v;
	constraint_fail("unknown release %s", name);
}

static void tail(struct need *n, const struct function *f)
{
	if (take("if"))
		do {
			if (n->n_terms == MAX_TERMS)
				constraint_fail("too many conditions");
			term(&n->terms[n->n_terms++], f);
		} while (take("and"));
	if (take("unless soc"))
		word(n->soc, sizeof(n->soc), "");
	if (take("on soc"))
		word(n->only_soc, sizeof(n->only_soc), ",_");
	if (take("since"))
		n->since = release();
	if (take("until"))
		n->until = release();
	if (take("as error"))
		n->severity = "ACL_SEV_ERROR";
	else if (take("as warning"))
		n->severity = "ACL_SEV_WARNING";
	else if (take("as portability"))
		n->severity = "ACL_SEV_PORTABILITY";
	blanks();
	if (*cursor)
		constraint_fail("what is \"%s\"?", cursor);
}

static void parse(struct need *n, const struct function *f, const char *text)
{
	n->text = at_text = cursor = text;
	word(n->rule, sizeof(n->rule), "");
	if (!take(":"))
		constraint_fail("no \":\" behind the rule");
	n->text = cursor + strspn(cursor, " ");
	n->n_terms = 1;
	term(&n->terms[0], f);
	tail(n, f);
}

/* --- printing ------------------------------------------------------------------------ */

/* The tables, which are printed when all needs are known. */
static struct texts texts;
static char *term_text, *range_text, *entry_text;
static size_t term_size, range_size, entry_size;
static FILE *terms, *all_ranges, *entries;
static unsigned n_terms, n_ranges;

static void print_operand(const char *name, const struct operand *o)
{
	if (o->how)
		fprintf(terms, "\n\t\t.%s = { %s, %u, %u, %s, ACL_OPERAND_%s, %d, %s },", name, o->number,
			texts_add(&texts, o->text), o->factor, o->where, o->how, o->param,
			o->is_signed ? "true" : "false");
}

/* Returns the number of the first one. */
static unsigned print_terms(const struct need *n)
{
	for (unsigned t = 0; t < n->n_terms; t++) {
		const struct term *term = &n->terms[t];

		fprintf(terms, "\t/* %u */ { .op = ACL_TERM_%s,", n_terms + t, term->op);
		print_operand("left", &term->left);
		print_operand("more", &term->more);
		print_operand("right", &term->right);
		if (term->n_ranges)
			fprintf(terms, "\n\t\t.ranges = %u, .n_ranges = %u,", n_ranges, term->n_ranges);
		fprintf(terms, " },\n");
		for (unsigned r = 0; r < term->n_ranges; r++)
			fprintf(all_ranges, "\t{ %lldLL, %lldLL },\n", term->ranges[r][0],
				term->ranges[r][1]);
		n_ranges += term->n_ranges;
	}
	n_terms += n->n_terms;
	return n_terms - n->n_terms;
}

static void print_release(const char *name, const char *version)
{
	if (version)
		fprintf(entries, ", .%s = ACL_CANN_%s", name, upper(version));
	else
		fprintf(entries, ", .%s = -1", name);
}

/* A pointer or a handle: what it is not set to is NULL. */
static bool is_pointer(const struct function *fn, const struct term *t)
{
	const struct param *p = t->left.param >= 0 ? &fn->params[t->left.param] : NULL;
	const char *path = p ? strchr(t->about, '.') : NULL;
	struct typeref r;

	if (!p || *t->about == '*' || t->more.how || strchr(t->about, ' '))
		return false;
	r = path ? field_type(p->ref.type->fields, p->ref.type->n_fields, path + 1) : p->ref;
	return !strcmp(value_kind(&r), "POINTER") || !strcmp(value_kind(&r), "HANDLE") ||
	       !strcmp(value_kind(&r), "STRING") || !strcmp(value_kind(&r), "CALLBACK");
}

/* In both languages, once. */
static void print_translation(const struct term_words *words, unsigned n, bool product)
{
	char *row = NULL;
	size_t size;
	FILE *f = open_memstream(&row, &size);

	fputs("SENTENCE(\"", f);
	words_english(f, words, n, product);
	fputs("\", \"", f);
	words_chinese(f, words, n, product);
	fputs("\")\n", f);
	fclose(f);
	fflush(sentences);
	if (!strstr(sentence_text, row))
		fputs(row, sentences);
	free(row);
}

/* The sentence of a finding; the caller frees it. */
static char *sentence_of(const struct function *fn, const struct need *n)
{
	struct term_words words[MAX_TERMS];
	char *sentence = NULL;
	size_t size;
	FILE *f = open_memstream(&sentence, &size);

	if (strcmp(n->terms[0].op, "NEVER")) {
		for (unsigned i = 0; i < n->n_terms; i++)
			words[i] = (struct term_words){n->terms[i].op, n->terms[i].about, n->terms[i].value,
				n->terms[i].n_ranges, is_pointer(fn, &n->terms[i])};
		words_english(f, words, n->n_terms, n->only_soc[0]);
		print_translation(words, n->n_terms, n->only_soc[0]);
	}
	fclose(f);
	return sentence;
}

/* Returns the number of its first term. */
static unsigned print_need(const struct function *fn, const struct need *n)
{
	unsigned first = print_terms(n);

	char *sentence = sentence_of(fn, n);

	fprintf(entries, "\t{ %u, %u, %u, ACL_RULE_NUMBER_%s, .terms = %u, .n_terms = %u, .severity = %s",
		texts_add(&texts, sentence), texts_add(&texts, n->soc[0] ? n->soc : NULL),
		texts_add(&texts, n->only_soc[0] ? n->only_soc : NULL), upper(n->rule), first, n->n_terms,
		n->severity ? n->severity : "-1");
	print_release("since", n->since);
	print_release("until", n->until);
	fprintf(entries, " },\n");
	free(sentence);
	return first;
}

static void check_names(json_t *section)
{
	for (size_t g = 0; g < json_array_size(section); g++) {
		json_t *of = json_object_get(json_array_get(section, g), "of");

		at_text = "of";
		for (size_t i = 0; i < json_array_size(of); i++) {
			bool found = false;

			at_function = json_string_value(json_array_get(of, i));
			for (unsigned k = 0; k < model->n_wrapped && !found; k++)
				found = at_function && !strcmp(model->wrapped[k]->name, at_function);
			if (!found)
				constraint_fail("no such wrapped function");
		}
	}
}

static bool names(json_t *of, const char *function)
{
	for (size_t i = 0; i < json_array_size(of); i++)
		if (!strcmp(json_string_value(json_array_get(of, i)), function))
			return true;
	return false;
}

/* What the code printed for a function still has to know of each of its needs. */
struct printed {
	bool of_product, never;
	unsigned term; /* the first one */
	unsigned conditions; /* terms after the first that say when the need applies */
};

/*
 * "null": "required" is a need as well, of null-required-pointer unless a need
 * of the section names the parameter.  Streams must be named: which of them may
 * be NULL is a matter of rules of their own.
 */
static unsigned required_needs(const struct function *fn, const bool *named, struct printed *printed)
{
	unsigned count = 0;

	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];
		bool in_stream = p->handle && !strcmp(p->handle, "stream") && !strcmp(p->dir, "in");
		struct need n = {0};
		char text[128];

		if (named[i] || in_stream || !p->null || strcmp(p->null, "required"))
			continue;
		snprintf(text, sizeof(text), "null-required-pointer: %s", p->name);
		parse(&n, fn, text);
		printed[count++].term = print_need(fn, &n);
	}
	return count;
}

/* The parameter whose pointee some needs of a function look at, -1 = none: one at most, it is copied once. */
static int behind_param;

static void note_behind(const struct operand *o)
{
	if (!o->how || strcmp(o->how, "BEHIND"))
		return;
	if (behind_param >= 0 && behind_param != o->param)
		constraint_fail("needs look behind two parameters");
	behind_param = o->param;
}

static void note_terms(const struct need *n)
{
	for (unsigned t = 0; t < n->n_terms; t++) {
		note_behind(&n->terms[t].left);
		note_behind(&n->terms[t].more);
		note_behind(&n->terms[t].right);
	}
}

/* All needs of one function, in the order of the section. Returns how many. */
static unsigned function_needs(json_t *section, const struct function *fn, struct printed *printed)
{
	bool named[16] = {false};
	unsigned count = 0;

	at_function = fn->name;
	behind_param = -1;
	for (size_t g = 0; g < json_array_size(section); g++) {
		json_t *group = json_array_get(section, g), *list = json_object_get(group, "need");

		if (!names(json_object_get(group, "of"), fn->name))
			continue;
		for (size_t i = 0; i < json_array_size(list); i++) {
			struct need n = {0};
			const char *text = json_string_value(json_array_get(list, i));
			bool never;

			if (!text)
				constraint_fail("a need is no string");
			parse(&n, fn, text);
			note_terms(&n);
			if (!strcmp(n.terms[0].op, "SET") && n.terms[0].left.param >= 0)
				named[n.terms[0].left.param] = true;
			if (count == MAX_NEEDS)
				constraint_fail("too many needs");
			never = !strcmp(n.terms[0].op, "NEVER");
			printed[count++] = (struct printed){
				n.only_soc[0], never, print_need(fn, &n), never ? 0 : n.n_terms - 1};
		}
	}
	return count + required_needs(fn, named, printed + count);
}

static void print_span(
	FILE *f, const struct function *fn, const struct printed *printed, unsigned first, unsigned count)
{
	const struct param *p = behind_param >= 0 ? &fn->params[behind_param] : NULL;
	unsigned before_never = 0;

	while (before_never < count && !printed[before_never].never)
		before_never++;
	fprintf(f, "\t[ACL_API_%s] = { %u, %u, %u, ", fn->name, first, count, before_never);
	if (p)
		fprintf(f, "sizeof(%s), offsetof(struct acl_args_%s, %s) },\n", p->ref.base, fn->name,
			p->name);
	else
		fprintf(f, "0, 0 },\n");
}

/*
 * The needs of one function in C: which of them a call evaluates, a bit
 * each (what they are about can be known, the conditions for them to apply hold),
 * and whether some first term does not hold.  What applies to certain products
 * only is left out of the latter: it is checked when the product is known.
 */
static void print_evaluation(
	FILE *f, const struct function *fn, const struct printed *printed, unsigned count)
{
	bool never = false;

	fprintf(f,
		"static unsigned evaluate_%s(const void *args, const void *behind)\n{\n\tunsigned evaluated "
		"= 0",
		fn->name);
	for (unsigned i = 0; i < count; i++) {
		fprintf(f, " |\n\t\t(unsigned)(term_known(acl_terms + %u, args, behind)", printed[i].term);
		for (unsigned t = 1; t <= printed[i].conditions; t++)
			fprintf(f, " && term_holds(acl_terms + %u, args, behind) == YES",
				printed[i].term + t);
		fprintf(f, ") << %u", i);
	}
	fputs(";\n\n\t(void)args;\n\t(void)behind;\n", f);
	for (unsigned i = 0; i < count; i++)
		never |= printed[i].never && !printed[i].of_product;
	if (never)
		fputs("\tevaluated |= ACL_NEEDS_NEVER;\n", f);
	fputs("\tif (true", f);
	for (unsigned i = 0; i < count; i++)
		if (!printed[i].of_product && !printed[i].never)
			fprintf(f, " &&\n\t\tterm_holds(acl_terms + %u, args, behind) != NO",
				printed[i].term);
	fputs(")\n\t\treturn evaluated;\n\treturn evaluated | ACL_NEEDS_BROKEN;\n}\n", f);
}

/* For interpose/common/sentences.c. */
static void print_sentences(const struct model *m)
{
	FILE *f = emit_open(m, "gen/constraint_sentences.def", "needs as sentences of findings");

	fclose(sentences);
	fputs(sentence_text, f);
	emit_close(f);
	free(sentence_text);
}

void print_constraints(const struct model *m)
{
	json_error_t err;
	json_t *root = json_load_file(m->path, 0, &err), *section = json_object_get(root, "needs");
	char *span_text = NULL, *table_text = NULL, *code_text = NULL;
	size_t span_size, table_size, code_size;
	FILE *table = open_memstream(&table_text, &table_size),
	     *code = open_memstream(&code_text, &code_size), *spans = open_memstream(&span_text, &span_size);
	FILE *f = emit_open(m, "gen/acl_constraints.c", "what the arguments of a call need to satisfy");
	unsigned total = 0;

	model = m;
	terms = open_memstream(&term_text, &term_size);
	all_ranges = open_memstream(&range_text, &range_size);
	entries = open_memstream(&entry_text, &entry_size);
	sentences = open_memstream(&sentence_text, &sentence_size);
	check_names(section);
	fprintf(f, "#include <stddef.h>\n\n#include \"acl_api.h\"\n#include \"acl_rule_numbers.h\"\n"
		   "#include \"aclcheck/model.h\"\n#include \"aclcheck/terms.h\"\n"
		   "#include \"checks/engine/rule_table.h\"\n");
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		struct printed printed[MAX_NEEDS + 16] = {{0}};
		const struct function *fn = m->wrapped[i];
		unsigned count = function_needs(section, fn, printed);

		if (count > 30)
			constraint_fail("more needs than a word has bits");
		if (count) {
			print_span(spans, fn, printed, total, count);
			fprintf(table, "\t[ACL_API_%s] = evaluate_%s,\n", fn->name, fn->name);
			print_evaluation(code, fn, printed, count);
			if (behind_param >= 0)
				fprintf(code,
					"_Static_assert(sizeof(%s) <= ACL_NEEDS_BEHIND, \"larger than its "
					"copy\");\n",
					fn->params[behind_param].ref.base);
		}
		total += count;
	}
	fclose(entries);
	fclose(terms);
	fclose(all_ranges);
	fclose(spans);
	fclose(table);
	fclose(code);
	fprintf(f, "\nconst struct acl_range acl_ranges[] = {\n%s};\n", range_text);
	fprintf(f, "\nconst struct acl_term acl_terms[] = {\n%s};\n\n%s", term_text, code_text);
	fprintf(f,
		"\nconst struct acl_constraint acl_constraints[] = {\n%s};\nconst unsigned acl_need_count = "
		"%u;\n",
		entry_text, total);
	texts_print(&texts, f, "acl_need_texts");
	fprintf(f, "\nconst struct acl_need_span acl_constraints_of[ACL_API_COUNT] = {\n%s};\n", span_text);
	fprintf(f,
		"\nunsigned (*const acl_constraints_evaluate[ACL_API_COUNT])(const void *args, "
		"const void *behind) = {\n%s};\n",
		table_text);
	emit_close(f);
	free(code_text);
	print_sentences(m);
	free(table_text);
	free(entry_text);
	free(term_text);
	free(range_text);
	free(span_text);
	json_decref(root);
}
