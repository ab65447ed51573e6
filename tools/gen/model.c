/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and checks the API model. */
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accesses.h"
#include "model.h"
#include "operations.h"
#include "read.h"
#include "variants.h"

/* --- sections ----------------------------------------------------------- */

static void load_headers(struct model *m, json_t *root)
{
	json_t *a = read_list(root, "headers", &m->n_headers);

	m->headers = read_alloc(m->n_headers, sizeof(*m->headers));
	for (unsigned i = 0; i < m->n_headers; i++) {
		json_t *o = json_array_get(a, i);
		struct header *h = &m->headers[i];

		read_only_keys(o, READ_WORDS("name", "includes", "system", "macros"));
		read_at(h->name = read_needed(o, "name"));
		h->includes = read_strings(o, "includes");
		h->system = read_strings(o, "system");
		h->macros = read_strings(o, "macros");
	}
}

static void check_place(const struct model *m, const char *header, const char *since)
{
	read_one_of("release", since, m->versions);
	if (!header)
		return;
	for (unsigned i = 0; i < m->n_headers; i++)
		if (!strcmp(m->headers[i].name, header))
			return;
	read_fail("header \"%s\" is not in \"headers\"", header);
}

static void load_constants(struct model *m, json_t *root)
{
	json_t *a = read_list(root, "constants", &m->n_constants);

	m->constants = read_alloc(m->n_constants, sizeof(*m->constants));
	for (unsigned i = 0; i < m->n_constants; i++) {
		json_t *o = json_array_get(a, i);
		struct constant *c = &m->constants[i];
		const char *kind;

		read_only_keys(o, READ_WORDS("name", "header", "since", "value", "text", "string", "size",
					  "unsigned", "kind"));
		read_at(c->name = read_needed(o, "name"));
		c->header = read_needed(o, "header");
		c->since = read_string(o, "since");
		check_place(m, c->header, c->since);
		c->value = read_number(o, "value", 0);
		c->text = read_string(o, "text");
		c->string = read_string(o, "string");
		c->size = read_number(o, "size", 4);
		c->is_unsigned = read_flag(o, "unsigned");
		kind = read_string(o, "kind");
		read_one_of("kind", kind, READ_WORDS("static const"));
		c->is_static = kind;
		if (!c->string && !json_object_get(o, "value"))
			read_fail("neither \"value\" nor \"string\"");
	}
}

static void load_members(struct type *t, const json_t *o)
{
	json_t *a = json_object_get(o, "members");

	t->n_members = json_array_size(a);
	if (!t->n_members)
		read_fail("an enum without \"members\"");
	t->members = read_alloc(t->n_members, sizeof(*t->members));
	for (unsigned i = 0; i < t->n_members; i++) {
		json_t *e = json_array_get(a, i), *more = json_array_get(e, 2);
		struct member *mem = &t->members[i];

		mem->name = json_string_value(json_array_get(e, 0));
		if (!mem->name || !json_is_integer(json_array_get(e, 1)))
			read_fail("member %u is not [\"name\", value]", i);
		mem->value = json_integer_value(json_array_get(e, 1));
		if (!more)
			continue;
		read_only_keys(more, READ_WORDS("since", "until"));
		mem->since = read_string(more, "since");
		mem->until = read_string(more, "until");
	}
}

static struct field *load_fields(const struct model *m, const json_t *o, unsigned *n)
{
	json_t *a = json_object_get(o, "fields");
	struct field *fields;

	*n = json_array_size(a);
	if (!*n)
		read_fail("a record without \"fields\"");
	fields = read_alloc(*n, sizeof(*fields));
	for (unsigned i = 0; i < *n; i++) {
		json_t *e = json_array_get(a, i), *dims;
		struct field *f = &fields[i];

		read_only_keys(e, READ_WORDS("name", "type", "offset", "since", "array", "fields", "tag"));
		f->name = read_string(e, "name");
		f->type = read_needed(e, "type");
		f->tag = read_string(e, "tag");
		f->since = read_string(e, "since");
		read_one_of("release", f->since, m->versions);
		f->offset = read_number(e, "offset", 0);
		dims = json_object_get(e, "array");
		f->n_dims = json_array_size(dims);
		if (f->n_dims > sizeof(f->dims) / sizeof(f->dims[0]))
			read_fail("field %s: too many dimensions", f->name);
		for (unsigned d = 0; d < f->n_dims; d++)
			f->dims[d] = json_integer_value(json_array_get(dims, d));
		if (json_object_get(e, "fields"))
			f->fields = load_fields(m, e, &f->n_fields);
	}
	return fields;
}

