/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/trace/: the LTTng-UST provider of the calls, in several units so that
 * compilers can share the work.
 *	acl_N.h acl_N.c		acl:NAME_entry and acl:NAME_exit
 *	acl_call_N.h acl_call_N.c	acl_call:NAME, one event at the exit
 *	units.h			the list of the units
 * Functions whose events have the same fields share one event class.
 */
#include <stdlib.h>
#include <string.h>

#include "trace_fields.h"

#define PAIR_UNITS 6
#define CALL_UNITS 4

static const struct model *model;

/* An event class: its fields and the function whose argument struct they are read from. */
struct event_class {
	char *key, *fields;
	const struct function *owner;
	bool entry, opens; /* entry: wants the function's name, too */
};

struct unit {
	const char *provider;
	char name[32];
	unsigned first, end; /* of model->wrapped */
	struct trace_enums enums;
	struct event_class *classes;
	unsigned n_classes;
	/* By function of the unit: its classes; pairs have two. */
	unsigned *class_of[2];
};

/* --- classes ------------------------------------------------------------ */

/* Two functions may share a class when fields and, if those are read from it, the argument struct are alike.
 */
static char *class_key(const struct function *fn, const char *fields, bool entry)
{
	char *key = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&key, &n);

	fprintf(f, "%d %s", entry, fields);
	if (strstr(fields, "a->") || strstr(fields, "copied->"))
		for (unsigned i = 0; i < fn->n_params; i++)
			fprintf(f, "%s %s %s %d,", fn->params[i].type, fn->params[i].name, fn->params[i].dir,
				fn->params[i].count);
	fclose(f);
	return key;
}

static unsigned class_of(struct unit *u, const struct function *fn, char *fields, bool entry)
{
	char *key = class_key(fn, fields, entry);
	unsigned i;

	for (i = 0; i < u->n_classes; i++)
		if (!strcmp(u->classes[i].key, key)) {
			free(key);
			free(fields);
			return i;
		}
	u->classes = realloc(u->classes, (i + 1) * sizeof(*u->classes));
	u->classes[i] = (struct event_class){key, fields, fn, entry, strstr(fields, "copied->") != NULL};
	u->n_classes++;
	return i;
}

static char *fields_of(struct unit *u, const struct function *fn, bool in, bool out)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	fprintf(f, "\t\tTRACE_%s(%s)\n", in && out ? "CALL" : in ? "ENTRY" : "EXIT", u->provider);
	if (in)
		trace_inputs(f, model, fn, u->provider, &u->enums);
	if (out)
		trace_outputs(f, model, fn, u->provider, &u->enums);
	fclose(f);
	return text;
}

static void sort_classes(struct unit *u, bool pairs)
{
	for (unsigned i = u->first; i < u->end; i++) {
		const struct function *fn = model->wrapped[i];

		u->class_of[0][i - u->first] = class_of(u, fn, fields_of(u, fn, true, !pairs), pairs);
		if (pairs)
			u->class_of[1][i - u->first] = class_of(u, fn, fields_of(u, fn, false, true), false);
	}
}

/* --- enums -------------------------------------------------------------- */

static void print_enum(FILE *f, const char *provider, const struct type *t)
{
	fprintf(f, "\nLTTNG_UST_TRACEPOINT_ENUM(%s, %s,\n\tLTTNG_UST_TP_ENUM_VALUES(\n", provider, t->name);
	for (unsigned i = 0; i < t->n_members; i++) {
		bool again = false;

		for (unsigned j = 0; j < i && !again; j++)
			again = t->members[j].value == t->members[i].value;
		if (!again)
			fprintf(f, "\t\tlttng_ust_field_enum_value(\"%s\", %lld)\n", t->members[i].name,
				t->members[i].value);
	}
	fputs("\t)\n)\n", f);
}

/*
 * Codes of the graph engine never come from these functions, and the metadata
 * repeats this list for every exit event; 0 is ACL_SUCCESS, not ACL_ERROR_NONE.
 */
static bool is_error(const struct constant *c)
{
	if (!c->value)
		return !strcmp(c->name, "ACL_SUCCESS");
	return !strncmp(c->name, "ACL_ERROR_", 10) && strncmp(c->name, "ACL_ERROR_GE_", 13) != 0;
}

static void print_errors(FILE *f, const char *provider)
{
	fprintf(f, "\nLTTNG_UST_TRACEPOINT_ENUM(%s, aclError,\n\tLTTNG_UST_TP_ENUM_VALUES(\n", provider);
	for (unsigned i = 0; i < model->n_constants; i++)
		if (is_error(&model->constants[i]))
			fprintf(f, "\t\tlttng_ust_field_enum_value(\"%s\", %lld)\n", model->constants[i].name,
				model->constants[i].value);
	fputs("\t)\n)\n", f);
}

