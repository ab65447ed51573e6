/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_handles.h: enum acl_handle.  gen/acl_api.h: enum acl_api and one
 * struct acl_args_NAME a wrapped function.
 */
#include <string.h>

#include "emit.h"

static void print_handles(const struct model *m)
{
	FILE *f = emit_open(m, "gen/acl_handles.h", "kinds of runtime objects");

	fputs("#ifndef GEN_ACL_HANDLES_H\n#define GEN_ACL_HANDLES_H\n\nenum acl_handle "
	      "{\n\tACL_HANDLE_NONE,\n",
		f);
	for (unsigned i = 0; i < m->n_handles; i++)
		fprintf(f, "\tACL_HANDLE_%s,\n", upper(m->handles[i]));
	fputs("\tACL_HANDLE_COUNT\n};\n\n#endif\n", f);
	emit_close(f);
}

static void print_struct(FILE *f, const struct function *fn)
{
	if (fn->ret) {
		fputs("\n/* ", f);
		emit_prototype(f, fn, fn->name);
		fputs(" */", f);
	}
	fprintf(f, "\nstruct acl_args_%s {\n", fn->name);
	for (unsigned i = 0; i < fn->n_params; i++) {
		fputc('\t', f);
		emit_decl(f, fn->params[i].ref.value, fn->params[i].name);
		fputs(";\n", f);
	}
	if (!fn->n_params)
		fputs("\tchar none_;\n", f);
	fputs("};\n", f);
}

/* Every header that declares a wrapped function, once. */
void emit_api_includes(FILE *f, const struct model *m)
{
	for (unsigned h = 0; h < m->n_headers; h++) {
		bool used = false;

		for (unsigned i = 0; i < m->n_wrapped && !used; i++)
			used = m->wrapped[i]->header && !strcmp(m->wrapped[i]->header, m->headers[h].name);
		if (used)
			fprintf(f, "#include \"acl/%s\"\n", m->headers[h].name);
	}
}

/* Programs that call these declare them themselves. */
static void print_unlisted(FILE *f, const struct model *m)
{
	fputs("\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n", f);
	fputs("/* Exported by the runtime, in no public header. */\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		if (!m->wrapped[i]->unlisted)
			continue;
		emit_prototype(f, m->wrapped[i], m->wrapped[i]->name);
		fputs(";\n", f);
	}
	fputs("#ifdef __cplusplus\n}\n#endif\n", f);
}

static void print_annotations(FILE *f, const struct model *m)
{
	fputs("\n/* Macros of aclcheck.h, behind the functions: acl_apis has their names and arguments. */\n"
	      "enum acl_annotation {\n\tACL_ANNOTATION_FIRST_ = ACL_API_COUNT - 1,\n",
		f);
	for (unsigned i = 0; i < m->n_annotations; i++)
		fprintf(f, "\tACL_ANNOTATION_%s,\n", m->annotations[i].name + strlen(ANNOTATION_PREFIX));
	fputs("\tACL_NAMED_COUNT\n};\n", f);
}

void print_args(const struct model *m)
{
	FILE *f;

	print_handles(m);
	f = emit_open(m, "gen/acl_api.h", "the wrapped functions and their arguments");
	fputs("#ifndef GEN_ACL_API_H\n#define GEN_ACL_API_H\n\n", f);
	emit_api_includes(f, m);
	fputs("\n/* In the order of strcmp; indexes acl_apis of the model's tables. */\nenum acl_api {\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		fprintf(f, "\tACL_API_%s,\n", m->wrapped[i]->name);
	fputs("\tACL_API_COUNT\n};\n", f);
	print_annotations(f, m);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		print_struct(f, m->wrapped[i]);
	for (unsigned i = 0; i < m->n_annotations; i++)
		print_struct(f, &m->annotations[i]);
	print_unlisted(f, m);
	fputs("\n#endif\n", f);
	emit_close(f);
}
