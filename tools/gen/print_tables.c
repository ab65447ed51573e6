/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/acl_model.c: the tables that include/aclcheck/model.h declares.  Offsets and
 * sizes are left to the compiler, so that they hold on every machine.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "texts.h"

static const struct model *model;
static int *enum_index, *struct_index; /* table index by type, -1: not in the table */
static struct texts texts;

static bool table_is_record(const struct type *t)
{
	return t && (t->kind == TYPE_STRUCT || t->kind == TYPE_UNION);
}

/* Tail of the enum acl_kind constant of a value spelled base with stars. */
static const char *kind_of(const struct typeref *r, unsigned stars, bool text)
{
	const struct type *t = r->type;

	if (stars == 1 && t && t->handle && t->kind != TYPE_HANDLE)
		return "HANDLE";
	if (stars == 1 && text && !strcmp(r->base, "char"))
		return "STRING";
	if (stars)
		return "POINTER";
	if (t) {
		if (!strcmp(t->name, "aclError"))
			return "ERROR";
		switch (t->kind) {
		case TYPE_HANDLE:
			return t->handle ? "HANDLE" : "POINTER";
		case TYPE_ENUM:
			return "ENUM";
		case TYPE_CALLBACK:
			return "CALLBACK";
		case TYPE_STRUCT:
		case TYPE_UNION:
			return "STRUCT";
		case TYPE_ALIAS:
			return t->type[0] == 'u' ? "UINT" : "INT";
		default:
			return "VOID";
		}
	}
	if (!strcmp(r->base, "void") || !strcmp(r->base, "bool"))
		return upper(r->base);
	if (!strcmp(r->base, "float") || !strcmp(r->base, "double"))
		return "FLOAT";
	return r->base[0] == 'u' || !strcmp(r->base, "size_t") ? "UINT" : "INT";
}

static int type_index(const int *index, const struct typeref *r)
{
	return r->type ? index[r->type - model->types] : -1;
}

const char *value_kind(const struct typeref *r)
{
	return kind_of(r, r->stars, false);
}

static const char *handle_word(const char *handle)
{
	return handle ? upper(handle) : "NONE";
}

static const char *word_or(const char *word, const char *otherwise)
{
	return upper(word ? word : otherwise);
}

/* --- which records the functions reach ---------------------------------- */

static void reach(const struct typeref *r);

static void reach_fields(const struct field *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (fields[i].fields) {
			reach_fields(fields[i].fields, fields[i].n_fields);
		} else {
			struct typeref r = model_ref(model, fields[i].type);

			reach(&r);
		}
	}
}

static void reach(const struct typeref *r)
{
	if (!table_is_record(r->type) || struct_index[r->type - model->types] >= 0)
		return;
	struct_index[r->type - model->types] = 0;
	reach_fields(r->type->fields, r->type->n_fields);
}

static void number_types(void)
{
	int enums = 0, structs = 0;

	enum_index = malloc(model->n_types * sizeof(*enum_index));
	struct_index = malloc(model->n_types * sizeof(*struct_index));
	for (unsigned i = 0; i < model->n_types; i++) {
		enum_index[i] = model->types[i].kind == TYPE_ENUM ? enums++ : -1;
		struct_index[i] = -1;
	}
	for (unsigned i = 0; i < model->n_wrapped; i++)
		for (unsigned p = 0; p < model->wrapped[i]->n_params; p++)
			reach(&model->wrapped[i]->params[p].ref);
	for (unsigned i = 0; i < model->n_types; i++)
		if (struct_index[i] >= 0)
			struct_index[i] = structs++;
}

/* --- names -------------------------------------------------------------- */

static void print_words(FILE *f, const char *table, const char *first, const char *const *words)
{
	size_t longest = 0;

	fprintf(f, "\nconst char %s[][ACL_WORD] = {", table);
	if (first)
		print_name(f, first, &longest);
	for (unsigned i = 0; words[i]; i++) {
		fputs(i || first ? ", " : "", f);
		print_name(f, words[i], &longest);
	}
	fputs("};\n", f);
	print_room(f, longest, "ACL_WORD");
}

