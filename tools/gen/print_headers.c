/* SPDX-License-Identifier: Apache-2.0 */
/*
 * include/acl/NAME.h, include/aclnn/…, include/aclnnop/…: the headers that programs
 * written for CANN include, with the same names, layouts and macros.
 */
#include <string.h>

#include "emit.h"

/* Where a header of the model lies, seen from include/. */
static const char *placed(const char *name, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s", package_of(name) == PACKAGE_OPERATORS ? "" : "acl/", name);
	return buf;
}

/* How a header names another: inside acl/ the way CANN does, so that -I…/acl works too. */
static const char *include_name(const struct header *from, const char *name, char *buf, size_t size)
{
	return package_of(from->name) == PACKAGE_RUNTIME ? name : placed(name, buf, size);
}

static void print_constant(FILE *f, const struct constant *c)
{
	if (c->string) {
		fprintf(f, "#define %s \"%s\"\n", c->name, c->string);
		return;
	}
	if (c->is_static)
		fprintf(f, "static const %s %s = ", c->is_unsigned ? "uint32_t" : "int", c->name);
	else
		fprintf(f, "#define %s ", c->name);
	if (c->text)
		fputs(c->text, f);
	else
		fprintf(f, "%lld%s", c->value, c->is_unsigned ? "U" : "");
	fputs(c->is_static ? ";\n" : "\n", f);
}

static void header_fields_print(FILE *f, const struct field *fields, unsigned n, unsigned depth)
{
	for (unsigned i = 0; i < n; i++) {
		const struct field *e = &fields[i];

		fprintf(f, "%.*s", (int)depth, "\t\t\t\t");
		if (e->fields) {
			fprintf(f, "%s%s%s {\n", e->type, e->tag ? " " : "", e->tag ? e->tag : "");
			header_fields_print(f, e->fields, e->n_fields, depth + 1);
			fprintf(f, "%.*s}%s%s", (int)depth, "\t\t\t\t", e->name ? " " : "",
				e->name ? e->name : "");
		} else {
			emit_decl(f, e->type, e->name);
		}
		for (unsigned d = 0; d < e->n_dims; d++)
			fprintf(f, "[%u]", e->dims[d]);
		fputs(";\n", f);
	}
}

static void print_members(FILE *f, const struct type *t)
{
	for (unsigned i = 0; i < t->n_members; i++)
		fprintf(f, "\t%s = %lld,\n", t->members[i].name, t->members[i].value);
}

static void print_callback(FILE *f, const struct type *t)
{
	fprintf(f, "typedef ");
	emit_decl(f, t->type, "(*");
	fprintf(f, "%s)(", t->name);
	for (unsigned i = 0; t->params[i]; i++)
		fprintf(f, "%s%s", i ? ", " : "", t->params[i]);
	fprintf(f, "%s);\n", t->params[0] ? "" : "void");
}

static void print_record(FILE *f, const struct type *t)
{
	static const char *const word[] = {
		[TYPE_ENUM] = "enum", [TYPE_STRUCT] = "struct", [TYPE_UNION] = "union"};

	fprintf(f, "\n%s%s%s%s {\n", t->no_typedef ? "" : "typedef ", word[t->kind], t->tag ? " " : "",
		t->tag ? t->tag : "");
	if (t->kind == TYPE_ENUM)
		print_members(f, t);
	else
		header_fields_print(f, t->fields, t->n_fields, 1);
	if (t->cxx[0]) {
		fputs("#ifdef __cplusplus\n", f);
		for (unsigned i = 0; t->cxx[i]; i++)
			fprintf(f, "\t%s\n", t->cxx[i]);
		fputs("#endif\n", f);
	}
	fprintf(f, "}%s%s;\n", t->no_typedef ? "" : " ", t->no_typedef ? "" : t->name);
}

static void print_type(FILE *f, const struct type *t)
{
	switch (t->kind) {
	case TYPE_ALIAS:
	case TYPE_HANDLE:
		fputs("typedef ", f);
		emit_decl(f, t->type, t->name);
		fputs(";\n", f);
		break;
	case TYPE_OPAQUE:
		fprintf(f, "typedef struct %s %s;\n", t->tag, t->name);
		break;
	case TYPE_CALLBACK:
		print_callback(f, t);
		break;
	default:
		print_record(f, t);
	}
}

static void print_function(FILE *f, const struct function *fn)
{
	fputs("ACL_FUNC_VISIBILITY ", f);
	if (fn->deprecated)
		fputs("ACL_DEPRECATED ", f);
	if (fn->weak)
		fputs("ACL_DUMP_WEAK ", f);
	emit_prototype(f, fn, fn->name);
	fputs(";\n", f);
}

static void print_body(FILE *f, const struct model *m, const char *name)
{
	for (unsigned i = 0; i < m->n_constants; i++)
		if (!strcmp(m->constants[i].header, name))
			print_constant(f, &m->constants[i]);
	fputc('\n', f);
	for (unsigned i = 0; i < m->n_types; i++)
		if (!strcmp(m->types[i].header, name))
			print_type(f, &m->types[i]);
	fputc('\n', f);
	for (unsigned i = 0; i < m->n_functions; i++)
		if (m->functions[i].header && !strcmp(m->functions[i].header, name))
			print_function(f, &m->functions[i]);
}

static void print_header(const struct model *m, const struct header *h)
{
	char place[128], path[160], where[128];
	FILE *f;

	placed(h->name, place, sizeof(place));
	snprintf(path, sizeof(path), "include/%s", place);
	f = emit_open(m, path, "the AscendCL interface as CANN declares it");
	fprintf(f, "#ifndef INC_%s\n#define INC_%s\n\n", upper(place), upper(place));
	for (unsigned i = 0; h->system[i]; i++)
		fprintf(f, "#include <%s>\n", h->system[i]);
	for (unsigned i = 0; h->includes[i]; i++)
		fprintf(f, "#include \"%s\"\n", include_name(h, h->includes[i], where, sizeof(where)));
	for (unsigned i = 0; h->macros[i]; i++)
		fprintf(f, "%s%s\n", i ? "" : "\n", h->macros[i]);
	fputs("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n", f);
	print_body(f, m, h->name);
	fputs("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n", f);
	emit_close(f);
}

void print_headers(const struct model *m)
{
	for (unsigned i = 0; i < m->n_headers; i++)
		print_header(m, &m->headers[i]);
}
