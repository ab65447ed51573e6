/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/interpose.map: what libaclcheck.so exports.  The version node is
 * anonymous: a named one would silently disable the interposition.
 */
#include <string.h>

#include "emit.h"

const char *emit_hooks;

/* interpose/runtime/libc_hooks.list: one name a line, '#' begins a remark. */
static void print_hooks(FILE *f)
{
	FILE *list = emit_hooks ? fopen(emit_hooks, "r") : NULL;
	char line[256];

	while (list && fgets(line, sizeof(line), list)) {
		line[strcspn(line, "# \t\r\n")] = 0;
		if (line[0])
			fprintf(f, "\t%s;\n", line);
	}
	if (list)
		fclose(list);
}

void print_export_map(const struct model *m)
{
	FILE *f = emit_open(m, "gen/interpose.map", "exports of libaclcheck.so");

	fputs("{\nglobal:\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		fprintf(f, "\t%s;\n", m->wrapped[i]->name);
	print_hooks(f);
	fputs("\taclcheck_*;\nlocal:\n\t*;\n};\n", f);
	emit_close(f);
}
