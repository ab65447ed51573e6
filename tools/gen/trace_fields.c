/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a call's events.  A value is recorded as what it is (enum by
 * name, handle and pointer in hex); what a pointer leads to is opened:
 *	input	copied before with a read that cannot fault (trace_copy), since
 *		the pointer is not checked yet
 *	output	read in place, only after success: the runtime has written there
 *	text	copied the same careful way, cut at TRACE_TEXT bytes
 * Arrays show their first elements, records their fields one by one.
 */
#include <string.h>

#include "trace_fields.h"

#define MAX_LEAVES 24 /* of one record */
#define MAX_BYTES 64 /* of a union shown as bytes */
#define MAX_ELEMENTS 16 /* of an array inside a record */

static const struct model *model;
static const char *provider;
static struct trace_enums *enums;

/* --- shapes of parameters ----------------------------------------------- */

static bool is_record(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION);
}

static bool is_in(const struct param *p)
{
	return strcmp(p->dir, "out") != 0;
}

static bool is_out(const struct param *p)
{
	return strcmp(p->dir, "in") != 0;
}

static bool is_text(const struct param *p)
{
	return p->ref.stars == 1 && !strcmp(p->ref.base, "char") && p->bytes < 0;
}

/* A pointer to something of known size: one value, a record or an array of them. */
static bool is_open(const struct param *p)
{
	if (!p->ref.stars || is_text(p))
		return false;
	if (p->ref.stars == 1 && !strcmp(p->ref.base, "void"))
		return false;
	return !(p->ref.stars == 1 && p->ref.type && p->ref.type->kind == TYPE_OPAQUE);
}

static bool has_host_class(const struct param *p)
{
	return p->ref.stars == 1 && !strcmp(p->ref.base, "void");
}

/* Type of what a parameter points to. */
static struct typeref pointee(const struct param *p)
{
	struct typeref r = p->ref;

	r.stars--;
	return r;
}

static bool is_array(const struct param *p)
{
	return p->count >= 0 && !is_record(p->ref.type);
}

/* C type of an element of an opened array: pointers and handles are recorded as numbers. */
static const char *element(const struct typeref *r)
{
	if (r->stars || (r->type && (r->type->kind == TYPE_HANDLE || r->type->kind == TYPE_CALLBACK)))
		return "uint64_t";
	if (r->type && r->type->kind == TYPE_ENUM)
		return "int32_t";
	return r->type && r->type->kind == TYPE_ALIAS ? r->type->type : r->base;
}

/* --- one value ---------------------------------------------------------- */

static void print_value(FILE *f, const struct typeref *r, const char *name, const char *expr)
{
	const struct type *t = r->type;

	if (r->stars || (t && (t->kind == TYPE_HANDLE || t->kind == TYPE_CALLBACK))) {
		fprintf(f, "\t\tlttng_ust_field_integer_hex(uint64_t, %s, (uint64_t)(uintptr_t)(%s))\n", name,
			expr);
	} else if (t && t->kind == TYPE_ENUM) {
		enums->used[t - model->types] = true;
		fprintf(f, "\t\tlttng_ust_field_enum(%s, %s, int, %s, (int)(%s))\n", provider, t->name, name,
			expr);
	} else if (t && !strcmp(t->name, "aclError")) {
		enums->error = true;
		fprintf(f, "\t\tlttng_ust_field_enum(%s, aclError, int, %s, %s)\n", provider, name, expr);
	} else if (!strcmp(r->base, "float") || !strcmp(r->base, "double")) {
		fprintf(f, "\t\tlttng_ust_field_float(%s, %s, %s)\n", r->base, name, expr);
	} else {
		const char *base = t ? t->type : r->base;

		fprintf(f, "\t\tlttng_ust_field_integer(%s, %s, %s)\n",
			strcmp(base, "bool") ? base : "uint8_t", name, expr);
	}
}

/* --- records ------------------------------------------------------------ */

/* Where a record's fields are: name prefix, C expression of the record, and whether it may be read. */
struct place {
	const char *type, *name, *expr, *guard;
	unsigned leaves;
};

static void print_fields(FILE *f, struct place *at, const char *path, const struct field *fields, unsigned n);

static unsigned elements(const struct field *e)
{
	unsigned n = 1;

	for (unsigned d = 0; d < e->n_dims; d++)
		n *= e->dims[d];
	return n;
}

/* A dotted path as part of a field's name. */
static void print_name(char *out, size_t size, const char *prefix, const char *path)
{
	snprintf(out, size, "%s_%s", prefix, path);
	for (char *p = out; *p; p++)
		if (*p == '.')
			*p = '_';
}

static void print_bytes(FILE *f, const struct place *at, const char *path, const char *name, const char *how,
	const char *type)
{
	char source[512];

	snprintf(source, sizeof(source), "%s%s", at->expr, path);
	fprintf(f, "\t\tlttng_ust_field_array%s(%s, %s, ", how, type, name);
	if (at->guard)
		fprintf(f, "%s ? (const %s *)&%s : (const %s *)trace_zeros,\n", at->guard, type, source,
			type);
	else
		fprintf(f, "(const %s *)&%s,\n", type, source);
	fprintf(f, "\t\t\tsizeof(((%s *)0)->%s) / sizeof(%s))\n", at->type, path, type);
}