static void print_enums(FILE *f, const struct unit *u)
{
	if (!strcmp(u->provider, "acl"))
		fprintf(f, "\nTRACE_PATH_ENUM(%s)\n", u->provider);
	if (u->enums.host_class)
		fprintf(f, "TRACE_HOST_CLASS_ENUM(%s)\n", u->provider);
	if (u->enums.error)
		print_errors(f, u->provider);
	for (unsigned i = 0; i < model->n_types; i++)
		if (u->enums.used[i])
			print_enum(f, u->provider, &model->types[i]);
}

/* --- the header with the events ----------------------------------------- */

static void print_class_args(FILE *f, const struct event_class *c)
{
	fputs("\tLTTNG_UST_TP_ARGS(const struct acl_call_record *, e", f);
	if (c->entry)
		fputs(", const char *, api", f);
	fprintf(f, ", const struct acl_args_%s *, a", c->owner->name);
	if (c->opens)
		fprintf(f, ", const struct acl_open_%s *, copied", c->owner->name);
	fputs(")", f);
}

static void print_class(FILE *f, const struct unit *u, unsigned i)
{
	fprintf(f, "\nLTTNG_UST_TRACEPOINT_EVENT_CLASS(%s, class_%u,\n", u->provider, i);
	print_class_args(f, &u->classes[i]);
	fprintf(f, ",\n\tLTTNG_UST_TP_FIELDS(\n%s\t)\n)\n", u->classes[i].fields);
}

static void print_instance(FILE *f, const struct unit *u, unsigned c, const char *name, const char *suffix)
{
	fprintf(f, "\nLTTNG_UST_TRACEPOINT_EVENT_INSTANCE(%s, class_%u, %s, %s%s,\n", u->provider, c,
		u->provider, name, suffix);
	print_class_args(f, &u->classes[c]);
	fputs(")\n", f);
}

static void print_header(const struct unit *u, bool pairs)
{
	char path[64], guard[64];
	FILE *f;

	snprintf(path, sizeof(path), "gen/trace/%s.h", u->name);
	snprintf(guard, sizeof(guard), "GEN_TRACE_%s_H", upper(u->name));
	f = emit_open(model, path, pairs ? "entry and exit events" : "one event a call");
	fprintf(f, "#undef LTTNG_UST_TRACEPOINT_PROVIDER\n#define LTTNG_UST_TRACEPOINT_PROVIDER %s\n",
		u->provider);
	fprintf(f,
		"#undef LTTNG_UST_TRACEPOINT_INCLUDE\n#define LTTNG_UST_TRACEPOINT_INCLUDE "
		"\"trace/%s.h\"\n\n",
		u->name);
	fprintf(f, "#ifndef %s_TYPES\n#define %s_TYPES\n\n#include \"tracepoints/call.h\"\n\n", guard, guard);
	for (unsigned i = u->first; i < u->end; i++)
		trace_open_struct(f, model->wrapped[i]);
	fprintf(f,
		"#endif\n\n#if !defined(%s) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)\n#define %s\n",
		guard, guard);
	fputs("#include <lttng/tracepoint.h>\n", f);
	print_enums(f, u);
	for (unsigned i = 0; i < u->n_classes; i++)
		print_class(f, u, i);
	for (unsigned i = u->first; i < u->end; i++) {
		const char *name = model->wrapped[i]->name;

		print_instance(f, u, u->class_of[0][i - u->first], name, pairs ? "_entry" : "");
		if (pairs)
			print_instance(f, u, u->class_of[1][i - u->first], name, "_exit");
	}
	fputs("\n#endif\n\n#include <lttng/tracepoint-event.h>\n", f);
	emit_close(f);
}

/* --- the unit ----------------------------------------------------------- */

/* One function "what_NAME(e)" that emits an event; in, out: whose pointers the event's fields need opened. */
static void print_emitter(FILE *f, const struct unit *u, const struct function *fn,
	const struct event_class *c, const char *what, const char *suffix)
{

	fprintf(f, "\nstatic void %s_%s(const struct acl_call_record *e)\n{\n", what, fn->name);
	if (c->opens) {
		fprintf(f, "\tconst struct acl_args_%s *a = e->args;\n\tstruct acl_open_%s copied;\n\n",
			fn->name, fn->name);
		if (what[0] != 'l')
			trace_open_inputs(f, fn);
		if (what[0] != 'e')
			trace_open_outputs(f, fn);
	}
	fprintf(f, "\tlttng_ust_do_tracepoint(%s, %s%s, e", u->provider, fn->name, suffix);
	if (c->entry)
		fprintf(f, ", \"%s\"", fn->name);
	fputs(", e->args", f);
	if (c->opens)
		fprintf(f, c->owner == fn ? ", &copied" : ", (const void *)&copied");
	fputs(");\n}\n", f);
}

