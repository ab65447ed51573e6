/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of the model: loading and checking. */
#include <string.h>

#include "accesses.h"
#include "read.h"

#define DIRECTIONS READ_WORDS("none", "read", "write", "readwrite")
#define MEMORIES READ_WORDS("host", "device", "any")
#define EXTENTS READ_WORDS("range", "text", "at-most", "at-least", "symbol", "indirect", "opaque")

int param_operand(const struct function *f, const struct param *p, const json_t *o, const char *key)
{
	const char *name = read_string(o, key);

	if (!name)
		return -1;
	for (unsigned i = 0; i < f->n_params; i++)
		if (!strcmp(f->params[i].name, name))
			return (int)i;
	read_fail("%s: \"%s\": no parameter \"%s\"", p->name, key, name);
}

/* "bytes" is a parameter, or a number. */
static void load_bytes(const struct function *f, struct param *p, const json_t *o)
{
	p->bytes = -1;
	if (json_is_integer(json_object_get(o, "bytes")))
		p->unit = (unsigned)read_number(o, "bytes", 0);
	else
		p->bytes = param_operand(f, p, o, "bytes");
}

static void load_each(const struct function *f, struct param *p, const json_t *o)
{
	p->each_bytes = p->each_limit = -1;
	if (!o)
		return;
	read_only_keys(o, READ_WORDS("access", "memory", "bytes", "limit"));
	p->each = read_needed(o, "access");
	p->each_memory = read_needed(o, "memory");
	p->each_bytes = param_operand(f, p, o, "bytes");
	p->each_limit = param_operand(f, p, o, "limit");
	read_one_of("access", p->each, DIRECTIONS);
	read_one_of("memory", p->each_memory, MEMORIES);
}

void load_param_access(const struct function *f, struct param *p, const json_t *o)
{
	p->access = read_string(o, "access");
	p->memory = read_string(o, "memory");
	p->extent = read_string(o, "extent");
	read_one_of("access", p->access, DIRECTIONS);
	read_one_of("memory", p->memory, MEMORIES);
	read_one_of("extent", p->extent, EXTENTS);
	load_bytes(f, p, o);
	p->rows = param_operand(f, p, o, "rows");
	p->pitch = param_operand(f, p, o, "pitch");
	p->offset = param_operand(f, p, o, "offset");
	load_each(f, p, json_object_get(o, "each"));
}

static bool is_incomplete(const struct param *p)
{
	return p->ref.stars == 1 &&
	       (!strcmp(p->ref.base, "void") || (p->ref.type && p->ref.type->kind == TYPE_OPAQUE));
}

bool is_accessed(const struct param *p)
{
	const struct type *t = p->ref.type;
	bool is_handle = p->ref.stars == 1 && t && t->handle && t->kind != TYPE_HANDLE;

	return p->ref.stars && !is_handle;
}

static bool is_text(const struct param *p)
{
	return p->ref.stars == 1 && !strcmp(p->ref.base, "char") && !strcmp(p->dir, "in") && p->bytes < 0 &&
	       !p->unit;
}

const char *access_extent(const struct function *f, const struct param *p)
{
	if (p->extent)
		return p->extent;
	if (!strcmp(p->access, "none") && p->bytes < 0 && !p->unit)
		return "address";
	if (is_text(p))
		return "text";
	if (p->count >= 0 && f->params[p->count].ref.stars)
		return "counted";
	if (p->bytes < 0 && !p->unit && p->limit >= 0)
		return "at-most";
	return p->bytes < 0 && !p->unit && is_incomplete(p) ? NULL : "range";
}

static void check_rows(const struct param *p)
{
	if ((p->rows < 0) != (p->pitch < 0))
		read_fail("%s: \"rows\" and \"pitch\" come together", p->name);
	if (p->rows >= 0 && p->bytes < 0)
		read_fail("%s: \"rows\" without the \"bytes\" of a row", p->name);
}

static void check_access(const struct function *f, const struct param *p)
{
	if (!is_accessed(p)) {
		if (p->access || p->memory || p->extent)
			read_fail("%s: \"access\" of something that is no pointer to memory", p->name);
		return;
	}
	if (!p->access)
		read_fail("%s: a pointer without \"access\" (read, write, readwrite or none)", p->name);
	if (!p->memory && is_incomplete(p))
		read_fail("%s: the pointer could go anywhere: \"memory\" (host, device or any) is missing",
			p->name);
	if (!access_extent(f, p))
		read_fail("%s: how far the access goes is missing: \"bytes\", \"limit\" or \"extent\"",
			p->name);
	if (p->each && (p->ref.stars != 2 || p->count < 0))
		read_fail("%s: \"each\" of something that is no counted array of pointers", p->name);
	check_rows(p);
}

void check_accesses(const struct function *f)
{
	for (unsigned i = 0; i < f->n_params; i++)
		check_access(f, &f->params[i]);
}
