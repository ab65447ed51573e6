/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolises addresses once each; files are mapped once per module. */
#include "interpose/symbol.h"

#include <stdatomic.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/cost.h"
#include "interpose/hidden.h"
#include "interpose/lines.h"
#include "interpose/module.h"
#include "interpose/stack.h"

#define CACHE_SLOTS 4096 /* power of two; full = symbolised again each time */
#define FILES_MAX 256

struct file {
	uint32_t id; /* of the module, 0 = free */
	bool mapped, dwarf_tried;
	struct elf_image image;
	struct Dwarf *dwarf;
};

struct slot {
	uint64_t address;
	struct symbol symbol;
};

static struct {
	struct slot *slots;
	struct slot spare;
	struct file files[FILES_MAX];
	char *(*demangle)(const char *, char *, size_t *, int *);
	bool lines;
} cache;

void symbol_prepare(bool with_lines)
{
	static _Atomic bool prepared;
	void *cxx;

	if (atomic_exchange(&prepared, true))
		return;
	cxx = hidden_present("libstdc++.so.6");
	if (cxx)
		cache.demangle = hidden_symbol(cxx, "__cxa_demangle");
	cache.lines = with_lines;
	if (with_lines)
		lines_prepare();
}

static struct file *file_of(const struct acl_module *module)
{
	unsigned i;

	for (i = 0; i < FILES_MAX && cache.files[i].id; i++)
		if (cache.files[i].id == module->id)
			return &cache.files[i];
	if (i == FILES_MAX)
		return NULL;
	cache.files[i].id = module->id;
	cache.files[i].mapped = module->path && elf_image_map(&cache.files[i].image, module->path);
	return &cache.files[i];
}

/* libdw and the demangler allocate; the code a signal handler interrupted may hold malloc's lock. */
static bool may_allocate(void)
{
	return !stack_in_handler();
}

/* C++ names are taken apart by the program's own C++ library; without one there are none. */
static void find_readable(struct symbol *s)
{
	int status = 0;

	s->readable = s->function;
	if (!s->function || strncmp(s->function, "_Z", 2) || !cache.demangle || !may_allocate())
		return;
	/* Kept for good, like everything in the cache. */
	s->readable = cache.demangle(s->function, NULL, NULL, &status);
	if (!s->readable)
		s->readable = s->function;
}

static void find_line(struct file *f, const struct acl_module *module, struct symbol *s)
{
	if (!cache.lines || !may_allocate())
		return;
	if (!f->dwarf_tried) {
		f->dwarf_tried = true;
		f->dwarf = lines_open(&f->image, module);
	}
	lines_find(f->dwarf, s->file_address, &s->file, &s->line);
}

static void resolve(uint64_t address, struct symbol *s)
{
	/* A return address may already lie in the next function or line. */
	const struct acl_module *module = module_of(address - 1);
	uint64_t start = 0;
	struct file *f;

	memset(s, 0, sizeof(*s));
	if (!module)
		return;
	s->module = module->path;
	s->file_address = address - 1 - module->base;
	f = file_of(module);
	if (!f || !f->mapped)
		return;
	s->function = elf_function(&f->image, s->file_address, &start, &s->stripped);
	s->offset = s->function ? s->file_address - start : 0;
	find_readable(s);
	find_line(f, module, s);
}

static struct slot *slot_of(uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	if (!cache.slots) {
		void *p = mmap(NULL, CACHE_SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return NULL;
		cost_memory(p, CACHE_SLOTS * sizeof(struct slot));
		cache.slots = p;
	}
	for (unsigned i = 0; i < 16; i++) {
		struct slot *s = &cache.slots[(h + i) & (CACHE_SLOTS - 1)];

		if (!s->address || s->address == address)
			return s;
	}
	return NULL;
}

const struct symbol *symbol_of(uint64_t address)
{
	struct slot *s = slot_of(address);
	int saved = errno;

	if (!s)
		s = &cache.spare;
	if (s->address != address) {
		s->address = address;
		resolve(address, &s->symbol);
	}
	errno = saved;
	return &s->symbol;
}

void symbol_forked(void)
{
	memset(cache.files, 0, sizeof(cache.files));
	cache.slots = NULL;
	cache.spare.address = 0;
}

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool named(const char *module, const char *const names[], unsigned n)
{
	const char *base = strrchr(module, '/');

	base = base ? base + 1 : module;
	for (unsigned i = 0; i < n; i++)
		if (begins(base, names[i]))
			return true;
	return false;
}

bool symbol_is_cann(const char *module)
{
	static const char *const names[] = {"libascendcl", "libacl_", "libruntime", "libopapi", "libnnopbase",
		"libge_", "libgraph", "libhccl", "libhcomm", "libascend", "libtsdclient", "libprofapi",
		"libmsprof", "liberror_manager", "libop_", "libexe_graph"};

	return named(module, names, sizeof(names) / sizeof(*names));
}

bool symbol_is_outside(const struct symbol *s)
{
	/* The tool, and the C runtime that starts programs and threads. */
	static const char *const names[] = {
		"libaclcheck", "ld-linux", "ld.so", "libc.so", "libc-2.", "libpthread"};

	if (!s->module || named(s->module, names, sizeof(names) / sizeof(*names)) ||
		symbol_is_cann(s->module))
		return true;
	return s->function && (!strcmp(s->function, "_start") || begins(s->function, "__libc_start"));
}
