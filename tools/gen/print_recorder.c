/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test "every function through the wrapper": gen/test_values.h says with
 * which arguments each wrapped function is called, gen/test_recorder.c is a
 * runtime that compares what arrives, gen/test_every_call.c a program that
 * makes the calls.  tests/model/record.h holds what is written by hand.
 */
#include <stdlib.h>
#include <string.h>

#include "emit.h"

static bool is_callback(const struct param *p)
{
	return p->callback && !strcmp(p->dir, "in");
}

static bool is_pointer(const struct typeref *r)
{
	return r->stars || (r->type && r->type->kind == TYPE_HANDLE);
}

static bool recorder_is_record(const struct typeref *r)
{
	return !r->stars && r->type && (r->type->kind == TYPE_STRUCT || r->type->kind == TYPE_UNION);
}

/* "func" of an Unregister function is compared with what Register got. */
static bool unregisters(const struct function *fn)
{
	return strstr(fn->name, "Unregister") || strstr(fn->name, "UnRegister");
}

/* A page of the arena for each parameter name, so that Register and Unregister get the same arguments. */
static unsigned page_of(const char *name)
{
	static const char *names[1024];
	unsigned i;

	for (i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	if (i + 1 == sizeof(names) / sizeof(names[0]))
		abort();
	names[i] = name;
	return i;
}

/* Does another parameter say how much memory is read by this one? Then it must be small. */
static bool is_amount(const struct function *fn, unsigned n)
{
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (p->bytes == (int)n || p->limit == (int)n || p->count == (int)n)
			return true;
	}
	return false;
}

static void print_record_value(FILE *f, const struct model *m, const char *name, const struct type *t)
{
	for (unsigned i = 0; i < t->n_fields; i++) {
		const struct field *e = &t->fields[i];
		struct typeref r = model_ref(m, e->type);

		if (e->fields || recorder_is_record(&r))
			abort(); /* no structure within a structure is passed by value */
		if (e->n_dims)
			fprintf(f, "\tmemset(a->%s.%s, 0x40, sizeof(a->%s.%s));\n", name, e->name, name,
				e->name);
		else if (is_pointer(&r))
			fprintf(f, "\ta->%s.%s = record_page(%u);\n", name, e->name, page_of(e->name));
		else
			fprintf(f, "\ta->%s.%s = %u;\n", name, e->name, i + 1);
	}
}

static void print_value(FILE *f, const struct model *m, const struct function *fn, unsigned n)
{
	const struct param *p = &fn->params[n];

	if (is_callback(p))
		fprintf(f, "\ta->%s = RECORD_CALLBACK(%s);\n", p->name, p->ref.base);
	else if (recorder_is_record(&p->ref))
		print_record_value(f, m, p->name, p->ref.type);
	else if (is_pointer(&p->ref))
		fprintf(f, "\ta->%s = record_page(%u);\n", p->name, page_of(p->name));
	else if (is_amount(fn, n))
		fprintf(f, "\ta->%s = %u;\n", p->name, n + 1);
	else
		fprintf(f, "\ta->%s = (%s)(RECORD_PATTERN + %u);\n", p->name, p->ref.base, n);
}

static void print_values(const struct model *m)
{
	FILE *f = emit_open(m, "gen/test_values.h", "arguments of the test that calls every function");

	fputs("#ifndef GEN_TEST_VALUES_H\n#define GEN_TEST_VALUES_H\n\n#include \"tests/model/record.h\"\n",
		f);
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		const struct function *fn = m->wrapped[i];

		fprintf(f, "\nstatic inline void values_%s(struct acl_args_%s *a)\n{\n", fn->name, fn->name);
		fputs("\tmemset(a, 0, sizeof(*a));\n", f);
		for (unsigned p = 0; p < fn->n_params; p++)
			print_value(f, m, fn, p);
		fputs("}\n", f);
	}
	fprintf(f, "\n#define RECORD_PAGES_USED %u\n\n#endif\n", page_of("(end)"));
	emit_close(f);
}

/* --- the runtime -------------------------------------------------------- */

/* What an argument or result of a callback is; every position has its own value. */
static void print_callback_value(FILE *f, const struct model *m, const char *type, unsigned n)
{
	struct typeref r = model_ref(m, type);

	if (is_pointer(&r))
		fprintf(f, "record_page(%u)", n);
	else
		fprintf(f, "(%s)(RECORD_PATTERN + %u)", r.base, 100 + n);
}

