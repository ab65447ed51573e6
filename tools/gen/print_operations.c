/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_operations.h: enum acl_operation, acl_operation_group, acl_role and acl_trait.
 * gen/acl_operations.c: the functions of each, and where the argument of a
 * role lies in the argument struct of a function.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "texts.h"

static void print_enum(FILE *f, const char *name, const char *prefix, const char *comment)
{
	fprintf(f, "\n/* %s */\nenum %s {\n\t%s_NONE,\n", comment, name, prefix);
}

static void print_header(const struct model *m)
{
	FILE *f = emit_open(m, "gen/acl_operations.h", "what calls do, and what their arguments are to it");

	fputs("#ifndef GEN_ACL_OPERATIONS_H\n#define GEN_ACL_OPERATIONS_H\n", f);
	print_enum(f, "acl_operation", "ACL_OP", "What a call does; those of a group follow each other.");
	for (unsigned i = 0; i < m->n_operations; i++)
		fprintf(f, "\tACL_OP_%s,\n", upper(m->operations[i].name));
	fputs("\tACL_OP_COUNT\n};\n", f);
	print_enum(f, "acl_operation_group", "ACL_OP_GROUP", "The first word of an operation.");
	for (unsigned i = 0; i < m->n_groups; i++)
		fprintf(f, "\tACL_OP_GROUP_%s,\n", upper(m->groups[i]));
	fputs("\tACL_OP_GROUP_COUNT\n};\n", f);
	print_enum(f, "acl_role", "ACL_ROLE", "What an argument is to the operation.");
	for (unsigned i = 0; i < m->n_roles; i++)
		fprintf(f, "\tACL_ROLE_%s,\n", upper(m->roles[i]));
	fputs("\tACL_ROLE_COUNT\n};\n", f);
	print_enum(f, "acl_trait", "ACL_TRAIT", "What of a function only its name says.");
	for (unsigned i = 0; m->traits[i]; i++)
		fprintf(f, "\tACL_TRAIT_%s,\n", upper(m->traits[i]));
	fputs("\tACL_TRAIT_COUNT\n};\n\n#endif\n", f);
	emit_close(f);
}

static bool in_group(const struct function *fn, const struct operation *op, const char *group)
{
	return op ? fn->operation == op : group && !strcmp(fn->operation->group, group);
}

/* Functions of an operation, or of a group. */
static unsigned operation_functions_print(
	FILE *f, const struct model *m, const struct operation *op, const char *group)
{
	unsigned n = 0;

	fprintf(f, "\t/* %s */\n", op ? op->name : group);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		if (in_group(m->wrapped[i], op, group)) {
			fprintf(f, "\tACL_API_%s,\n", m->wrapped[i]->name);
			n++;
		}
	return n;
}

static void print_operations_table(FILE *f, const struct model *m)
{
	unsigned first = 0;
	size_t longest = 0;

	fputs("const uint16_t acl_operation_apis[] = {\n", f);
	for (unsigned i = 0; i < m->n_operations; i++)
		operation_functions_print(f, m, &m->operations[i], NULL);
	fputs("};\n\nconst struct acl_operation_info acl_operations[] = {\n\t{ .name = \"none\" },\n", f);
	for (unsigned i = 0; i < m->n_operations; i++) {
		const struct operation *op = &m->operations[i];

		fputs("\t{ .name = ", f);
		print_name(f, op->name, &longest);
		fprintf(f, ", .first_api = %u, .n_apis = %u, .group = ACL_OP_GROUP_%s },\n", first,
			op->n_functions, upper(op->group));
		first += op->n_functions;
	}
	fputs("};\n", f);
	print_room(f, longest, "ACL_WORD");
}

static void print_groups_table(FILE *f, const struct model *m)
{
	unsigned *n = calloc(m->n_groups, sizeof(*n)), next = 0, first_api = 0;
	size_t longest = 0;

	fputs("\nconst uint16_t acl_group_apis[] = {\n", f);
	for (unsigned i = 0; i < m->n_groups; i++)
		n[i] = operation_functions_print(f, m, NULL, m->groups[i]);
	fputs("};\n\nconst struct acl_operation_group_info acl_operation_groups[] = {\n\t{ .name = \"none\" "
	      "},\n",
		f);
	for (unsigned i = 0; i < m->n_groups; i++) {
		unsigned first = next;

		while (next < m->n_operations && !strcmp(m->operations[next].group, m->groups[i]))
			next++;
		fputs("\t{ .name = ", f);
		print_name(f, m->groups[i], &longest);
		fprintf(f, ", .first_api = %u, .n_apis = %u,\n", first_api, n[i]);
		fprintf(f, "\t\t.first = ACL_OP_%s, .n_operations = %u },\n",
			upper(m->operations[first].name), next - first);
		first_api += n[i];
	}
	fputs("};\n", f);
	print_room(f, longest, "ACL_WORD");
	free(n);
}

static void print_role_names(FILE *f, const struct model *m)
{
	size_t longest = 0;

	fputs("\nconst char acl_role_names[][ACL_WORD] = {\n\t\"none\",\n", f);
	for (unsigned i = 0; i < m->n_roles; i++) {
		fputs("\t", f);
		print_name(f, m->roles[i], &longest);
		fputs(",\n", f);
	}
	fputs("};\n", f);
	print_room(f, longest, "ACL_WORD");
}

/* One row a function; 255 = ACL_ARG_NONE, for most roles. */
static void print_role_slots(FILE *f, const struct model *m)
{
	fputs("\nconst uint8_t acl_role_slots[][ACL_ROLE_COUNT] = {\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		const struct function *fn = m->wrapped[i];

		fprintf(f, "\t[ACL_API_%s] = { ACL_ARG_NONE", fn->name);
		for (unsigned r = 0; r < m->n_roles; r++) {
			const struct param *p = NULL;

			for (unsigned k = 0; k < fn->n_params; k++)
				if (!strcmp(fn->params[k].role, m->roles[r]))
					p = &fn->params[k];
			fputs(p ? ",\n\t\t" : ",255", f);
			if (p)
				emit_slot(f, fn, p);
		}
		fputs(" },\n", f);
	}
	fputs("};\n", f);
}

static void print_param_slots(FILE *f, const struct model *m)
{
	fputs("\nconst uint8_t acl_param_slots[][ACL_MAX_PARAMS] = {\n", f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		const struct function *fn = m->wrapped[i];

		fprintf(f, "\t[ACL_API_%s] = {", fn->name);
		for (unsigned p = 0; p < 16; p++) {
			fputs(p < fn->n_params ? "\n\t\t" : " ACL_ARG_NONE", f);
			if (p < fn->n_params)
				emit_slot(f, fn, &fn->params[p]);
			fputc(',', f);
		}
		fputs(" },\n", f);
	}
	fputs("};\n", f);
}

void print_operations(const struct model *m)
{
	FILE *f;

	print_header(m);
	f = emit_open(
		m, "gen/acl_operations.c", "the functions of each operation, the arguments of each role");
	fputs("#include \"acl_api.h\"\n#include \"aclcheck/model.h\"\n\n", f);
	print_operations_table(f, m);
	print_groups_table(f, m);
	print_role_names(f, m);
	emit_slot_macros(f);
	print_role_slots(f, m);
	print_param_slots(f, m);
	emit_close(f);
}
