/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of loaded objects by an own walk through their dynamic sections. */
#include <elf.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "interpose/runtime/elf_symbols.h"

#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/common/compiler.h"

#define VERSION_HIDDEN 0x8000u

NO_SANITIZE static bool same(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

NO_SANITIZE static uint32_t gnu_hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

/* A symbol that an unversioned reference of a new program would bind to. */
NO_SANITIZE static bool answers(const struct elf_object *o, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &o->symbols[i];

	if (s->st_shndx == SHN_UNDEF || !s->st_value)
		return false;
	if (o->versions && (o->versions[i] & VERSION_HIDDEN))
		return false;
	return same(o->strings + s->st_name, name);
}

NO_SANITIZE static uint32_t find_gnu(const struct elf_object *o, const char *name)
{
	const uint32_t *h = o->gnu_hash;
	uint32_t n_buckets = h[0], first = h[1], bloom_words = h[2];
	const uint32_t *buckets = h + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
	const uint32_t *chain = buckets + n_buckets;
	uint32_t hash = gnu_hash_of(name), i = n_buckets ? buckets[hash % n_buckets] : 0;

	if (i < first)
		return 0;
	for (;; i++) {
		uint32_t entry = chain[i - first];

		if ((entry | 1) == (hash | 1) && answers(o, i, name))
			return i;
		if (entry & 1)
			return 0;
	}
}

NO_SANITIZE static uint32_t find_linear(const struct elf_object *o, const char *name)
{
	for (uint32_t i = 1; i < o->sysv_hash[1]; i++) {
		if (answers(o, i, name))
			return i;
	}
	return 0;
}

NO_SANITIZE static uint32_t find_symbol(const struct elf_object *o, const char *name)
{
	return o->gnu_hash ? find_gnu(o, name) : o->sysv_hash ? find_linear(o, name) : 0;
}

NO_SANITIZE void *elf_find(const struct elf_object *o, const char *name)
{
	uint32_t i = find_symbol(o, name);
	const ElfW(Sym) *s = &o->symbols[i];

	if (!i)
		return NULL;
	if (ELF64_ST_TYPE(s->st_info) == STT_GNU_IFUNC)
		return ((void *(*)(void))(o->base + s->st_value))();
	return (void *)(o->base + s->st_value);
}

static bool is_copy(const struct elf_object *o, uint32_t symbol)
{
	uint64_t at = 0;

	for (const ElfW(Rela) * r; (r = elf_object_relocation(o, &at));)
		if (ELF64_R_SYM(r->r_info) == symbol && IS_COPY(ELF64_R_TYPE(r->r_info)))
			return true;
	return false;
}

bool elf_uses(const struct elf_object *o, const struct elf_object *other)
{
	uint64_t at = 0;
	uint32_t symbol;

	for (const char *import; (import = elf_object_import(o, &at));) {
		symbol = find_symbol(other, import);
		if (symbol && !is_copy(other, symbol))
			return true;
	}
	return false;
}

struct at_address {
	uint64_t address;
	struct elf_object *out;
	bool found;
};

NO_SANITIZE static int match_address(struct dl_phdr_info *info, size_t size, void *data)
{
	struct at_address *at = data;

	(void)size;
	if (!elf_object_holds(info, at->address))
		return 0;
	at->found = elf_object_of(info, at->out);
	return 1;
}

NO_SANITIZE bool elf_object_at(uint64_t address, struct elf_object *out)
{
	struct at_address at = {.address = address, .out = out};

	module_walk(match_address, &at);
	return at.found;
}

struct order {
	uint64_t address;
	int at;
};

static int match_order(struct dl_phdr_info *info, size_t size, void *data)
{
	struct order *o = data;

	(void)size;
	o->at++;
	return elf_object_holds(info, o->address);
}

int elf_order(uint64_t address)
{
	struct order o = {address, -1};

	return module_walk(match_order, &o) == 1 ? o.at : -1;
}

struct follows {
	uint64_t address, other;
	bool other_first;
};

static int match_either(struct dl_phdr_info *info, size_t size, void *data)
{
	struct follows *f = data;

	(void)size;
	f->other_first = elf_object_holds(info, f->other);
	return f->other_first || elf_object_holds(info, f->address);
}

bool elf_follows(uint64_t address, uint64_t other)
{
	struct follows f = {address, other, false};

	module_walk(match_either, &f);
	return f.other_first;
}

struct between {
	const char *name;
	int at, from, to;
};

static int match_between(struct dl_phdr_info *info, size_t size, void *data)
{
	struct between *b = data;
	struct elf_object object;

	(void)size;
	b->at++;
	return b->at > b->from && b->at < b->to && elf_object_of(info, &object) &&
	       find_symbol(&object, b->name);
}

bool elf_defined_between(const char *name, int from, int to)
{
	struct between b = {name, -1, from, to};

	return module_walk(match_between, &b) == 1;
}

struct first_definition {
	const char *name;
	uint64_t address;
	bool is_program; /* the first object */
	bool imported, ours;
};

static int match_first(struct dl_phdr_info *info, size_t size, void *data)
{
	struct first_definition *f = data;
	struct elf_object object;
	bool program = f->is_program;

	(void)size;
	f->is_program = false;
	if (!elf_object_of(info, &object))
		return 0;
	if (program)
		f->imported = elf_imports(&object, f->name);
	if (!find_symbol(&object, f->name))
		return 0;
	f->ours = elf_object_holds(info, f->address);
	return 1;
}

bool elf_program_binds(const char *name, uint64_t address)
{
	struct first_definition f = {.name = name, .address = address, .is_program = true};

	module_walk(match_first, &f);
	return f.imported && f.ours;
}

struct defines {
	const char *const *names;
	unsigned n, own, others;
	uint64_t address;
};

static int match_defines(struct dl_phdr_info *info, size_t size, void *data)
{
	struct defines *d = data;
	struct elf_object object;
	unsigned defined = 0;

	(void)size;
	if (!elf_object_of(info, &object) || elf_object_holds(info, (uintptr_t)match_defines))
		return 0;
	for (unsigned i = 0; i < d->n; i++)
		defined += find_symbol(&object, d->names[i]) != 0;
	if (elf_object_holds(info, d->address))
		d->own = defined;
	else if (defined > d->others)
		d->others = defined;
	return 0;
}

unsigned elf_defines(const char *const names[], unsigned n, uint64_t address, unsigned *others)
{
	struct defines d = {.names = names, .n = n, .address = address};

	module_walk(match_defines, &d);
	*others = d.others;
	return d.own;
}

struct behind {
	const char *name;
	bool passed; /* this library */
	void *found;
};

static int match_behind(struct dl_phdr_info *info, size_t size, void *data)
{
	struct behind *b = data;
	struct elf_object object;

	(void)size;
	if (!b->passed)
		b->passed = elf_object_holds(info, (uintptr_t)elf_behind);
	else if (elf_object_of(info, &object))
		b->found = elf_find(&object, b->name);
	return b->found != NULL;
}

void *elf_behind(const char *name)
{
	struct behind b = {.name = name};

	module_walk(match_behind, &b);
	return b.found;
}

struct objects_behind {
	struct elf_object *objects;
	unsigned n, max;
	bool passed; /* this library */
};

static int collect_behind(struct dl_phdr_info *info, size_t size, void *data)
{
	struct objects_behind *b = data;

	(void)size;
	if (!b->passed)
		b->passed = elf_object_holds(info, (uintptr_t)elf_behind);
	else if (elf_object_of(info, &b->objects[b->n]))
		b->n++;
	return b->n == b->max;
}

unsigned elf_objects_behind(struct elf_object *objects, unsigned max)
{
	struct objects_behind b = {.objects = objects, .max = max};

	module_walk(collect_behind, &b);
	return b.n;
}

struct elsewhere {
	struct elf_function *functions;
	unsigned n, found;
};

static int match_elsewhere(struct dl_phdr_info *info, size_t size, void *data)
{
	struct elsewhere *e = data;
	struct elf_object object;

	(void)size;
	if (!elf_object_of(info, &object))
		return 0;
	for (unsigned k = 0; k < e->n; k++) {
		struct elf_function *f = &e->functions[k];
		uint32_t i = f->start ? 0 : find_symbol(&object, f->name);

		if (!i || module_is_self(object.base + object.symbols[i].st_value))
			continue;
		f->start = object.base + object.symbols[i].st_value;
		f->end = f->start + object.symbols[i].st_size;
		e->found++;
	}
	return e->found == e->n;
}

void elf_functions_elsewhere(struct elf_function *functions, unsigned n)
{
	module_walk(match_elsewhere, &(struct elsewhere){functions, n, 0});
}

bool elf_elsewhere(const char *name, uint64_t *start, uint64_t *end)
{
	struct elf_function f = {.name = name};

	elf_functions_elsewhere(&f, 1);
	*start = f.start;
	*end = f.end;
	return f.start != 0;
}

struct in_libc {
	const char *name;
	void *found;
};

NO_SANITIZE static bool starts(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

/* That of a program we do nothing in counts, too: our hooks lead there. */
NO_SANITIZE static bool is_libc(const char *path)
{
	const char *base = path;

	if (!path)
		return false;
	for (const char *p = path; *p; p++) {
		if (*p == '/')
			base = p + 1;
	}
	return same(base, "libc.so.6") || same(base, "libdl.so.2") || same(base, "libpthread.so.0") ||
	       starts(base, "ld-musl-") || starts(base, "libc.musl-");
}

static int match_libc(struct dl_phdr_info *info, size_t size, void *data)
{
	struct in_libc *in = data;
	struct elf_object object;

	(void)size;
	if (is_libc(info->dlpi_name) && elf_object_of(info, &object))
		in->found = elf_find(&object, in->name);
	return in->found != NULL;
}

/*
 * Not by dl_iterate_phdr in the first place: a sanitizer's runtime replaces it
 * and asks our dlsym for the real one.  The C library stands before everything
 * that is loaded later, so this part of the list does not change.
 */
NO_SANITIZE void *elf_libc(const char *name)
{
	struct in_libc in = {.name = name};

	for (const struct link_map *l = module_list(); l && !in.found; l = l->l_next) {
		struct elf_object object;

		if (is_libc(l->l_name) && elf_object_read(l->l_ld, l->l_addr, &object))
			in.found = elf_find(&object, name);
	}
	if (!in.found)
		dl_iterate_phdr(match_libc, &in);
	return in.found;
}