static int by_value(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

/* Members ascending; of several names of a value the model's first stays first. */
static void print_enum_values(FILE *f, const struct type *t)
{
	struct member *list = malloc(t->n_members * sizeof(*list));

	memcpy(list, t->members, t->n_members * sizeof(*list));
	for (unsigned i = 1; i < t->n_members; i++)
		for (unsigned j = i; j && by_value(&list[j - 1], &list[j]) > 0; j--) {
			struct member swap = list[j];

			list[j] = list[j - 1];
			list[j - 1] = swap;
		}
	fprintf(f, "\t/* %s */\n", t->name);
	for (unsigned i = 0; i < t->n_members; i++)
		fprintf(f, "\t{ %lld, %u /* %s */, ACL_CANN_%s },\n", list[i].value,
			texts_add(&texts, list[i].name), list[i].name, word_or(list[i].since, t->since));
	free(list);
}

/* As the compilers decide; the layout test holds them to it. */
bool enum_is_signed(const struct type *t)
{
	for (unsigned i = 0; i < t->n_members; i++)
		if (t->members[i].value < 0)
			return true;
	return false;
}

static void print_enums(FILE *f)
{
	unsigned n = 0, first = 0;
	size_t longest = 0;

	fputs("\nconst struct acl_enum_value acl_enum_values[] = {\n", f);
	for (unsigned i = 0; i < model->n_types; i++)
		if (enum_index[i] >= 0)
			print_enum_values(f, &model->types[i]);
	fputs("};\n\nconst struct acl_enum acl_enums[] = {\n", f);
	for (unsigned i = 0; i < model->n_types; i++) {
		const struct type *t = &model->types[i];

		if (enum_index[i] < 0)
			continue;
		n++;
		fputs("\t{ ", f);
		print_name(f, t->name, &longest);
		fprintf(f, ", %u, %u, sizeof(int), %s },\n", first, t->n_members,
			enum_is_signed(t) ? "true" : "false");
		first += t->n_members;
	}
	fprintf(f, "};\nconst unsigned acl_enum_count = %u;\n", n);
	print_room(f, longest, "ACL_TYPE_NAME");
}

/* 0 has two names; ACL_SUCCESS is the one to show. */
static bool is_error(const struct constant *c)
{
	if (!strcmp(c->name, "ACL_ERROR_NONE"))
		return false;
	return !strncmp(c->name, "ACL_ERROR_", 10) || !strcmp(c->name, "ACL_SUCCESS");
}

static int constant_by_value(const void *a, const void *b)
{
	const struct constant *x = *(const struct constant *const *)a,
			      *y = *(const struct constant *const *)b;

	return x->value != y->value ? (x->value < y->value ? -1 : 1) : strcmp(x->name, y->name);
}

static void print_errors(FILE *f)
{
	const struct constant **list = malloc(model->n_constants * sizeof(*list));
	unsigned n = 0;

	for (unsigned i = 0; i < model->n_constants; i++)
		if (is_error(&model->constants[i]))
			list[n++] = &model->constants[i];
	qsort(list, n, sizeof(*list), constant_by_value);
	fputs("\nconst struct acl_enum_value acl_errors[] = {\n", f);
	for (unsigned i = 0; i < n; i++)
		fprintf(f, "\t{ %lld, %u /* %s */, ACL_CANN_%s },\n", list[i]->value,
			texts_add(&texts, list[i]->name), list[i]->name,
			word_or(list[i]->since, model->versions[0]));
	fprintf(f, "};\nconst unsigned acl_error_count = %u;\n", n);
	free(list);
}

/* --- records ------------------------------------------------------------ */

static unsigned table_fields_print(FILE *f, const struct type *outer, const struct field *fields, unsigned n,
	const char *prefix, bool in_union);

static unsigned print_leaf(FILE *f, const struct type *outer, const struct field *e, const struct typeref *r,
	const char *path, bool in_union)
{
	unsigned count = 1;

	fprintf(f, "\t{ %u, offsetof(%s, %s), sizeof(((%s *)0)->%s", texts_add(&texts, path), outer->name,
		path, outer->name, path);
	for (unsigned d = 0; d < e->n_dims; d++) {
		fputs("[0]", f);
		count *= e->dims[d];
	}
	fprintf(f, "), %u, ACL_KIND_%s, %s, %d, %d, ACL_HANDLE_%s },\n", count, kind_of(r, r->stars, false),
		in_union ? "true" : "false", type_index(enum_index, r), type_index(struct_index, r),
		handle_word(r->type && r->type->kind == TYPE_HANDLE && !r->stars ? r->type->handle : NULL));
	return 1;
}

static unsigned print_field(
	FILE *f, const struct type *outer, const struct field *e, const char *prefix, bool in_union)
{
	struct typeref r;
	char path[256], inner[260];

	snprintf(path, sizeof(path), "%s%s", prefix, e->name ? e->name : "");
	snprintf(inner, sizeof(inner), "%s%s", path, e->name ? "." : "");
	if (e->fields)
		return table_fields_print(
			f, outer, e->fields, e->n_fields, inner, in_union || e->type[0] == 'u');
	r = model_ref(model, e->type);
	if (table_is_record(r.type) && !r.stars && !e->n_dims)
		return table_fields_print(f, outer, r.type->fields, r.type->n_fields, inner,
			in_union || r.type->kind == TYPE_UNION);
	return print_leaf(f, outer, e, &r, path, in_union);
}

static unsigned table_fields_print(FILE *f, const struct type *outer, const struct field *fields, unsigned n,
	const char *prefix, bool in_union)
{
	unsigned leaves = 0;

	for (unsigned i = 0; i < n; i++)
		leaves += print_field(f, outer, &fields[i], prefix, in_union);
	return leaves;
}

static void print_records(FILE *f)
{
	unsigned n = 0, first = 0, *leaves = calloc(model->n_types, sizeof(*leaves));
	size_t longest = 0;

	fputs("\nconst struct acl_field acl_all_fields[] = {\n", f);
	for (unsigned i = 0; i < model->n_types; i++) {
		const struct type *t = &model->types[i];

		if (struct_index[i] < 0)
			continue;
		leaves[i] = table_fields_print(f, t, t->fields, t->n_fields, "", t->kind == TYPE_UNION);
	}
	fputs("};\n\nconst struct acl_struct acl_structs[] = {\n", f);
	for (unsigned i = 0; i < model->n_types; i++) {
		const struct type *t = &model->types[i];

		if (struct_index[i] < 0)
			continue;
		fputs("\t{ ", f);
		print_name(f, t->name, &longest);
		fprintf(f, ", %u, %u, sizeof(%s) },\n", first, leaves[i], t->name);
		first += leaves[i];
		n++;
	}
	fprintf(f, "};\nconst unsigned acl_struct_count = %u;\n", n);
	print_room(f, longest, "ACL_TYPE_NAME");
	free(leaves);
}

/* --- functions ---------------------------------------------------------- */

static void print_pointee(FILE *f, const struct param *p, const char *kind)
{
	const struct typeref *r = &p->ref;

	if (strcmp(kind, "POINTER") || !r->stars)
		return;
	fprintf(f, "\n\t\t.pointee_kind = ACL_KIND_%s,", kind_of(r, r->stars - 1, r->is_const));
	if (r->stars > 1)
		fputs(" .pointee_size = sizeof(void *),", f);
	else if (strcmp(r->base, "void") && !(r->type && r->type->kind == TYPE_OPAQUE))
		fprintf(f, " .pointee_size = sizeof(%s),", r->base);
}

static size_t longest_param, longest_function;

static void print_param(FILE *f, const struct function *fn, const struct param *p)
{
	const char *kind = kind_of(&p->ref, p->ref.stars, !strcmp(p->dir, "in") && p->bytes < 0);

	fputs("\t{ .name = ", f);
	print_name(f, p->name, &longest_param);
	fprintf(f, ", .type = %u,\n", texts_add(&texts, p->type));
	fprintf(f, "\t\t.offset = offsetof(struct acl_args_%s, %s),\n", fn->name, p->name);
	fprintf(f, "\t\t.size = sizeof(((struct acl_args_%s *)0)->%s),\n", fn->name, p->name);
	fprintf(f,
		"\t\t.kind = ACL_KIND_%s, .dir = ACL_DIR_%s, .handle = ACL_HANDLE_%s, .life = ACL_LIFE_%s,",
		kind, upper(p->dir), handle_word(p->handle), word_or(p->life, "none"));
	print_pointee(f, p, kind);
	fprintf(f, "\n\t\t.access = ACL_ACCESS_%s, .bytes = %d, .limit = %d, .count = %d, .user_data = %d,",
		word_or(p->access, "none"), p->bytes, p->limit, p->count, p->user_data);
	fprintf(f, " .role = ACL_ROLE_%s,", upper(p->role));
	fprintf(f, "\n\t\t.enum_index = %d, .struct_index = %d, .null_meaning = ACL_NULL_%s },\n",
		type_index(enum_index, &p->ref), type_index(struct_index, &p->ref),
		word_or(p->null, "unknown"));
}

static void print_function(FILE *f, const struct function *fn, unsigned first_param)
{
	const struct typeref *r = &fn->ret_ref;

	fputs("\t{ .name = ", f);
	print_name(f, fn->name, &longest_function);
	fputs(",\n\t\t", f);
	if (fn->n_params)
		fprintf(f,
			".first_param = %u, .n_params = %u, .args_size = sizeof(struct acl_args_%s),\n\t\t",
			first_param, fn->n_params, fn->name);
	fputs(".classes = ", f);
	for (unsigned i = 0; fn->classes[i]; i++)
		fprintf(f, "%sACL_CLASS_%s", i ? " | " : "", upper(fn->classes[i]));
	fprintf(f, ",\n\t\t.ret_kind = ACL_KIND_%s, .ret_size = %s%s%s,", kind_of(r, r->stars, true),
		strcmp(fn->ret, "void") ? "sizeof(" : "", strcmp(fn->ret, "void") ? fn->ret : "0",
		strcmp(fn->ret, "void") ? ")" : "");
	if (fn->ret_life)
		fprintf(f, "\n\t\t.ret_handle = ACL_HANDLE_%s, .ret_life = ACL_LIFE_%s,",
			handle_word(r->type->handle), upper(fn->ret_life));
	fprintf(f,
		"\n\t\t.mode = ACL_MODE_%s, .capture = ACL_CAPTURE_%s, .context = ACL_CONTEXT_%s, .since = "
		"ACL_CANN_%s,",
		upper(fn->mode), upper(fn->capture), upper(fn->context ? fn->context : "none"),
		upper(fn->since));
	fprintf(f, "\n\t\t.operation = ACL_OP_%s, .operation_group = ACL_OP_GROUP_%s,",
		upper(fn->operation->name), upper(fn->operation->group));
	if (fn->granule)
		fprintf(f, "\n\t\t.granule = %u, .spare = %u,", fn->granule, fn->spare);
	if (fn->trait)
		fprintf(f, "\n\t\t.trait = ACL_TRAIT_%s,", upper(fn->trait));
	if (fn->waits_for_unlock)
		fputs("\n\t\t.waits_for_unlock = true,", f);
	fprintf(f, " .deprecated = %s, .unlisted = %s },\n", fn->deprecated ? "true" : "false",
		fn->unlisted ? "true" : "false");
}

static void print_params(FILE *f, const struct function *fn)
{
	fprintf(f, "\t/* %s */\n", fn->name);
	for (unsigned p = 0; p < fn->n_params; p++)
		print_param(f, fn, &fn->params[p]);
}

static void print_annotation(FILE *f, const struct function *fn, unsigned first_param)
{
	fputs("\t{ .name = ", f);
	print_name(f, fn->name, &longest_function);
	fprintf(f, ",\n\t\t.first_param = %u, .n_params = %u, .args_size = sizeof(struct acl_args_%s) },\n",
		first_param, fn->n_params, fn->name);
}

static void table_functions_print(FILE *f)
{
	unsigned first = 0;

	fputs("\nconst struct acl_param acl_all_params[] = {\n", f);
	for (unsigned i = 0; i < model->n_wrapped; i++)
		print_params(f, model->wrapped[i]);
	for (unsigned i = 0; i < model->n_annotations; i++)
		print_params(f, &model->annotations[i]);
	fputs("};\n\nconst struct acl_api_info acl_apis[] = {\n", f);
	for (unsigned i = 0; i < model->n_wrapped; i++) {
		print_function(f, model->wrapped[i], first);
		first += model->wrapped[i]->n_params;
	}
	for (unsigned i = 0; i < model->n_annotations; i++) {
		print_annotation(f, &model->annotations[i], first);
		first += model->annotations[i].n_params;
	}
	fprintf(f, "};\nconst unsigned acl_api_count = %u, acl_named_count = %u;\n", model->n_wrapped,
		model->n_wrapped + model->n_annotations);
	print_room(f, longest_param, "ACL_PARAM_NAME");
	print_room(f, longest_function, "ACL_API_NAME");
}

void print_tables(const struct model *m)
{
	FILE *f = emit_open(m, "gen/acl_model.c", "the API model as tables");

	model = m;
	number_types();
	fputs("#include \"acl_api.h\"\n#include \"aclcheck/model.h\"\n", f);
	print_words(f, "acl_handle_names", "none", m->handles);
	print_words(f, "acl_class_names", NULL, model_class_words);
	print_words(f, "acl_cann_names", NULL, m->versions);
	print_enums(f);
	print_errors(f);
	print_records(f);
	table_functions_print(f);
	texts_print(&texts, f, "acl_texts");
	emit_close(f);
}
