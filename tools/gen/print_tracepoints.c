/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gen/trace/: the LTTng-UST provider of the calls, in several units so that compilers can share the work.
 *	acl_N.c		acl:NAME_entry and acl:NAME_exit, and acl_call:NAME, one event at the exit
 *	minimal_N.c	acl:NAME_entry and acl:NAME_exit with few fields
 *	enums.h enums.c	the enumerations of the fields
 *	units.c		the list of the units
 * tracepoints/fields.h says what the lists of fields are.
 */
#include <stdlib.h>
#include <string.h>

#include "trace_fields.h"

#define UNITS 6
#define MINIMAL_UNITS 2

static const struct model *model;
static struct trace_enums enums; /* what the units need */

enum moment { AT_ENTRY, AT_EXIT, AT_CALL, MOMENTS };

static const char *const moments[MOMENTS] = {"entry", "exit", "call"};
static const char *const emitters[MOMENTS] = {"enter", "leave", "record"};

struct unit {
	char name[32];
	bool minimal;
	unsigned first, end; /* of model->wrapped */
	unsigned moments; /* how many events a function has */
	char **fields[MOMENTS]; /* a list each function of the unit */
};

/* --- fields --------------------------------------------------------------- */

/* Results are narrow where the function says so. */
static const char *result_type(const struct function *fn)
{
	const struct type *t = fn->ret_ref.type;

	return t && !fn->ret_ref.stars && !strcmp(t->name, "aclError") ? "int32_t" : "int64_t";
}

static void tracepoint_fields_print(FILE *f, const struct unit *u, const struct function *fn, enum moment at)
{
	if (at != AT_EXIT)
		fprintf(f, "\t\tFIELD_NAME(api, \"%s\")\n", fn->name);
	if (u->minimal && at == AT_ENTRY)
		fputs("\t\tTRACE_MINIMAL_ENTRY\n", f);
	else if (u->minimal)
		fprintf(f, "\t\tTRACE_MINIMAL_EXIT(%s)\n", result_type(fn));
	else if (at == AT_EXIT)
		fprintf(f, "\t\tTRACE_EXIT(%s)\n", result_type(fn));
	else
		fprintf(f, "\t\tTRACE_%s\n", at == AT_ENTRY ? "ENTRY" : "CALL_ONCE");
	if (u->minimal)
		return;
	if (at != AT_EXIT)
		trace_inputs(f, model, fn, &enums);
	if (at != AT_ENTRY)
		trace_outputs(f, model, fn, &enums);
}

static void collect_fields(struct unit *u)
{
	for (unsigned m = 0; m < u->moments; m++) {
		u->fields[m] = calloc(u->end - u->first, sizeof(char *));
		for (unsigned i = u->first; i < u->end; i++) {
			size_t n = 0;
			FILE *f = open_memstream(&u->fields[m][i - u->first], &n);

			tracepoint_fields_print(f, u, model->wrapped[i], m);
			fclose(f);
		}
	}
}

/* --- enums ------------------------------------------------------------------ */