static unsigned n_callback_params(const struct type *t)
{
	unsigned n = 0;

	while (t->params[n])
		n++;
	return n;
}

/* The runtime calls back at once, with the user data it was given as the last argument. */
static void print_call_back(FILE *f, const struct model *m, const struct function *fn, const struct param *p)
{
	const struct type *t = p->ref.type;
	unsigned n = n_callback_params(t);

	fputs(strcmp(t->type, "void") ? "\trecord_true(" : "\t", f);
	fprintf(f, "%s(", p->name);
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		if (p->user_data >= 0 && i == n - 1)
			fputs(fn->params[p->user_data].name, f);
		else
			print_callback_value(f, m, t->params[i], i);
	}
	fputc(')', f);
	if (strcmp(t->type, "void")) {
		fputs(" == ", f);
		print_callback_value(f, m, t->type, 50);
		fprintf(f, ", \"%s\", \"result of the callback\")", fn->name);
	}
	fputs(";\n", f);
}

static void print_recorded_callback(
	FILE *f, const struct model *m, const struct function *fn, const struct param *p)
{
	if (unregisters(fn)) {
		fprintf(f, "\trecord_true(%s == registered_%s, \"%s\", \"%s\");\n", p->name, p->ref.base,
			fn->name, p->name);
		return;
	}
	fprintf(f, "\tregistered_%s = %s;\n", p->ref.base, p->name);
	print_call_back(f, m, fn, p);
}

static bool belongs_to_callback(const struct function *fn, unsigned n)
{
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_callback(&fn->params[i]) && fn->params[i].user_data == (int)n)
			return true;
	return false;
}

/* Outputs of a known, single element. */
static bool is_output(const struct param *p)
{
	return strcmp(p->dir, "in") && p->ref.stars == 1 && p->count < 0 && strcmp(p->ref.base, "void") &&
	       !(p->ref.type && p->ref.type->kind == TYPE_OPAQUE);
}

static const char *result_of(const struct function *fn)
{
	static char buf[80];

	if (is_pointer(&fn->ret_ref))
		snprintf(buf, sizeof(buf), "record_page(RECORD_RESULT_PAGE)");
	else
		snprintf(buf, sizeof(buf), "RECORD_RESULT + ACL_API_%s", fn->name);
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_callback(&fn->params[i])) /* what failed to register is forgotten again */
			return "0";
	return buf;
}

static void print_recorder_function(FILE *f, const struct model *m, const struct function *fn)
{
	fputs("\nRECORD_EXPORT ", f);
	emit_prototype(f, fn, fn->name);
	fprintf(f,
		"\n{\n\tstruct acl_args_%s should;\n\n\tvalues_%s(&should);\n\trecord_called(ACL_API_%s);\n",
		fn->name, fn->name, fn->name);
	for (unsigned i = 0; i < fn->n_params; i++) {
		const struct param *p = &fn->params[i];

		if (is_callback(p))
			print_recorded_callback(f, m, fn, p);
		else if (!belongs_to_callback(fn, i))
			fprintf(f, "\tRECORD_SAME(\"%s\", %s);\n", fn->name, p->name);
		if (is_output(p))
			fprintf(f, "\tmemset((void *)%s, RECORD_OUTPUT, sizeof(*%s));\n", p->name, p->name);
	}
	fprintf(f, "\treturn %s;\n}\n", result_of(fn));
}

static bool used_as_callback(const struct model *m, const struct type *t)
{
	for (unsigned i = 0; i < m->n_wrapped; i++)
		for (unsigned p = 0; p < m->wrapped[i]->n_params; p++)
			if (is_callback(&m->wrapped[i]->params[p]) && m->wrapped[i]->params[p].ref.type == t)
				return true;
	return false;
}

static void print_registered(FILE *f, const struct model *m)
{
	for (unsigned i = 0; i < m->n_types; i++)
		if (m->types[i].kind == TYPE_CALLBACK && used_as_callback(m, &m->types[i]))
			fprintf(f, "static __attribute__((unused)) %s registered_%s;\n", m->types[i].name,
				m->types[i].name);
}

static void print_runtime(const struct model *m)
{
	FILE *f = emit_open(m, "gen/test_recorder.c", "a runtime that compares what arrives");

	fputs("#define RECORD_RUNTIME\n#include \"test_values.h\"\n\n", f);
	print_registered(f, m);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		print_recorder_function(f, m, m->wrapped[i]);
	emit_close(f);
}

/* --- the program -------------------------------------------------------- */

