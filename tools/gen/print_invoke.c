/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/test_invoke.c: makes the call whose arguments stand in a struct, through
 * the linked function as a program would.  For tests that hold calls as data.
 */
#include <string.h>

#include "emit.h"

static void print_case(FILE *f, const struct function *fn)
{
	bool is_void = !strcmp(fn->ret, "void");

	fprintf(f, "\tcase ACL_API_%s: {\n", fn->name);
	if (fn->n_params)
		fprintf(f, "\t\tconst struct acl_args_%s *a = args;\n\n", fn->name);
	fprintf(f, "\t\t%s%s(", is_void ? "" : "return (int64_t)", fn->name);
	emit_args(f, fn, "a->");
	fprintf(f, ");\n%s\t}\n", is_void ? "\t\treturn 0;\n" : "");
}

void print_invoke(const struct model *m)
{
	FILE *f = emit_open(m, "gen/test_invoke.c", "calls whose arguments stand in a struct");

	fputs("#include <stdint.h>\n\n#include \"acl_api.h\"\n\n", f);
	fputs("#pragma GCC diagnostic ignored \"-Wdeprecated-declarations\"\n\n", f);
	fputs("int64_t test_invoke(unsigned api, const void *args);\n\n", f);
	fputs("int64_t test_invoke(unsigned api, const void *args)\n{\n\tswitch (api) {\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		print_case(f, m->wrapped[i]);
	fputs("\t}\n\treturn -1;\n}\n", f);
	emit_close(f);
}