static void load_type(const struct model *m, struct type *t, const json_t *o)
{
	static const char *const kinds[] = {
		"alias", "handle", "opaque", "enum", "struct", "union", "callback", NULL};
	const char *kind = read_needed(o, "kind");

	read_one_of("kind", kind, kinds);
	while (strcmp(kinds[t->kind], kind))
		t->kind++;
	t->tag = json_object_get(o, "tag") ? read_string(o, "tag") : t->name;
	t->no_typedef = json_object_get(o, "typedef") && !read_flag(o, "typedef");
	t->handle = read_string(o, "handle");
	t->size = read_number(o, "size", 0);
	t->align = read_number(o, "align", 0);
	t->cxx = read_strings(o, "cxx");
	switch (t->kind) {
	case TYPE_ALIAS:
	case TYPE_HANDLE:
		t->type = read_needed(o, "type");
		break;
	case TYPE_CALLBACK:
		t->type = read_needed(o, "ret");
		t->params = read_strings(o, "params");
		break;
	case TYPE_ENUM:
		load_members(t, o);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		t->fields = load_fields(m, o, &t->n_fields);
		break;
	case TYPE_OPAQUE:
		break;
	}
}

static void load_types(struct model *m, json_t *root)
{
	json_t *a = read_list(root, "types", &m->n_types);

	m->types = read_alloc(m->n_types, sizeof(*m->types));
	m->handles = read_alloc(m->n_types + 1, sizeof(*m->handles));
	for (unsigned i = 0; i < m->n_types; i++) {
		json_t *o = json_array_get(a, i);
		struct type *t = &m->types[i];

		read_only_keys(
			o, READ_WORDS("kind", "name", "header", "since", "type", "handle", "tag", "typedef",
				   "size", "align", "members", "fields", "ret", "params", "cxx"));
		read_at(t->name = read_needed(o, "name"));
		t->header = read_needed(o, "header");
		t->since = read_needed(o, "since");
		check_place(m, t->header, t->since);
		load_type(m, t, o);
		if (t->handle && !read_among(t->handle, m->handles))
			m->handles[m->n_handles++] = t->handle;
	}
}

/* --- functions ---------------------------------------------------------- */

static void load_param(const struct model *m, const struct function *f, struct param *p, const json_t *o)
{
	read_only_keys(o, READ_WORDS("name", "type", "role", "decl", "dir", "handle", "life", "list",
				  ACCESS_KEYS, "limit", "count", "callback", "user_data", "null"));
	p->type = read_needed(o, "type");
	p->decl = read_string(o, "decl");
	p->dir = read_string(o, "dir");
	p->handle = read_string(o, "handle");
	p->life = read_string(o, "life");
	p->null = read_string(o, "null");
	read_one_of("dir", p->dir, READ_WORDS("in", "out", "inout"));
	read_one_of("handle", p->handle, m->handles);
	read_one_of("life", p->life, READ_WORDS("use", "create", "destroy", "get"));
	read_one_of("null", p->null, READ_WORDS("required", "allowed", "default", "only"));
	if (!p->handle != !p->life)
		read_fail("%s: \"handle\" and \"life\" come together", p->name);
	if (!p->dir)
		p->dir = "in";
	if (f->wrap)
		load_param_role(m, p, o);
	p->list = read_flag(o, "list");
	p->callback = read_flag(o, "callback");
	load_param_access(f, p, o);
	p->limit = param_operand(f, p, o, "limit");
	p->count = param_operand(f, p, o, "count");
	p->user_data = param_operand(f, p, o, "user_data");
	if (!p->decl)
		p->ref = model_ref(m, p->type);
	if (p->null && !p->ref.stars && p->ref.type && p->ref.type->kind != TYPE_HANDLE &&
		p->ref.type->kind != TYPE_CALLBACK)
		read_fail("%s: \"null\" of something that is no pointer", p->name);
}