/* Whether the runtime hands user data to this type's functions as last argument. */
static bool takes_user_data(const struct model *m, const struct type *t)
{
	for (unsigned i = 0; i < m->n_wrapped; i++)
		for (unsigned p = 0; p < m->wrapped[i]->n_params; p++)
			if (m->wrapped[i]->params[p].ref.type == t && m->wrapped[i]->params[p].user_data >= 0)
				return true;
	return false;
}

static void print_callback_function(FILE *f, const struct model *m, const struct type *t)
{
	unsigned n = n_callback_params(t);
	char name[16];

	emit_decl(f, t->type, "record_");
	fprintf(f, "%s(", t->name);
	for (unsigned i = 0; i < n; i++) {
		fputs(i ? ", " : "", f);
		snprintf(name, sizeof(name), "p%u", i);
		emit_decl(f, t->params[i], name);
	}
	fputs(")\n{\n\trecord_callbacks++;\n", f);
	for (unsigned i = 0; i < n; i++) {
		fprintf(f, "\trecord_true(p%u == ", i);
		if (i == n - 1 && takes_user_data(m, t))
			fputs("record_user_data", f);
		else
			print_callback_value(f, m, t->params[i], i);
		fprintf(f, ", \"%s\", \"argument %u\");\n", t->name, i + 1);
	}
	if (strcmp(t->type, "void")) {
		fputs("\treturn ", f);
		print_callback_value(f, m, t->type, 50);
		fputs(";\n", f);
	}
	fputs("}\n\n", f);
}

static void print_program_call(FILE *f, const struct function *fn)
{
	unsigned callbacks = 0;

	fprintf(f, "\nstatic void call_%s(void)\n{\n\tstruct acl_args_%s a;\n\t", fn->name, fn->name);
	emit_decl(f, fn->ret, "ret");
	fprintf(f, ";\n\n\tvalues_%s(&a);\n", fn->name);
	for (unsigned i = 0; i < fn->n_params; i++) {
		if (belongs_to_callback(fn, i))
			fprintf(f, "\trecord_user_data = a.%s;\n", fn->params[i].name);
		callbacks += is_callback(&fn->params[i]) && !unregisters(fn);
	}
	fprintf(f, "\trecord_callbacks = 0;\n\trecord_begin();\n\tret = %s(", fn->name);
	emit_args(f, fn, "a.");
	fprintf(f, ");\n\trecord_true(ret == %s, \"%s\", \"result\");\n", result_of(fn), fn->name);
	for (unsigned i = 0; i < fn->n_params; i++)
		if (is_output(&fn->params[i]))
			fprintf(f, "\tRECORD_OUTPUT_CAME(\"%s\", a.%s);\n", fn->name, fn->params[i].name);
	fprintf(f, "\trecord_end(ACL_API_%s, \"%s\", record_callbacks == %u);\n}\n", fn->name, fn->name,
		callbacks);
}

static void print_program(const struct model *m)
{
	FILE *f = emit_open(m, "gen/test_every_call.c", "a program that calls every function once");

	fputs("#include <stdio.h>\n\n#include \"test_values.h\"\n\n", f);
	for (unsigned i = 0; i < m->n_types; i++)
		if (m->types[i].kind == TYPE_CALLBACK && used_as_callback(m, &m->types[i]))
			print_callback_function(f, m, &m->types[i]);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		print_program_call(f, m->wrapped[i]);
	fprintf(f, "\nint main(void)\n{\n\tprintf(\"1..%u\\n\");\n", m->n_wrapped);
	for (unsigned i = 0; i < m->n_wrapped; i++)
		fprintf(f, "\tcall_%s();\n", m->wrapped[i]->name);
	fputs("\treturn record_finish();\n}\n", f);
	emit_close(f);
}

void print_recorder(const struct model *m)
{
	FILE *f =
		emit_open(m, "gen/test_callbacks.h", "functions of the program that the recorder calls back");

	for (unsigned i = 0; i < m->n_types; i++) {
		const struct type *t = &m->types[i];

		if (t->kind != TYPE_CALLBACK || !used_as_callback(m, t))
			continue;
		emit_decl(f, t->type, "record_");
		fprintf(f, "%s(", t->name);
		for (unsigned p = 0; t->params[p]; p++)
			fprintf(f, "%s%s", p ? ", " : "", t->params[p]);
		fputs(");\n", f);
	}
	emit_close(f);
	print_values(m);
	print_runtime(m);
	print_program(m);
}