static void print_leaf(FILE *f, struct place *at, const char *path, const struct field *e)
{
	struct typeref r = model_ref(model, e->type);
	char name[520], expr[1024];

	print_name(name, sizeof(name), at->name, path);
	if (e->n_dims) {
		if (!strcmp(r.base, "char") && !r.stars && elements(e) <= 256)
			print_bytes(f, at, path, name, "_text", "char");
		else if (!r.stars && !is_record(r.type) && elements(e) <= MAX_ELEMENTS)
			print_bytes(f, at, path, name, "", element(&r));
		else
			return;
	} else if (is_record(r.type) && !r.stars) {
		/* Which member of a union holds is another field's or parameter's matter: its bytes. */
		if (r.type->size > MAX_BYTES)
			return;
		print_bytes(f, at, path, name, "_hex", "uint8_t");
	} else {
		if (at->guard)
			snprintf(expr, sizeof(expr), "%s ? %s%s : 0", at->guard, at->expr, path);
		else
			snprintf(expr, sizeof(expr), "%s%s", at->expr, path);
		print_value(f, &r, name, expr);
	}
	at->leaves++;
}

static void print_field(FILE *f, struct place *at, const char *prefix, const struct field *e)
{
	struct typeref r = model_ref(model, e->fields ? "int" : e->type);
	char path[256], inner[260];

	if (e->name && (!strncmp(e->name, "rsv", 3) || !strncmp(e->name, "reserve", 7)))
		return;
	snprintf(path, sizeof(path), "%s%s", prefix, e->name ? e->name : "");
	snprintf(inner, sizeof(inner), "%s%s", path, e->name ? "." : "");
	if (e->fields)
		print_fields(f, at, inner, e->fields, e->n_fields);
	else if (r.type && r.type->kind == TYPE_STRUCT && !r.stars && !e->n_dims)
		print_fields(f, at, inner, r.type->fields, r.type->n_fields);
	else if (at->leaves < MAX_LEAVES)
		print_leaf(f, at, path, e);
}

static void print_fields(FILE *f, struct place *at, const char *path, const struct field *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		print_field(f, at, path, &fields[i]);
}

/* expr ends in "." or "->". */
static void print_record(FILE *f, const struct type *t, const char *name, const char *expr, const char *guard)
{
	struct place at = {t->name, name, expr, guard, 0};

	print_fields(f, &at, "", t->fields, t->n_fields);
}

/* --- parameters --------------------------------------------------------- */

static void print_text(FILE *f, const char *name)
{
	fprintf(f,
		"\t\tlttng_ust_field_sequence_text(char, %s, copied->%s.text, uint16_t, copied->%s.length)\n",
		name, name, name);
}

/* What an input pointer leads to, from the copy. */
static void print_opened(FILE *f, const struct param *p)
{
	struct typeref r = pointee(p);
	char name[256], expr[300];

	snprintf(name, sizeof(name), "%s_0", p->name);
	if (is_array(p)) {
		bool hex = !strcmp(element(&r), "uint64_t");

		fprintf(f,
			"\t\tlttng_ust_field_sequence%s(%s, %s_list, copied->%s, uint8_t, "
			"copied->%s_count)\n",
			hex ? "_hex" : "", element(&r), p->name, p->name, p->name);
	} else if (is_record(r.type) && !r.stars) {
		snprintf(expr, sizeof(expr), "copied->%s.", p->name);
		print_record(f, r.type, p->name, expr, NULL);
	} else {
		snprintf(expr, sizeof(expr), "copied->%s", p->name);
		print_value(f, &r, name, expr);
	}
}

static void print_input(FILE *f, const struct param *p, unsigned index)
{
	char expr[256];

	snprintf(expr, sizeof(expr), "a->%s", p->name);
	if (!p->ref.stars && is_record(p->ref.type)) {
		strcat(expr, ".");
		print_record(f, p->ref.type, p->name, expr, NULL);
		return;
	}
	if (is_text(p) && is_in(p)) {
		print_text(f, p->name);
		return;
	}
	print_value(f, &p->ref, p->name, expr);
	if (has_host_class(p)) {
		enums->host_class = true;
		fprintf(f,
			"\t\tlttng_ust_field_enum(%s, acl_host_class, uint8_t, %s_host, e->host_class[%u])\n",
			provider, p->name, index);
	}
	if (is_open(p) && is_in(p))
		print_opened(f, p);
}

void trace_inputs(
	FILE *f, const struct model *m, const struct function *fn, const char *prov, struct trace_enums *set)
{
	model = m;
	provider = prov;
	enums = set;
	for (unsigned i = 0; i < fn->n_params; i++)
		print_input(f, &fn->params[i], i);
}

