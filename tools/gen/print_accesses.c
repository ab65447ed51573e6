/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_accesses.c: what each function does with the memory behind its
 * pointers.  Sizes of types are left to the compiler.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

static const char *memory_of(const struct param *p)
{
	return p->memory ? p->memory : "host";
}

/* Slot of an operand; what is not there has none. */
static void print_operand(FILE *f, const struct function *fn, const char *field, int param)
{
	fprintf(f, " .%s = ", field);
	if (param >= 0)
		emit_slot(f, fn, &fn->params[param]);
	else
		fputs("ACL_ARG_NONE", f);
	fputc(',', f);
}

/* Bytes of one element: "bytes" as a number, 1 where "bytes" or "limit" count them, else the pointee's. */
static void print_unit(FILE *f, const struct function *fn, const struct param *p)
{
	const struct typeref *r = &p->ref;
	const char *extent = access_extent(fn, p);

	fputs(" .unit = ", f);
	if (p->unit)
		fprintf(f, "%u", p->unit);
	else if (p->bytes >= 0 || !strcmp(extent, "at-most") || !strcmp(extent, "text"))
		fputs("1", f);
	else if (r->stars > 1)
		fputs("sizeof(void *)", f);
	else if (!strcmp(r->base, "void") || (r->type && r->type->kind == TYPE_OPAQUE))
		fputs("0", f);
	else
		fprintf(f, "sizeof(%s)", r->base);
}

static void print_access(FILE *f, const struct function *fn, unsigned n)
{
	const struct param *p = &fn->params[n];
	const char *extent = access_extent(fn, p);

	fprintf(f,
		"\t{ .param = %u, .access = ACL_ACCESS_%s, .memory = ACL_MEMORY_%s, .extent = ACL_EXTENT_%s,",
		n, upper(p->access), upper(memory_of(p)), upper(extent));
	print_unit(f, fn, p);
	fputs(",\n\t\t", f);
	print_operand(f, fn, "base", (int)n);
	print_operand(f, fn, "offset", p->offset);
	print_operand(f, fn, "bytes", p->bytes);
	print_operand(f, fn, "count", p->count);
	fputs("\n\t\t", f);
	print_operand(f, fn, "rows", p->rows);
	print_operand(f, fn, "pitch", p->pitch);
	print_operand(f, fn, "limit", p->limit);
	if (!strcmp(extent, "counted"))
		fprintf(f, " .count_size = sizeof(%s),", fn->params[p->count].ref.base);
	fputs(" },\n", f);
}

/* What the elements of an array of pointers point to. */
static void print_each(FILE *f, const struct function *fn, unsigned n)
{
	const struct param *p = &fn->params[n];

	fprintf(f,
		"\t{ .param = %u, .access = ACL_ACCESS_%s, .memory = ACL_MEMORY_%s, .extent = "
		"ACL_EXTENT_EACH,",
		n, upper(p->each), upper(p->each_memory));
	fprintf(f, " .unit = %d,\n\t\t", p->each_bytes >= 0);
	print_operand(f, fn, "base", (int)n);
	print_operand(f, fn, "offset", -1);
	print_operand(f, fn, "bytes", p->each_bytes);
	print_operand(f, fn, "count", p->count);
	fputs("\n\t\t", f);
	print_operand(f, fn, "rows", -1);
	print_operand(f, fn, "pitch", -1);
	print_operand(f, fn, "limit", p->each_limit);
	fputs(" },\n", f);
}

/* The accesses of a function to memory that may be a device's, or to memory that is surely the host's. */
static unsigned print_those(FILE *f, const struct function *fn, bool host)
{
	unsigned n = 0;

	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (!is_accessed(p))
			continue;
		if (p->each && !strcmp(p->each_memory, "host") == host) {
			print_each(f, fn, i);
			n++;
		}
		if (!strcmp(memory_of(p), "host") == host) {
			print_access(f, fn, i);
			n++;
		}
	}
	return n;
}

void print_accesses(const struct model *m)
{
	FILE *f = emit_open(m, "gen/acl_accesses.c", "the memory behind the pointers of a call");
	unsigned(*first)[2] = calloc(m->n_wrapped + 1, sizeof(*first)), n = 0;

	fputs("#include \"acl_api.h\"\n#include \"aclcheck/model.h\"\n", f);
	emit_slot_macros(f);
	fputs("\nconst struct acl_access_info acl_accesses[] = {\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		fprintf(f, "\t/* %u: %s */\n", n, m->wrapped[i]->name);
		first[i][0] = n;
		n += print_those(f, m->wrapped[i], false);
		first[i][1] = n;
		n += print_those(f, m->wrapped[i], true);
	}
	fputs("};\n\nconst struct acl_access_list acl_access_lists[] = {\n", f);
	first[m->n_wrapped][0] = n;
	for (unsigned i = 0; i < m->n_wrapped; i++)
		fprintf(f, "\t[ACL_API_%s] = { %u, %u, %u },\n", m->wrapped[i]->name, first[i][0],
			first[i][1], first[i + 1][0]);
	fputs("};\n", f);
	free(first);
	emit_close(f);
}
