/* SPDX-License-Identifier: Apache-2.0 */
/* Writes output files, and the C phrases several printers need. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "emit.h"

const char *emit_root = "build";

/* The one file being written: printers write one after the other. */
static struct {
	char *path, *text;
	size_t len;
} out;

static void __attribute__((noreturn)) die(const char *path)
{
	fprintf(stderr, "acl-gen: %s: %s\n", path, strerror(errno));
	exit(1);
}

static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			die(path);
		*p = '/';
	}
}

FILE *emit_open_plain(const char *path)
{
	FILE *f;

	if (asprintf(&out.path, "%s/%s", emit_root, path) < 0)
		die(path);
	f = open_memstream(&out.text, &out.len);
	if (!f)
		die(path);
	return f;
}

FILE *emit_open(const struct model *m, const char *path, const char *topic)
{
	FILE *f = emit_open_plain(path);

	fprintf(f, "/* SPDX-License-Identifier: Apache-2.0 */\n");
	fprintf(f, "/* Generated from %s by tools/gen, do not edit: %s. */\n", m->path, topic);
	return f;
}

static bool same_as_file(void)
{
	FILE *f = fopen(out.path, "r");
	char *old = malloc(out.len + 1);
	size_t n = 0;

	if (f && old)
		n = fread(old, 1, out.len + 1, f);
	bool same = f && old && n == out.len && !memcmp(old, out.text, n);
	if (f)
		fclose(f);
	free(old);
	return same;
}

void emit_close(FILE *mem)
{
	if (fclose(mem))
		die(out.path);
	if (!same_as_file()) {
		FILE *f;

		make_parents(out.path);
		f = fopen(out.path, "w");
		if (!f || fwrite(out.text, 1, out.len, f) != out.len || fclose(f))
			die(out.path);
	}
	free(out.path);
	free(out.text);
}

void emit_decl(FILE *f, const char *type, const char *name)
{
	size_t n = strlen(type);

	fprintf(f, "%s%s%s", type, n && type[n - 1] == '*' ? "" : " ", name);
}

void emit_params(FILE *f, const struct function *fn)
{
	if (!fn->n_params)
		fputs("void", f);
	for (unsigned i = 0; i < fn->n_params; i++) {
		fputs(i ? ", " : "", f);
		if (fn->params[i].decl)
			fputs(fn->params[i].decl, f);
		else
			emit_decl(f, fn->params[i].type, fn->params[i].name);
	}
	if (fn->variadic)
		fputs(", ...", f);
}

void emit_args(FILE *f, const struct function *fn, const char *prefix)
{
	for (unsigned i = 0; i < fn->n_params; i++)
		fprintf(f, "%s%s%s", i ? ", " : "", prefix, fn->params[i].name);
}

void emit_prototype(FILE *f, const struct function *fn, const char *name)
{
	emit_decl(f, fn->ret, name);
	fputc('(', f);
	emit_params(f, fn);
	fputc(')', f);
}

enum package package_of(const char *header)
{
	if (!strncmp(header, "aclnn", 5))
		return PACKAGE_OPERATORS;
	return strncmp(header, "ops/", 4) ? PACKAGE_RUNTIME : PACKAGE_MEDIA;
}

const char *missing_result(const struct function *fn)
{
	if (!strcmp(fn->ret, "aclError"))
		return "ACL_ERROR_RT_FEATURE_NOT_SUPPORT";
	if (fn->ret_ref.stars || (fn->ret_ref.type && fn->ret_ref.type->kind == TYPE_HANDLE))
		return "NULL";
	return "0";
}

void emit_slot_macros(FILE *f)
{
	fputs("\n#define OFFSET(function, member) offsetof(struct acl_args_##function, member)\n"
	      "#define SIZE(function, member) sizeof(((struct acl_args_##function *)0)->member)\n"
	      "/* What fits no slot has an array of -1 elements and does not compile. */\n"
	      "#define SLOT(function, member, narrow) \\\n"
	      "\t(OFFSET(function, member) | \\\n"
	      "\t (SIZE(function, member) == 8 ? ACL_ARG_64 : narrow) | \\\n"
	      "\t 0 * sizeof(char[SIZE(function, member) % 4 || OFFSET(function, member) % 4 ? -1 : 1]))\n",
		f);
}

void emit_slot(FILE *f, const struct function *fn, const struct param *p)
{
	const char *kind = value_kind(&p->ref);
	bool is_signed = !strcmp(kind, "INT") || !strcmp(kind, "ERROR") ||
			 (!strcmp(kind, "ENUM") && enum_is_signed(p->ref.type));

	if (!strcmp(kind, "STRUCT"))
		fprintf(f, "offsetof(struct acl_args_%s, %s) | ACL_ARG_BYTES", fn->name, p->name);
	else
		fprintf(f, "SLOT(%s, %s, ACL_ARG_%s)", fn->name, p->name, is_signed ? "I32" : "U32");
}