static void print_enum(FILE *f, const struct type *t)
{
	fprintf(f, "\nTRACE_ENUM(%s,\n", t->name);
	for (unsigned i = 0; i < t->n_members; i++) {
		bool again = false;

		for (unsigned j = 0; j < i && !again; j++)
			again = t->members[j].value == t->members[i].value;
		if (!again)
			fprintf(f, "\tTRACE_NAMED(\"%s\", %lld)\n", t->members[i].name, t->members[i].value);
	}
	fputs(")\n", f);
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

static void print_errors(FILE *f)
{
	fputs("\nTRACE_ENUM(aclError,\n", f);
	for (unsigned i = 0; i < model->n_constants; i++)
		if (is_error(&model->constants[i]))
			fprintf(f, "\tTRACE_NAMED(\"%s\", %lld)\n", model->constants[i].name,
				model->constants[i].value);
	fputs(")\n", f);
}

/* Defined once, since LTTng's daemon hears of each that a recording needs. */
static void print_enums(FILE *f)
{
	fputs("TRACE_ENUM(acl_path, TRACE_PATHS)\nTRACE_ENUM(acl_host_class, TRACE_HOST_CLASSES)\n", f);
	print_errors(f);
	for (unsigned i = 0; i < model->n_types; i++)
		if (enums.used[i])
			print_enum(f, &model->types[i]);
}

static void print_enum_declarations(FILE *f)
{
	fputs("#include \"tracepoints/fields.h\"\n\n", f);
	fputs("TRACE_ENUM_DECLARE(acl_path)\nTRACE_ENUM_DECLARE(acl_host_class)\nTRACE_ENUM_DECLARE(aclError)"
	      "\n",
		f);
	for (unsigned i = 0; i < model->n_types; i++)
		if (enums.used[i])
			fprintf(f, "TRACE_ENUM_DECLARE(%s)\n", model->types[i].name);
}

/* --- the passes -------------------------------------------------------------- */

static void print_descriptions(FILE *f, const struct unit *u)
{
	fputs("\n#define TRACE_PASS DESCRIBE\n", f);
	for (unsigned i = u->first; i < u->end; i++) {
		const char *name = model->wrapped[i]->name;

		for (unsigned m = 0; m < u->moments; m++)
			fprintf(f,
				"\nstatic const struct lttng_ust_event_field *const fields_%s_%s[] = "
				"{\n%s};\n",
				moments[m], name, u->fields[m][i - u->first]);
		fprintf(f, "TRACE_PAIR(%s)\n", name);
		if (u->moments > AT_CALL)
			fprintf(f, "TRACE_CALL(%s)\n", name);
	}
}

static void print_sizes(FILE *f, const struct unit *u)
{
	fputs("\n#undef TRACE_PASS\n#define TRACE_PASS SIZE\n", f);
	for (unsigned i = u->first; i < u->end; i++)
		for (unsigned m = 0; m < u->moments; m++)
			fprintf(f, "\nenum { size_%s_%s =\n%s};\n", moments[m], model->wrapped[i]->name,
				u->fields[m][i - u->first]);
}

/* A function "what_NAME(e)" that emits an event. */
static void print_emitter(FILE *f, const struct function *fn, enum moment m, const char *fields)
{
	bool copies = strstr(fields, "copied.") != NULL;

	fprintf(f, "\nstatic void %s_%s(const struct acl_call_record *e)\n{\n", emitters[m], fn->name);
	if (copies || strstr(fields, "a->"))
		fprintf(f, "\tconst struct acl_args_%s *a = e->args;\n", fn->name);
	if (copies)
		fprintf(f, "\tstruct acl_open_%s copied;\n", fn->name);
	fprintf(f, "\tchar bytes[size_%s_%s], *at = bytes;\n\n", moments[m], fn->name);
	if (copies)
		trace_print_copying(f, fn);
	fprintf(f, "%s\tTRACE_EMIT(%s_%s)\n}\n", fields, moments[m], fn->name);
}

static void print_emitters(FILE *f, const struct unit *u)
{
	fputs("\n#undef TRACE_PASS\n#define TRACE_PASS WRITE\n", f);
	for (unsigned i = u->first; i < u->end; i++)
		for (unsigned m = 0; m < u->moments; m++)
			print_emitter(f, model->wrapped[i], m, u->fields[m][i - u->first]);
}

/* --- the unit ------------------------------------------------------------------ */

static void tracepoint_functions_print(FILE *f, const struct unit *u)
{
	const char *form = u->moments > AT_CALL ? "TRACE_FUNCTION" : "TRACE_FUNCTION_PAIR";

	fputc('\n', f);
	fprintf(f, "static const struct trace_function functions[] = {\n");
	for (unsigned i = u->first; i < u->end; i++)
		fprintf(f, "\t%s(%s)\n", form, model->wrapped[i]->name);
	fprintf(f, "};\n\nconst struct trace_unit trace_unit_%s = {functions, %u};\n", u->name,
		u->end - u->first);
}

static void print_unit(const char *kind, bool minimal, unsigned number, unsigned count)
{
	struct unit u = {.minimal = minimal, .moments = minimal ? AT_CALL : MOMENTS};
	char path[64];
	FILE *f;

	u.first = model->n_wrapped * number / count;
	u.end = model->n_wrapped * (number + 1) / count;
	snprintf(u.name, sizeof(u.name), "%s_%u", kind, number);
	collect_fields(&u);
	snprintf(path, sizeof(path), "gen/trace/%s.c", u.name);
	f = emit_open(model, path, "events of calls");
	fputs("#include \"trace/enums.h\"\n\n", f);
	for (unsigned i = u.first; i < u.end && !minimal; i++)
		trace_print_copies(f, model->wrapped[i]);
	print_descriptions(f, &u);
	print_sizes(f, &u);
	print_emitters(f, &u);
	tracepoint_functions_print(f, &u);
	emit_close(f);
	for (unsigned m = 0; m < u.moments; m++) {
		for (unsigned i = 0; i < u.end - u.first; i++)
			free(u.fields[m][i]);
		free(u.fields[m]);
	}
}

static void print_list(FILE *f, const char *kind, const char *what, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		fprintf(f, "extern const struct trace_unit trace_unit_%s_%u;\n", kind, i);
	fprintf(f, "\nconst struct trace_unit *const trace_%s[] = {", what);
	for (unsigned i = 0; i < count; i++)
		fprintf(f, "&trace_unit_%s_%u, ", kind, i);
	fputs("NULL};\n\n", f);
}

void print_tracepoints(const struct model *m)
{
	FILE *f;

	model = m;
	enums.used = calloc(m->n_types, sizeof(bool));
	for (unsigned i = 0; i < UNITS; i++)
		print_unit("acl", false, i, UNITS);
	for (unsigned i = 0; i < MINIMAL_UNITS; i++)
		print_unit("minimal", true, i, MINIMAL_UNITS);
	f = emit_open(model, "gen/trace/enums.h", "enumerations of the fields");
	print_enum_declarations(f);
	emit_close(f);
	f = emit_open(model, "gen/trace/enums.c", "enumerations of the fields");
	fputs("#include \"trace/enums.h\"\n\n", f);
	print_enums(f);
	emit_close(f);
	free(enums.used);
	f = emit_open(model, "gen/trace/units.c", "the units of the call provider");
	fputs("#include \"tracepoints/event.h\"\n\n", f);
	print_list(f, "acl", "units", UNITS);
	print_list(f, "minimal", "minimal_units", MINIMAL_UNITS);
	emit_close(f);
}