const char *const model_class_words[] = {"memory", "copy", "stream", "event", "context", "device", "capture",
	"model", "notify", "label", "kernel", "callback", "sync", "init", "version", "ipc", "snapshot",
	"config", "misc", NULL};
static const char *const capture_words[] = {"unknown", "captured", "legal-not-captured", "illegal-any-mode",
	"illegal-global-or-thread-local", "illegal-on-captured-stream-only", "config-ineffective", NULL};

static void load_wrapped(struct model *m, struct function *f, const json_t *o)
{
	load_function_operation(m, f, o);
	f->classes = read_strings(o, "class");
	f->mode = read_needed(o, "mode");
	f->capture = read_needed(o, "capture");
	for (unsigned i = 0; f->classes[i]; i++)
		read_one_of("class", f->classes[i], model_class_words);
	read_one_of("mode", f->mode, READ_WORDS("immediate", "blocking", "async"));
	read_one_of("capture", f->capture, capture_words);
	f->context = read_string(o, "context");
	read_one_of("context", f->context, READ_WORDS("current", "own"));
	read_one_of("waits", read_string(o, "waits"), READ_WORDS("unlock"));
	f->waits_for_unlock = read_string(o, "waits");
	f->granule = (unsigned)read_number(o, "granule", 0);
	f->spare = (unsigned)read_number(o, "spare", 0);
	if (f->granule & (f->granule - 1))
		read_fail("\"granule\" is no power of two");
	if ((f->granule || f->spare) && strcmp(f->operation->group, "allocate"))
		read_fail("\"granule\" and \"spare\" are for what allocates");
	if (f->n_params > 16) /* ACL_MAX_PARAMS of include/aclcheck/model.h */
		read_fail("more than 16 parameters");
	check_accesses(f);
	load_differs(f, o);
	if (f->variadic)
		read_fail("a variadic function cannot be forwarded");
}

static void load_params(const struct model *m, struct function *f, const json_t *o)
{
	json_t *a = json_object_get(o, "params");

	f->n_params = json_array_size(a);
	f->params = read_alloc(f->n_params, sizeof(*f->params));
	for (unsigned i = 0; i < f->n_params; i++)
		f->params[i].name = read_needed(json_array_get(a, i), "name");
	for (unsigned i = 0; i < f->n_params; i++)
		load_param(m, f, &f->params[i], json_array_get(a, i));
}

static void load_function(struct model *m, struct function *f, const json_t *o)
{
	read_only_keys(
		o, READ_WORDS("name", "header", "since", "ret", "mode", "capture", "context", "ret_life",
			   "class", "wrap", "operation", "trait", "differs", "granule", "spare", "waits",
			   "deprecated", "unlisted", "variadic", "weak", "params", "older"));
	f->header = read_string(o, "header");
	f->since = read_needed(o, "since");
	f->ret = read_needed(o, "ret");
	f->ret_life = read_string(o, "ret_life");
	f->wrap = read_flag(o, "wrap");
	f->deprecated = read_flag(o, "deprecated");
	f->unlisted = read_flag(o, "unlisted");
	f->variadic = read_flag(o, "variadic");
	f->weak = read_flag(o, "weak");
	check_place(m, f->header, f->since);
	if (!f->header != f->unlisted)
		read_fail("a function has either a \"header\" or is \"unlisted\"");
	if (json_object_get(o, "older"))
		f->older = read_needed(json_array_get(json_object_get(o, "older"), 0), "until");
	read_one_of("release", f->older, m->versions);
	f->ret_ref = model_ref(m, f->ret);
	load_params(m, f, o);
	if (f->wrap)
		load_wrapped(m, f, o);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct function *const *)a)->name, (*(const struct function *const *)b)->name);
}

