/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a call's events.  A value is recorded as what it is (enum by
 * name, handle and pointer in hex); what a pointer leads to is opened:
 *	input	copied with a read that cannot fault (trace_copy), since the pointer
 *		is not checked yet
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
static struct trace_enums *enums;

/* --- shapes of parameters ----------------------------------------------- */

static bool trace_is_record(const struct type *t)
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
	return p->count >= 0 && !trace_is_record(p->ref.type);
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
		fprintf(f, "\t\tFIELD_HEX(uint64_t, %s, (uint64_t)(uintptr_t)(%s))\n", name, expr);
	} else if (t && t->kind == TYPE_ENUM) {
		enums->used[t - model->types] = true;
		fprintf(f, "\t\tFIELD_ENUM(%s, int, %s, (int)(%s))\n", t->name, name, expr);
	} else if (t && !strcmp(t->name, "aclError")) {
		fprintf(f, "\t\tFIELD_ENUM(aclError, int, %s, %s)\n", name, expr);
	} else if (!strcmp(r->base, "float") || !strcmp(r->base, "double")) {
		fprintf(f, "\t\tFIELD_FLOAT(%s, %s, %s)\n", r->base, name, expr);
	} else {
		const char *base = t ? t->type : r->base;

		fprintf(f, "\t\tFIELD_INT(%s, %s, %s)\n", strcmp(base, "bool") ? base : "uint8_t", name,
			expr);
	}
}

/* --- records ------------------------------------------------------------ */

/* Where a record's fields are: name prefix, C expression of the record, and whether it may be read. */
struct place {
	const char *type, *name, *expr, *guard;
	unsigned leaves;
};

static void trace_fields_print(
	FILE *f, struct place *at, const char *path, const struct field *fields, unsigned n);

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
	fprintf(f, "\t\tFIELD_ARRAY%s(%s, %s, ", how, type, name);
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
			print_bytes(f, at, path, name, "_TEXT", "char");
		else if (!r.stars && !trace_is_record(r.type) && elements(e) <= MAX_ELEMENTS)
			print_bytes(f, at, path, name, "", element(&r));
		else
			return;
	} else if (trace_is_record(r.type) && !r.stars) {
		/* Which member of a union holds is another field's or parameter's matter: its bytes. */
		if (r.type->size > MAX_BYTES)
			return;
		print_bytes(f, at, path, name, "_HEX", "uint8_t");
	} else {
		if (at->guard)
			snprintf(expr, sizeof(expr), "%s ? %s%s : 0", at->guard, at->expr, path);
		else
			snprintf(expr, sizeof(expr), "%s%s", at->expr, path);
		print_value(f, &r, name, expr);
	}
	at->leaves++;
}

static bool is_reserved(const struct field *e)
{
	return e->name && (!strncmp(e->name, "rsv", 3) || !strncmp(e->name, "reserve", 7));
}

static void print_field(FILE *f, struct place *at, const char *prefix, const struct field *e)
{
	struct typeref r = model_ref(model, e->fields ? "int" : e->type);
	char path[256], inner[260];

	if (is_reserved(e))
		return;
	snprintf(path, sizeof(path), "%s%s", prefix, e->name ? e->name : "");
	snprintf(inner, sizeof(inner), "%s%s", path, e->name ? "." : "");
	if (e->fields)
		trace_fields_print(f, at, inner, e->fields, e->n_fields);
	else if (r.type && r.type->kind == TYPE_STRUCT && !r.stars && !e->n_dims)
		trace_fields_print(f, at, inner, r.type->fields, r.type->n_fields);
	else if (at->leaves < MAX_LEAVES)
		print_leaf(f, at, path, e);
}

/* A record of nothing else is one whose content is the runtime's own business, and is unlike that of others.
 */
static void print_opaque(FILE *f, const struct place *at, const struct type *t)
{
	char name[520];

	print_name(name, sizeof(name), at->name, t->fields[0].name);
	print_bytes(f, at, t->fields[0].name, name, "_HEX", "uint8_t");
}

static void trace_fields_print(
	FILE *f, struct place *at, const char *path, const struct field *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		print_field(f, at, path, &fields[i]);
}

/* expr ends in "." or "->". */
static void print_record(FILE *f, const struct type *t, const char *name, const char *expr, const char *guard)
{
	struct place at = {t->name, name, expr, guard, 0};

	if (t->n_fields == 1 && is_reserved(&t->fields[0])) {
		print_opaque(f, &at, t);
		return;
	}
	trace_fields_print(f, &at, "", t->fields, t->n_fields);
}

