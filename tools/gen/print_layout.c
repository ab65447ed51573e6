/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_layout_test.c and .cpp: static asserts that the generated headers have
 * the sizes, offsets and values of the model.  gen/cann_check.c: the same
 * questions, and every prototype, put to the headers of an installation; each
 * question stands on a line named after its subject, so that the compiler's
 * complaint names it (tools/gen/check-cann makes the list of a C and a C++ run).
 */
#include <string.h>

#include "emit.h"

static bool labelled;
static const char *oldest; /* release of what says no other */

static void label(FILE *f, const char *what, const char *name, const char *since)
{
	if (labelled)
		fprintf(f, "#line 1 \"%s %s (since %s)\"\n", what, name, since ? since : oldest);
}

/*
 * A member that came later than its record is named in the label, so that a
 * release without it is told from one that changed it. since: NULL when it did not.
 */
static void label_type(FILE *f, const struct type *t, const char *member, const char *since)
{
	char text[320];

	snprintf(text, sizeof(text), "%s", t->since);
	if (since)
		snprintf(text, sizeof(text), "%s, %s since %s", t->since, member, since);
	label(f, "type", t->name, text);
}

static const char *spelled(const struct type *t)
{
	static char buf[160];
	static const char *const word[] = {
		[TYPE_ENUM] = "enum ", [TYPE_STRUCT] = "struct ", [TYPE_UNION] = "union "};

	snprintf(buf, sizeof(buf), "%s%s", t->no_typedef ? word[t->kind] : "", t->name);
	return buf;
}

/* A member that grows into what was padding moves no other one. */
static void print_member_size(FILE *f, const struct type *t, const struct field *e, const char *path)
{
	unsigned elements = 1;

	for (unsigned i = 0; i < e->n_dims; i++)
		elements *= e->dims[i];
	fprintf(f, "SAME(sizeof(((%s *)0)->%s), sizeof(%s) * %u);\n", spelled(t), path, e->type, elements);
}

static void print_offsets(FILE *f, const struct type *t, const struct field *fields, unsigned n,
	const char *prefix, const char *since)
{
	for (unsigned i = 0; i < n; i++) {
		const struct field *e = &fields[i];
		const char *from = e->since ? e->since : since;
		char path[256];

		snprintf(path, sizeof(path), "%s%s", prefix, e->name ? e->name : "");
		label_type(f, t, path, from);
		if (e->name)
			fprintf(f, "SAME(offsetof(%s, %s), %u);\n", spelled(t), path, e->offset);
		if (!e->fields) {
			print_member_size(f, t, e, path);
			continue;
		}
		if (e->name)
			strcat(path, ".");
		print_offsets(f, t, e->fields, e->n_fields, path, from);
	}
}

/* The release that gave a record its members, when all came later than its name; otherwise NULL. */
static const char *members_since(const struct type *t)
{
	for (unsigned i = 0; i < t->n_fields; i++)
		if (!t->fields[i].since)
			return NULL;
	return t->fields[0].since;
}

static void print_type(FILE *f, const struct type *t)
{
	switch (t->kind) {
	case TYPE_STRUCT:
	case TYPE_UNION:
		label_type(f, t, "members", members_since(t));
		fprintf(f, "SAME(sizeof(%s), %u);\n", spelled(t), t->size);
		label_type(f, t, "members", members_since(t));
		fprintf(f, "SAME(__alignof__(%s), %u);\n", spelled(t), t->align);
		print_offsets(f, t, t->fields, t->n_fields, "", NULL);
		break;
	case TYPE_ENUM:
		label(f, "type", t->name, t->since);
		fprintf(f, "SAME(sizeof(%s), 4);\n", spelled(t));
		for (unsigned i = 0; i < t->n_members; i++) {
			const struct member *e = &t->members[i];

			if (labelled && e->until)
				continue;
			label(f, "value", e->name, e->since ? e->since : t->since);
			fprintf(f, "SAME(%s, %lld);\n", e->name, e->value);
		}
		break;
	case TYPE_HANDLE:
	case TYPE_CALLBACK:
		label(f, "type", t->name, t->since);
		fprintf(f, "SAME(sizeof(%s), 8);\n", t->name);
		break;
	default:
		break;
	}
}