static void load_functions(struct model *m, json_t *root)
{
	json_t *a = read_list(root, "functions", &m->n_functions);

	m->functions = read_alloc(m->n_functions, sizeof(*m->functions));
	m->wrapped = read_alloc(m->n_functions, sizeof(*m->wrapped));
	for (unsigned i = 0; i < m->n_functions; i++) {
		struct function *f = &m->functions[i];

		read_at(f->name = read_needed(json_array_get(a, i), "name"));
		load_function(m, f, json_array_get(a, i));
		if (f->wrap)
			m->wrapped[m->n_wrapped++] = f;
	}
	qsort(m->wrapped, m->n_wrapped, sizeof(*m->wrapped), by_name);
	for (unsigned i = 1; i < m->n_wrapped; i++)
		if (!strcmp(m->wrapped[i]->name, m->wrapped[i - 1]->name))
			read_fail("%s stands there twice", m->wrapped[i]->name);
}

/* What a program may say of itself: named in findings as functions are, and nothing else. */
static void load_annotations(struct model *m, json_t *root)
{
	json_t *a = read_list(root, "annotations", &m->n_annotations);

	m->annotations = read_alloc(m->n_annotations, sizeof(*m->annotations));
	for (unsigned i = 0; i < m->n_annotations; i++) {
		struct function *f = &m->annotations[i];

		read_at(f->name = read_needed(json_array_get(a, i), "name"));
		read_only_keys(json_array_get(a, i), READ_WORDS("name", "params"));
		if (strncmp(f->name, ANNOTATION_PREFIX, strlen(ANNOTATION_PREFIX)) != 0)
			read_fail("the name does not begin with " ANNOTATION_PREFIX);
		load_params(m, f, json_array_get(a, i));
		for (unsigned k = 0; k < f->n_params; k++)
			f->params[k].role = "none";
	}
}

struct model *model_load(const char *path)
{
	struct model *m = read_alloc(1, sizeof(*m));
	json_error_t err;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &err);

	m->path = path;
	read_model(path);
	if (!root) {
		fprintf(stderr, "%s:%d: %s\n", path, err.line, err.text);
		exit(1);
	}
	m->versions = read_strings(root, "versions");
	load_headers(m, root);
	load_constants(m, root);
	load_types(m, root);
	load_operations(m, root);
	load_functions(m, root);
	load_annotations(m, root);
	check_operations(m);
	check_variants(m);
	return m;
}

/* --- questions ---------------------------------------------------------- */

const struct type *model_type(const struct model *m, const char *name)
{
	for (unsigned i = 0; i < m->n_types; i++)
		if (!strcmp(m->types[i].name, name))
			return &m->types[i];
	return NULL;
}

static char *trimmed(const char *from, size_t len)
{
	char *s = strndup(from, len);

	while (len && isspace((unsigned char)s[len - 1]))
		s[--len] = 0;
	return s;
}

struct typeref model_ref(const struct model *m, const char *spelling)
{
	static const char *const own[] = {"void", "bool", "char", "unsigned char", "int", "float", "double",
		"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
		"size_t", NULL};
	struct typeref r = {.value = spelling};
	const char *s = spelling, *base;

	if (!strncmp(s, "const ", 6)) {
		r.is_const = true;
		s += 6;
	}
	base = s;
	if (!strncmp(base, "struct ", 7))
		base += 7;
	if (!strncmp(base, "enum ", 5))
		base += 5;
	for (const char *c = base; *c; c++)
		r.stars += *c == '*';
	r.base = trimmed(base, strcspn(base, "*"));
	/* "const T *const *": the outer const says nothing to a caller. */
	if (strlen(r.base) > 6 && !strcmp(r.base + strlen(r.base) - 6, " const"))
		((char *)r.base)[strlen(r.base) - 6] = 0;
	r.type = model_type(m, r.base);
	if (!r.type && !read_among(r.base, own))
		read_fail("unknown type \"%s\"", spelling);
	if (!r.stars)
		r.value = s;
	else if (strlen(spelling) > 6 && !strcmp(spelling + strlen(spelling) - 6, "*const"))
		r.value = trimmed(spelling, strlen(spelling) - 5);
	return r;
}

const char *upper(const char *word)
{
	static char buf[4][64];
	static unsigned turn;
	char *s = buf[turn++ % 4];
	size_t i;

	for (i = 0; i < sizeof(buf[0]) - 1 && word[i]; i++)
		s[i] = isalnum((unsigned char)word[i]) ? toupper((unsigned char)word[i]) : '_';
	s[i] = 0;
	return s;
}
