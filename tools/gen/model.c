/* SPDX-License-Identifier: Apache-2.0 */
/* Loads and checks the API model. */
#include <ctype.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

/* "section name" of the entry being read, for messages. */
static const char *model_path = "model", *at_section = "", *at_name = "";

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s: %s %s: ", model_path, at_section, at_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void *zalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size);

	if (!p)
		fail("out of memory");
	return p;
}

/* --- access to JSON: absent is the default, a wrong type ends the run --- */

static const char *str(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v))
		return NULL;
	if (!json_is_string(v))
		fail("\"%s\" is no string", key);
	return json_string_value(v);
}

static const char *need(const json_t *o, const char *key)
{
	const char *s = str(o, key);

	if (!s)
		fail("\"%s\" is missing", key);
	return s;
}

static bool flag(const json_t *o, const char *key)
{
	json_t *v = json_object_get(o, key);

	if (v && !json_is_boolean(v))
		fail("\"%s\" is neither true nor false", key);
	return json_is_true(v);
}

static long long num(const json_t *o, const char *key, long long otherwise)
{
	json_t *v = json_object_get(o, key);

	if (!v)
		return otherwise;
	if (!json_is_integer(v))
		fail("\"%s\" is no integer", key);
	return json_integer_value(v);
}

static const char **strings(const json_t *o, const char *key)
{
	json_t *a = json_object_get(o, key);
	const char **list = zalloc(json_array_size(a) + 1, sizeof(*list));

	if (a && !json_is_array(a))
		fail("\"%s\" is no list", key);
	for (size_t i = 0; i < json_array_size(a); i++) {
		list[i] = json_string_value(json_array_get(a, i));
		if (!list[i])
			fail("\"%s\" holds something that is no string", key);
	}
	return list;
}

static bool among(const char *word, const char *const *words)
{
	for (; word && *words; words++)
		if (!strcmp(word, *words))
			return true;
	return false;
}

/* A misspelt key would be silently lost otherwise. */
static void only_keys(const json_t *o, const char *const *keys)
{
	const char *key;
	json_t *v;

	if (!json_is_object(o))
		fail("no object");
	json_object_foreach((json_t *)o, key, v)
	{
		if (!among(key, keys))
			fail("unknown key \"%s\"", key);
	}
}