static void print_emitters(FILE *f, const struct unit *u, bool pairs)
{
	for (unsigned i = u->first; i < u->end; i++) {
		const struct function *fn = model->wrapped[i];
		const struct event_class *first = &u->classes[u->class_of[0][i - u->first]];

		if (pairs) {
			print_emitter(f, u, fn, first, "enter", "_entry");
			print_emitter(f, u, fn, &u->classes[u->class_of[1][i - u->first]], "leave", "_exit");
		} else {
			print_emitter(f, u, fn, first, "call", "");
		}
	}
}

static void print_slots(FILE *f, const struct unit *u, bool pairs)
{
	fprintf(f, "\nvoid trace_unit_%s(struct trace_function *table)\n{\n", u->name);
	for (unsigned i = u->first; i < u->end; i++)
		fprintf(f, pairs ? "\tTRACE_PAIR(table, %s);\n" : "\tTRACE_CALL_EVENT(table, %s);\n",
			model->wrapped[i]->name);
	fputs("}\n", f);
}

/* The units of a provider are one provider to LTTng; only the symbols of its macros must differ. */
static void rename_symbol(FILE *f, const struct unit *u, const char *prefix, const char *name)
{
	fprintf(f, "#define %s%s%s%s %s_%s%s\n", prefix, u->provider, *name ? "_" : "", name, u->name,
		prefix[0] == '_' ? "values_" : prefix, name);
}

static void rename_symbols(FILE *f, const struct unit *u)
{
	rename_symbol(f, u, "lttng_ust__probe_desc___", "");
	rename_symbol(f, u, "lttng_ust_tracepoint_provider_", "");
	rename_symbol(f, u, "__enum_values__", "acl_path");
	rename_symbol(f, u, "__enum_values__", "acl_host_class");
	rename_symbol(f, u, "__enum_values__", "aclError");
	for (unsigned i = 0; i < model->n_types; i++)
		if (u->enums.used[i])
			rename_symbol(f, u, "__enum_values__", model->types[i].name);
}

static void print_source(const struct unit *u, bool pairs)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "gen/trace/%s.c", u->name);
	f = emit_open(model, path, "emits the events of its header");
	rename_symbols(f, u);
	fputs("#define LTTNG_UST_TRACEPOINT_CREATE_PROBES\n#define LTTNG_UST_TRACEPOINT_DEFINE\n"
	      "#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION\n#define "
	      "LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION\n",
		f);
	fprintf(f, "#include \"trace/%s.h\"\n#include \"trace/units.h\"\n", u->name);
	print_emitters(f, u, pairs);
	print_slots(f, u, pairs);
	emit_close(f);
}

static void print_unit(const char *provider, unsigned number, unsigned count)
{
	bool pairs = !strcmp(provider, "acl");
	struct unit u = {.provider = provider};
	unsigned n;

	u.first = model->n_wrapped * number / count;
	u.end = model->n_wrapped * (number + 1) / count;
	n = u.end - u.first;
	snprintf(u.name, sizeof(u.name), "%s_%u", provider, number);
	u.enums.used = calloc(model->n_types, sizeof(bool));
	u.class_of[0] = calloc(n, sizeof(unsigned));
	u.class_of[1] = calloc(n, sizeof(unsigned));
	sort_classes(&u, pairs);
	print_header(&u, pairs);
	print_source(&u, pairs);
	for (unsigned i = 0; i < u.n_classes; i++) {
		free(u.classes[i].key);
		free(u.classes[i].fields);
	}
	free(u.classes);
	free(u.enums.used);
	free(u.class_of[0]);
	free(u.class_of[1]);
}

static void print_list(void)
{
	FILE *f = emit_open(model, "gen/trace/units.h", "the units of the call provider");

	fputs("#ifndef GEN_TRACE_UNITS_H\n#define GEN_TRACE_UNITS_H\n\n#include \"tracepoints/call.h\"\n\n",
		f);
	fputs("#define TRACE_UNITS(unit) \\\n", f);
	for (unsigned i = 0; i < PAIR_UNITS; i++)
		fprintf(f, "\tunit(acl_%u) \\\n", i);
	for (unsigned i = 0; i < CALL_UNITS; i++)
		fprintf(f, "\tunit(acl_call_%u)%s\n", i, i + 1 < CALL_UNITS ? " \\" : "");
	fputs("\n#define TRACE_DECLARE(name) void trace_unit_##name(struct trace_function *table);\n"
	      "TRACE_UNITS(TRACE_DECLARE)\n\n#endif\n",
		f);
	emit_close(f);
}

void print_tracepoints(const struct model *m)
{
	model = m;
	for (unsigned i = 0; i < PAIR_UNITS; i++)
		print_unit("acl", i, PAIR_UNITS);
	for (unsigned i = 0; i < CALL_UNITS; i++)
		print_unit("acl_call", i, CALL_UNITS);
	print_list();
}