/* --- parameters --------------------------------------------------------- */

/* What an input pointer leads to: arrays are read where they lie, the rest is in the copy. */
static void print_opened(FILE *f, const struct function *fn, const struct param *p)
{
	struct typeref r = pointee(p);
	char name[256], expr[300];

	snprintf(name, sizeof(name), "%s_0", p->name);
	if (is_array(p)) {
		const struct param *n = &fn->params[p->count];
		bool hex = !strcmp(element(&r), "uint64_t");

		/* Where the number lies behind a pointer it is known after the call. */
		fprintf(f, "\t\tFIELD_READ%s(%s, %s_list, a->%s, %s%s)\n", hex ? "_HEX" : "", element(&r),
			p->name, p->name, n->ref.stars ? "" : "a->", n->ref.stars ? "0" : n->name);
	} else if (trace_is_record(r.type) && !r.stars) {
		snprintf(expr, sizeof(expr), "copied.%s.", p->name);
		print_record(f, r.type, p->name, expr, NULL);
	} else {
		snprintf(expr, sizeof(expr), "copied.%s", p->name);
		print_value(f, &r, name, expr);
	}
}

static void print_input(FILE *f, const struct function *fn, unsigned index)
{
	const struct param *p = &fn->params[index];
	char expr[256];

	snprintf(expr, sizeof(expr), "a->%s", p->name);
	if (!p->ref.stars && trace_is_record(p->ref.type)) {
		strcat(expr, ".");
		print_record(f, p->ref.type, p->name, expr, NULL);
		return;
	}
	if (is_text(p) && is_in(p)) {
		fprintf(f, "\t\tFIELD_TEXT(%s, %s)\n", p->name, expr);
		return;
	}
	print_value(f, &p->ref, p->name, expr);
	if (has_host_class(p)) {
		fprintf(f, "\t\tFIELD_ENUM(acl_host_class, uint8_t, %s_host, e->host_class[%u])\n", p->name,
			index);
	}
	if (is_open(p) && is_in(p))
		print_opened(f, fn, p);
}

void trace_inputs(FILE *f, const struct model *m, const struct function *fn, struct trace_enums *set)
{
	model = m;
	enums = set;
	for (unsigned i = 0; i < fn->n_params; i++)
		print_input(f, fn, i);
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
		fprintf(f, "\t\tFIELD_TEXT(%s, TRACE_DONE(e, a->%s) ? a->%s : NULL)\n", name, p->name,
			p->name);
		return;
	}
	if (!is_open(p))
		return;
	snprintf(guard, sizeof(guard), "TRACE_DONE(e, a->%s)", p->name);
	if (is_array(p)) {
		fprintf(f, "\t\tFIELD_LIST%s(%s, %s, a->%s, ", !strcmp(element(&r), "uint64_t") ? "_HEX" : "",
			element(&r), name, p->name);
		print_count(f, fn, p);
		fputs(")\n", f);
	} else if (trace_is_record(r.type) && !r.stars) {
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
		fputs("\t\tFIELD_LINE(ret, e->result.p)\n", f);
	else if (r->stars || r->type)
		fputs("\t\tFIELD_HEX(uint64_t, ret, e->result.u)\n", f);
	else
		fprintf(f, "\t\tFIELD_INT(%s, ret, (%s)e->result.i)\n", r->base, r->base);
}

void trace_outputs(FILE *f, const struct model *m, const struct function *fn, struct trace_enums *set)
{
	model = m;
	enums = set;
	print_result(f, fn);
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_out(&fn->params[i]))
			print_output(f, fn, &fn->params[i]);
}

/* --- copies ------------------------------------------------------------- */

/* A value or a record behind a pointer that is not checked yet. */
static bool is_copied(const struct param *p)
{
	return is_in(p) && is_open(p) && !is_array(p);
}

bool trace_copies(const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_copied(&fn->params[i]))
			return true;
	return false;
}

void trace_print_copies(FILE *f, const struct function *fn)
{
	if (!trace_copies(fn))
		return;
	fprintf(f, "struct acl_open_%s {\n", fn->name);
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];
		struct typeref r = pointee(p);

		if (is_copied(p))
			fprintf(f, "\t%s %s;\n",
				trace_is_record(r.type) && !r.stars ? r.type->name : element(&r), p->name);
	}
	fputs("};\n\n", f);
}

void trace_print_copying(FILE *f, const struct function *fn)
{
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (is_copied(p))
			fprintf(f, "\ttrace_copy(&copied.%s, a->%s, sizeof(copied.%s));\n", p->name, p->name,
				p->name);
	}
}