/* How many elements of an output array hold something: the count is a number or lies behind a pointer. */
static void print_count(FILE *f, const struct function *fn, const struct param *p)
{
	const struct param *n = &fn->params[p->count];

	fprintf(f, "TRACE_DONE(e, a->%s) ? trace_limit(%sa->%s) : 0", p->name, n->ref.stars ? "*" : "",
		n->name);
}

static void print_output(FILE *f, const struct function *fn, const struct param *p)
{
	struct typeref r = pointee(p);
	char expr[600], guard[300];
	/* An input of the same event has the bare name already. */
	char name[256];

	snprintf(name, sizeof(name), "%s_out", p->name);
	if (is_text(p)) {
		print_text(f, name);
		return;
	}
	if (!is_open(p))
		return;
	snprintf(guard, sizeof(guard), "TRACE_DONE(e, a->%s)", p->name);
	if (is_array(p)) {
		fprintf(f, "\t\tlttng_ust_field_sequence%s(%s, %s, (const %s *)a->%s, uint8_t, ",
			!strcmp(element(&r), "uint64_t") ? "_hex" : "", element(&r), name, element(&r),
			p->name);
		print_count(f, fn, p);
		fputs(")\n", f);
	} else if (is_record(r.type) && !r.stars) {
		snprintf(expr, sizeof(expr), "a->%s->", p->name);
		print_record(f, r.type, name, expr, guard);
	} else {
		snprintf(expr, sizeof(expr), "%s ? *a->%s : 0", guard, p->name);
		print_value(f, &r, name, expr);
	}
}

static void print_result(FILE *f, const struct function *fn)
{
	const struct typeref *r = &fn->ret_ref;
	const struct typeref error = {.base = "aclError", .type = r->type};

	if (!strcmp(fn->ret, "void"))
		return;
	if (r->type && !r->stars && !strcmp(r->type->name, "aclError"))
		print_value(f, &error, "ret", "(int)e->result.i");
	else if (r->stars == 1 && !strcmp(r->base, "char"))
		fputs("\t\tlttng_ust_field_string(ret, e->result.p ? (const char *)e->result.p : \"\")\n", f);
	else if (r->stars || r->type)
		fputs("\t\tlttng_ust_field_integer_hex(uint64_t, ret, e->result.u)\n", f);
	else
		fprintf(f, "\t\tlttng_ust_field_integer(%s, ret, (%s)e->result.i)\n", r->base, r->base);
}

void trace_outputs(
	FILE *f, const struct model *m, const struct function *fn, const char *prov, struct trace_enums *set)
{
	model = m;
	provider = prov;
	enums = set;
	print_result(f, fn);
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_out(&fn->params[i]))
			print_output(f, fn, &fn->params[i]);
}

/* --- copies ------------------------------------------------------------- */

bool trace_opens_inputs(const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_in(&fn->params[i]) && (is_text(&fn->params[i]) || is_open(&fn->params[i])))
			return true;
	return false;
}

bool trace_opens_outputs(const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_out(&fn->params[i]) && is_text(&fn->params[i]))
			return true;
	return false;
}

void trace_open_struct(FILE *f, const struct function *fn)
{
	if (!trace_opens_inputs(fn) && !trace_opens_outputs(fn))
		return;
	fprintf(f, "struct acl_open_%s {\n", fn->name);
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];
		struct typeref r = pointee(p);

		if (is_text(p) && is_in(p))
			fprintf(f, "\tstruct trace_text %s;\n", p->name);
		if (is_text(p) && is_out(p))
			fprintf(f, "\tstruct trace_text %s_out;\n", p->name);
		if (!is_open(p) || !is_in(p))
			continue;
		if (is_array(p))
			fprintf(f, "\t%s %s[TRACE_LIST];\n\tunsigned %s_count;\n", element(&r), p->name,
				p->name);
		else if (is_record(r.type) && !r.stars)
			fprintf(f, "\t%s %s;\n", r.type->name, p->name);
		else
			fprintf(f, "\t%s %s;\n", element(&r), p->name);
	}
	fputs("};\n\n", f);
}

void trace_open_inputs(FILE *f, const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (!is_in(p))
			continue;
		if (is_text(p)) {
			fprintf(f, "\ttrace_copy_text(&copied.%s, a->%s);\n", p->name, p->name);
		} else if (is_open(p) && is_array(p)) {
			const struct param *n = &fn->params[p->count];

			if (n->ref.stars) /* how many there are is known after the call */
				fprintf(f, "\tcopied.%s_count = 0;\n", p->name);
			else
				fprintf(f,
					"\tcopied.%s_count = trace_copy_list(copied.%s, a->%s, "
					"sizeof(copied.%s[0]), a->%s);\n",
					p->name, p->name, p->name, p->name, n->name);
		} else if (is_open(p)) {
			fprintf(f, "\ttrace_copy(&copied.%s, a->%s, sizeof(copied.%s));\n", p->name, p->name,
				p->name);
		}
	}
}

void trace_open_outputs(FILE *f, const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (is_text(p) && is_out(p))
			fprintf(f,
				"\ttrace_copy_text(&copied.%s_out, TRACE_DONE(e, a->%s) ? a->%s : NULL);\n",
				p->name, p->name, p->name);
	}
}
