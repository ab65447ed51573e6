/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/softnpu_default.c: a body for every wrapped function that says "not
 * supported"; weak, so that what softnpu implements takes its place.
 */
#include "emit.h"

void print_softnpu_default(const struct model *m)
{
	FILE *f = emit_open(m, "gen/softnpu_default.c", "what the software runtime does not implement");

	fputs("#include <stddef.h>\n\n#include \"acl_api.h\"\n\n", f);
	fputs("#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n\n", f);
	fputs("#define DEFAULT __attribute__((weak, visibility(\"default\")))\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		fputs("\nDEFAULT ", f);
		emit_prototype(f, m->wrapped[i], m->wrapped[i]->name);
		fprintf(f, "\n{\n\treturn %s;\n}\n", missing_result(m->wrapped[i]));
	}
	emit_close(f);
}
