/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the software runtime takes from the model:
 *
 *	gen/softnpu_default.c	a body for every function of CANN's own headers that says "not supported";
 *weak, so that what softnpu implements takes its place gen/softnpu/REL.map	the functions that release REL
 *exports, for the linker
 */
#include <string.h>

#include "emit.h"

/* The operators stand in libraries of their own; what no header declares is there when it is wrapped. */
static bool in_runtime(const struct function *fn)
{
	return fn->header ? strncmp(fn->header, "aclnn", 5) != 0 : fn->wrap;
}

void print_softnpu_default(const struct model *m)
{
	FILE *f = emit_open(m, "gen/softnpu_default.c", "what the software runtime does not implement");

	fputs("#include <stddef.h>\n\n", f);
	for (unsigned i = 0; i < m->n_headers; i++)
		if (strncmp(m->headers[i].name, "aclnn", 5))
			fprintf(f, "#include \"acl/%s\"\n", m->headers[i].name);
	fputs("#include \"acl_api.h\"\n\n#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n", f);
	fputs("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n", f);
	fputs("#define DEFAULT __attribute__((weak, visibility(\"default\")))\n", f);
	for (unsigned i = 0; i < m->n_functions; i++) {
		const struct function *fn = &m->functions[i];

		if (!in_runtime(fn))
			continue;
		fputs("\nDEFAULT ", f);
		emit_prototype(f, fn, fn->name);
		if (!strcmp(fn->ret, "void"))
			fputs("\n{\n}\n", f);
		else
			fprintf(f, "\n{\n\treturn %s;\n}\n", missing_result(fn));
	}
	emit_close(f);
}

static unsigned release_index(const struct model *m, const char *version)
{
	unsigned i = 0;

	while (m->versions[i] && strcmp(m->versions[i], version))
		i++;
	return i;
}

void print_softnpu_exports(const struct model *m)
{
	for (unsigned v = 0; m->versions[v]; v++) {
		char path[64];
		FILE *f;

		snprintf(path, sizeof(path), "gen/softnpu/%s.map", m->versions[v]);
		f = emit_open(m, path, "what this release exports; no version names, as in the real one");
		fputs("{\n\tglobal:\n\t\tsoftnpu_*;\n", f);
		for (unsigned i = 0; i < m->n_functions; i++)
			if (in_runtime(&m->functions[i]) && release_index(m, m->functions[i].since) <= v)
				fprintf(f, "\t\t%s;\n", m->functions[i].name);
		fputs("\tlocal:\n\t\t*;\n};\n", f);
		emit_close(f);
	}
}