static void one_of(const char *what, const char *word, const char *const *words)
{
	if (word && !among(word, words))
		fail("unknown %s \"%s\"", what, word);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* --- sections ----------------------------------------------------------- */

static json_t *section(json_t *root, const char *name, unsigned *n)
{
	json_t *a = json_object_get(root, name);

	at_section = name;
	at_name = "";
	if (!json_is_array(a))
		fail("no such list");
	*n = json_array_size(a);
	return a;
}

static void load_headers(struct model *m, json_t *root)
{
	json_t *a = section(root, "headers", &m->n_headers);

	m->headers = zalloc(m->n_headers, sizeof(*m->headers));
	for (unsigned i = 0; i < m->n_headers; i++) {
		json_t *o = json_array_get(a, i);
		struct header *h = &m->headers[i];

		only_keys(o, WORDS("name", "includes", "system", "macros"));
		at_name = h->name = need(o, "name");
		h->includes = strings(o, "includes");
		h->system = strings(o, "system");
		h->macros = strings(o, "macros");
	}
}

static void check_place(const struct model *m, const char *header, const char *since)
{
	one_of("release", since, m->versions);
	if (!header)
		return;
	for (unsigned i = 0; i < m->n_headers; i++)
		if (!strcmp(m->headers[i].name, header))
			return;
	fail("header \"%s\" is not in \"headers\"", header);
}

static void load_constants(struct model *m, json_t *root)
{
	json_t *a = section(root, "constants", &m->n_constants);

	m->constants = zalloc(m->n_constants, sizeof(*m->constants));
	for (unsigned i = 0; i < m->n_constants; i++) {
		json_t *o = json_array_get(a, i);
		struct constant *c = &m->constants[i];
		const char *kind;

		only_keys(o, WORDS("name", "header", "since", "value", "text", "string", "size", "unsigned",
				     "kind"));
		at_name = c->name = need(o, "name");
		c->header = need(o, "header");
		c->since = str(o, "since");
		check_place(m, c->header, c->since);
		c->value = num(o, "value", 0);
		c->text = str(o, "text");
		c->string = str(o, "string");
		c->size = num(o, "size", 4);
		c->is_unsigned = flag(o, "unsigned");
		kind = str(o, "kind");
		one_of("kind", kind, WORDS("static const"));
		c->is_static = kind;
		if (!c->string && !json_object_get(o, "value"))
			fail("neither \"value\" nor \"string\"");
	}
}

static void load_members(struct type *t, const json_t *o)
{
	json_t *a = json_object_get(o, "members");

	t->n_members = json_array_size(a);
	if (!t->n_members)
		fail("an enum without \"members\"");
	t->members = zalloc(t->n_members, sizeof(*t->members));
	for (unsigned i = 0; i < t->n_members; i++) {
		json_t *e = json_array_get(a, i), *more = json_array_get(e, 2);
		struct member *mem = &t->members[i];

		mem->name = json_string_value(json_array_get(e, 0));
		if (!mem->name || !json_is_integer(json_array_get(e, 1)))
			fail("member %u is not [\"name\", value]", i);
		mem->value = json_integer_value(json_array_get(e, 1));
		if (!more)
			continue;
		only_keys(more, WORDS("since", "until"));
		mem->since = str(more, "since");
		mem->until = str(more, "until");
	}
}

static struct field *load_fields(const json_t *o, unsigned *n)
{
	json_t *a = json_object_get(o, "fields");
	struct field *fields;

	*n = json_array_size(a);
	if (!*n)
		fail("a record without \"fields\"");
	fields = zalloc(*n, sizeof(*fields));
	for (unsigned i = 0; i < *n; i++) {
		json_t *e = json_array_get(a, i), *dims;
		struct field *f = &fields[i];

		only_keys(e, WORDS("name", "type", "offset", "array", "fields", "tag"));
		f->name = str(e, "name");
		f->type = need(e, "type");
		f->tag = str(e, "tag");
		f->offset = num(e, "offset", 0);
		dims = json_object_get(e, "array");
		f->n_dims = json_array_size(dims);
		if (f->n_dims > sizeof(f->dims) / sizeof(f->dims[0]))
			fail("field %s: too many dimensions", f->name);
		for (unsigned d = 0; d < f->n_dims; d++)
			f->dims[d] = json_integer_value(json_array_get(dims, d));
		if (json_object_get(e, "fields"))
			f->fields = load_fields(e, &f->n_fields);
	}
	return fields;
}

static void load_type(struct type *t, const json_t *o)
{
	static const char *const kinds[] = {
		"alias", "handle", "opaque", "enum", "struct", "union", "callback", NULL};
	const char *kind = need(o, "kind");

	one_of("kind", kind, kinds);
	while (strcmp(kinds[t->kind], kind))
		t->kind++;
	t->tag = json_object_get(o, "tag") ? str(o, "tag") : t->name;
	t->no_typedef = json_object_get(o, "typedef") && !flag(o, "typedef");
	t->handle = str(o, "handle");
	t->size = num(o, "size", 0);
	t->align = num(o, "align", 0);
	t->cxx = strings(o, "cxx");
	switch (t->kind) {
	case TYPE_ALIAS:
	case TYPE_HANDLE:
		t->type = need(o, "type");
		break;
	case TYPE_CALLBACK:
		t->type = need(o, "ret");
		t->params = strings(o, "params");
		break;
	case TYPE_ENUM:
		load_members(t, o);
		break;
	case TYPE_STRUCT:
	case TYPE_UNION:
		t->fields = load_fields(o, &t->n_fields);
		break;
	case TYPE_OPAQUE:
		break;
	}
}

static void load_types(struct model *m, json_t *root)
{
	json_t *a = section(root, "types", &m->n_types);

	m->types = zalloc(m->n_types, sizeof(*m->types));
	m->handles = zalloc(m->n_types + 1, sizeof(*m->handles));
	for (unsigned i = 0; i < m->n_types; i++) {
		json_t *o = json_array_get(a, i);
		struct type *t = &m->types[i];

		only_keys(o, WORDS("kind", "name", "header", "since", "type", "handle", "tag", "typedef",
				     "size", "align", "members", "fields", "ret", "params", "cxx"));
		at_name = t->name = need(o, "name");
		t->header = need(o, "header");
		t->since = need(o, "since");
		check_place(m, t->header, t->since);
		load_type(t, o);
		if (t->handle && !among(t->handle, m->handles))
			m->handles[m->n_handles++] = t->handle;
	}
}

/* --- functions ---------------------------------------------------------- */

static int param_index(const struct function *f, const json_t *o, const char *key)
{
	const char *name = str(o, key);

	if (!name)
		return -1;
	for (unsigned i = 0; i < f->n_params; i++)
		if (!strcmp(f->params[i].name, name))
			return i;
	fail("\"%s\": no parameter \"%s\"", key, name);
}

static void load_param(const struct model *m, const struct function *f, struct param *p, const json_t *o)
{
	only_keys(o, WORDS("name", "type", "decl", "dir", "handle", "life", "list", "access", "bytes",
			     "limit", "count", "callback", "user_data", "null"));
	p->type = need(o, "type");
	p->decl = str(o, "decl");
	p->dir = str(o, "dir");
	p->handle = str(o, "handle");
	p->life = str(o, "life");
	p->access = str(o, "access");
	p->null = str(o, "null");
	one_of("dir", p->dir, WORDS("in", "out", "inout"));
	one_of("handle", p->handle, m->handles);
	one_of("life", p->life, WORDS("use", "create", "destroy", "get"));
	one_of("access", p->access, WORDS("read", "write"));
	one_of("null", p->null, WORDS("required", "allowed", "default", "only"));
	if (!p->handle != !p->life)
		fail("%s: \"handle\" and \"life\" come together", p->name);
	if (!p->dir)
		p->dir = "in";
	p->list = flag(o, "list");
	p->callback = flag(o, "callback");
	p->bytes = param_index(f, o, "bytes");
	p->limit = param_index(f, o, "limit");
	p->count = param_index(f, o, "count");
	p->user_data = param_index(f, o, "user_data");
	if (!p->decl)
		p->ref = model_ref(m, p->type);
	if (p->null && !p->ref.stars && p->ref.type && p->ref.type->kind != TYPE_HANDLE &&
		p->ref.type->kind != TYPE_CALLBACK)
		fail("%s: \"null\" of something that is no pointer", p->name);
}

const char *const model_class_words[] = {"memory", "copy", "stream", "event", "context", "device", "capture",
	"model", "notify", "label", "kernel", "callback", "sync", "init", "version", "ipc", "snapshot",
	"config", "misc", NULL};
static const char *const capture_words[] = {"unknown", "captured", "legal-not-captured", "illegal-any-mode",
	"illegal-global-or-thread-local", "illegal-on-captured-stream-only", "config-ineffective", NULL};

static void load_wrapped(struct function *f, const json_t *o)
{
	f->classes = strings(o, "class");
	f->mode = need(o, "mode");
	f->capture = need(o, "capture");
	for (unsigned i = 0; f->classes[i]; i++)
		one_of("class", f->classes[i], model_class_words);
	one_of("mode", f->mode, WORDS("immediate", "blocking", "async"));
	one_of("capture", f->capture, capture_words);
	if (f->n_params > 16) /* ACL_EVENT_PARAMS of checks/event.h */
		fail("more than 16 parameters");
	if (f->variadic)
		fail("a variadic function cannot be forwarded");
}

static void load_function(const struct model *m, struct function *f, const json_t *o)
{
	json_t *a = json_object_get(o, "params");

	only_keys(o, WORDS("name", "header", "since", "ret", "mode", "capture", "ret_life", "class", "wrap",
			     "deprecated", "unlisted", "variadic", "weak", "params", "older"));
	f->header = str(o, "header");
	f->since = need(o, "since");
	f->ret = need(o, "ret");
	f->ret_life = str(o, "ret_life");
	f->wrap = flag(o, "wrap");
	f->deprecated = flag(o, "deprecated");
	f->unlisted = flag(o, "unlisted");
	f->variadic = flag(o, "variadic");
	f->weak = flag(o, "weak");
	check_place(m, f->header, f->since);
	if (!f->header != f->unlisted)
		fail("a function has either a \"header\" or is \"unlisted\"");
	if (json_object_get(o, "older"))
		f->older = need(json_array_get(json_object_get(o, "older"), 0), "until");
	one_of("release", f->older, m->versions);
	f->ret_ref = model_ref(m, f->ret);
	f->n_params = json_array_size(a);
	f->params = zalloc(f->n_params, sizeof(*f->params));
	for (unsigned i = 0; i < f->n_params; i++)
		f->params[i].name = need(json_array_get(a, i), "name");
	for (unsigned i = 0; i < f->n_params; i++)
		load_param(m, f, &f->params[i], json_array_get(a, i));
	if (f->wrap)
		load_wrapped(f, o);
}

static int by_name(const void *a, const void *b)
{
	return strcmp((*(const struct function *const *)a)->name, (*(const struct function *const *)b)->name);
}

static void load_functions(struct model *m, json_t *root)
{
	json_t *a = section(root, "functions", &m->n_functions);

	m->functions = zalloc(m->n_functions, sizeof(*m->functions));
	m->wrapped = zalloc(m->n_functions, sizeof(*m->wrapped));
	for (unsigned i = 0; i < m->n_functions; i++) {
		struct function *f = &m->functions[i];

		at_name = f->name = need(json_array_get(a, i), "name");
		load_function(m, f, json_array_get(a, i));
		if (f->wrap)
			m->wrapped[m->n_wrapped++] = f;
	}
	qsort(m->wrapped, m->n_wrapped, sizeof(*m->wrapped), by_name);
	for (unsigned i = 1; i < m->n_wrapped; i++)
		if (!strcmp(m->wrapped[i]->name, m->wrapped[i - 1]->name))
			fail("%s stands there twice", m->wrapped[i]->name);
}

struct model *model_load(const char *path)
{
	struct model *m = zalloc(1, sizeof(*m));
	json_error_t err;
	json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &err);

	m->path = model_path = path;
	if (!root) {
		fprintf(stderr, "%s:%d: %s\n", path, err.line, err.text);
		exit(1);
	}
	m->versions = strings(root, "versions");
	load_headers(m, root);
	load_constants(m, root);
	load_types(m, root);
	load_functions(m, root);
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
	if (!r.type && !among(r.base, own))
		fail("unknown type \"%s\"", spelling);
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
