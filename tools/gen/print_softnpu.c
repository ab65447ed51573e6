/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the software runtime takes from the model:
 *
 *	gen/softnpu_default.c	a body for every function of CANN's own headers that says "not supported", or
 *				what core/arguments_not_modelled.def has; weak, so that what softnpu
 *				implements takes its place
 *	gen/softnpu_media.c	the same of media, a library of its own
 *	gen/softnpu_entry.c	what programs call: a fault that the user asked for, arguments that are wrong
 *				in any state (core/arguments.def), a wait while the process is locked
 *				("waits" of the model), or the body
 *	gen/softnpu_names.h	bodies of such functions are named npu_…
 *	gen/softnpu/REL.map	the functions that release REL exports, for the linker
 */
#include <string.h>

#include "emit.h"

/* Operators and media are in other libraries; what no header declares is there when it is wrapped. */
static bool in_package(const struct function *fn, enum package package)
{
	return fn->header ? package_of(fn->header) == package : package == PACKAGE_RUNTIME && fn->wrap;
}

/* Functions that answer with an error code can be told to fail. */
static bool can_fail(const struct function *fn)
{
	return in_package(fn, PACKAGE_RUNTIME) && !strcmp(fn->ret, "aclError") && !fn->variadic;
}

static void print_includes(FILE *f, const struct model *m, enum package package)
{
	for (unsigned i = 0; i < m->n_headers; i++)
		if (package_of(m->headers[i].name) == package)
			fprintf(f, "#include \"acl/%s\"\n", m->headers[i].name);
	fputs("#include \"acl_api.h\"\n\n", f);
	fputs("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n", f);
}

static void print_defaults(const struct model *m, const char *path, enum package package)
{
	FILE *f = emit_open(m, path, "what the software runtime does not implement");

	fputs("#include <stddef.h>\n\n", f);
	if (package == PACKAGE_RUNTIME)
		fputs("#include \"softnpu_names.h\"\n"
		      "#include \"tools/softnpu/core/arguments_not_modelled.def\"\n",
			f);
	print_includes(f, m, package);
	fputs("#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\n", f);
	fputs("#define DEFAULT __attribute__((weak, visibility(\"default\")))\n", f);
	for (unsigned i = 0; i < m->n_functions; i++) {
		const struct function *fn = &m->functions[i];

		if (!in_package(fn, package))
			continue;
		fputs("\nDEFAULT ", f);
		emit_prototype(f, fn, fn->name);
		if (!strcmp(fn->ret, "void"))
			fputs("\n{\n}\n", f);
		else
			fprintf(f,
				"\n{\n#ifdef ANSWER_%s\n\treturn ANSWER_%s;\n#else\n\treturn "
				"%s;\n#endif\n}\n",
				fn->name, fn->name, missing_result(fn));
	}
	emit_close(f);
}

void print_softnpu_default(const struct model *m)
{
	print_defaults(m, "gen/softnpu_default.c", PACKAGE_RUNTIME);
	print_defaults(m, "gen/softnpu_media.c", PACKAGE_MEDIA);
}

static void print_names(const struct model *m)
{
	FILE *f = emit_open(m, "gen/softnpu_names.h", "bodies behind gen/softnpu_entry.c");

	for (unsigned i = 0; i < m->n_functions; i++)
		if (can_fail(&m->functions[i]))
			fprintf(f, "#define %s npu_%s\n", m->functions[i].name, m->functions[i].name);
	emit_close(f);
}

static void print_entry(FILE *f, const struct function *fn)
{
	char body[128];

	snprintf(body, sizeof(body), "npu_%s", fn->name);
	fputs("\n", f);
	emit_prototype(f, fn, body);
	fputs(";\nENTRY ", f);
	emit_prototype(f, fn, fn->name);
	fprintf(f, "\n{\n\tenum { waits = %d };\n", fn->waits_for_unlock);
	fprintf(f, "\taclError rc = NPU_FAULT(\"%s\");\n\n\tif (rc)\n\t\treturn rc;\n", fn->name);
	fprintf(f, "#ifdef ARGUMENTS_%s\n\tARGUMENTS_%s\n#endif\n", fn->name, fn->name);
	fprintf(f, "#ifndef WAITS_INSIDE_%s\n\tWAIT_FOR_UNLOCK\n#endif\n\treturn %s(", fn->name, body);
	emit_args(f, fn, "");
	fputs(");\n}\n", f);
}

void print_softnpu_entry(const struct model *m)
{
	FILE *f = emit_open(m, "gen/softnpu_entry.c", "what programs call of the software runtime");

	fputs("#include <stddef.h>\n\n", f);
	print_includes(f, m, PACKAGE_RUNTIME);
	fputs("\n#include \"tools/softnpu/core/arguments.def\"\n", f);
	fputs("#include \"tools/softnpu/core/faults.h\"\n", f);
	fputs("#include \"tools/softnpu/core/snapshot.h\"\n", f);
	fputs("\n", f);
	fputs("#define ENTRY __attribute__((visibility(\"default\")))\n\n", f);
	fputs("const char *const npu_entries[] = {\n", f);
	for (unsigned i = 0; i < m->n_functions; i++)
		if (can_fail(&m->functions[i]))
			fprintf(f, "\t\"%s\",\n", m->functions[i].name);
	fputs("\tNULL,\n};\n", f);
	for (unsigned i = 0; i < m->n_functions; i++)
		if (can_fail(&m->functions[i]))
			print_entry(f, &m->functions[i]);
	emit_close(f);
	print_names(m);
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
			if (in_package(&m->functions[i], PACKAGE_RUNTIME) &&
				release_index(m, m->functions[i].since) <= v)
				fprintf(f, "\t\t%s;\n", m->functions[i].name);
		fputs("\tlocal:\n\t\t*;\n};\n", f);
		emit_close(f);
	}
}