static void print_constant(FILE *f, const struct constant *c)
{
	if (c->string)
		return;
	label(f, "constant", c->name, c->since);
	fprintf(f, "%s(%s, %lldLL);\n", c->is_static ? "SAME_CONST" : "SAME", c->name, c->value);
}

static void print_includes(FILE *f, const struct model *m)
{
	for (unsigned i = 0; i < m->n_headers; i++) {
		const char *name = m->headers[i].name;
		const char *dir = package_of(name) == PACKAGE_OPERATORS ? "" : "acl/";

		if (labelled && package_of(name) != PACKAGE_RUNTIME)
			continue;
		if (labelled)
			fprintf(f, "#if __has_include(\"%s%s\")\n", dir, name);
		fprintf(f, "#include \"%s%s\"\n", dir, name);
		if (labelled)
			fputs("#endif\n", f);
	}
}

static void print_asserts(FILE *f, const struct model *m)
{
	for (unsigned i = 0; i < m->n_types; i++)
		if (!labelled || package_of(m->types[i].header) == PACKAGE_RUNTIME)
			print_type(f, &m->types[i]);
	for (unsigned i = 0; i < m->n_constants; i++)
		if (!m->constants[i].is_static)
			print_constant(f, &m->constants[i]);
}

/* Only C++ has constant expressions made of "static const"; in C they are compared when the program runs. */
static void print_static_consts(FILE *f, const struct model *m)
{
	fputs("\nint main(void)\n{\n", f);
	for (unsigned i = 0; i < m->n_constants; i++)
		if (m->constants[i].is_static)
			print_constant(f, &m->constants[i]);
	fputs("\treturn 0;\n}\n", f);
}

void print_layout_test(const struct model *m)
{
	static const char *const paths[] = {"gen/acl_layout_test.c", "gen/acl_layout_test.cpp"};

	labelled = false;
	for (unsigned i = 0; i < 2; i++) {
		FILE *f = emit_open(m, paths[i], "layouts and values of the headers");

		fputs("#include <stddef.h>\n", f);
		print_includes(f, m);
		fputs("\n#ifdef __cplusplus\n"
		      "#define SAME(is, should) static_assert((long long)(is) == (long long)(should), #is)\n"
		      "#define SAME_CONST SAME\n#else\n"
		      "#define SAME(is, should) _Static_assert((long long)(is) == (long long)(should), #is)\n"
		      "#define SAME_CONST(is, should) if ((is) != (should)) return 1\n#endif\n\n",
			f);
		print_asserts(f, m);
		print_static_consts(f, m);
		emit_close(f);
	}
}

/* First a question whether it is there, then a declaration that must agree. */
static void print_prototype(FILE *f, const struct function *fn)
{
	char since[64];

	if (!fn->header || package_of(fn->header) != PACKAGE_RUNTIME)
		return;
	snprintf(since, sizeof(since), "%s%s%s", fn->since, fn->older ? ", other parameters until " : "",
		fn->older ? fn->older : "");
	label(f, "function", fn->name, since);
	fprintf(f, "extern __typeof__(&%s) declared_%s;\n", fn->name, fn->name);
	label(f, "function", fn->name, since);
	emit_prototype(f, fn, fn->name);
	fputs(";\n", f);
}

void print_cann_check(const struct model *m)
{
	FILE *f = emit_open(m, "gen/cann_check.c", "questions to the headers of a CANN installation");

	labelled = true;
	oldest = m->versions[0];
	fputs("#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n", f);
	print_includes(f, m);
	fputs("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n"
	      "#define SAME(is, should) _Static_assert((long long)(is) == (long long)(should), \"not \" "
	      "#should \": \" #is)\n"
	      "#ifdef __cplusplus\n#define SAME_CONST(is, should) static_assert((is) == (should), \"not \" "
	      "#should \": \" #is)\n",
		f);
	print_static_consts(f, m);
	fputs("#else\n", f);
	print_asserts(f, m);
	for (unsigned i = 0; i < m->n_functions; i++)
		print_prototype(f, &m->functions[i]);
	fputs("#endif\n", f);
	emit_close(f);
}
