/* SPDX-License-Identifier: Apache-2.0 */
/* Symbolises addresses once each; files are mapped once per module. */
#include "interpose/symbolize/code_symbol.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "interpose/common/fault_rules.h"
#include "interpose/runtime/library_name.h"
#include "interpose/common/tool_memory.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/demangle.h"
#include "interpose/symbolize/python_place.h"
#include "interpose/symbolize/source_lines.h"

#define CACHE_SLOTS 4096 /* power of two; full = symbolised again each time */
#define FILES_MAX 256

struct file {
	uint32_t id; /* of the module, 0 = free */
	bool mapped, lines_tried;
	struct elf_image image;
	struct line_source *lines;
};

struct slot {
	uint64_t address;
	struct symbol symbol;
};

static struct {
	struct slot *slots;
	struct slot spare;
	struct file files[FILES_MAX];
	bool lines;
} cache;

void symbol_prepare(bool with_lines)
{
	cache.lines = with_lines;
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
	/* Another file may stand there by now: its names would be wrong. */
	cache.files[i].mapped =
		module->path && elf_image_map(&cache.files[i].image, module->path) &&
		elf_has_build_id(&cache.files[i].image, module->build_id, module->build_id_len);
	return &cache.files[i];
}

static void find_line(struct file *f, const struct acl_module *module, struct symbol *s)
{
	if (!cache.lines)
		return;
	if (!f->lines_tried) {
		f->lines_tried = true;
		f->lines = lines_open(&f->image, module);
	}
	lines_find(f->lines, s->file_address, &s->file, &s->line);
}

static void resolve_python(uint64_t word, struct symbol *s)
{
	const struct python_place *p = python_place_of(word);

	*s = (struct symbol){.function = p->function,
		.readable = p->function,
		.file = p->file,
		.line = p->line,
		.python = true,
		.library = p->library};
}

static void resolve(uint64_t address, struct symbol *s)
{
	/* A return address may already lie in the next function or line. */
	const struct acl_module *module = module_of_marked(address - 1);
	uint64_t start = 0;
	struct file *f;

	memset(s, 0, sizeof(*s));
	if (!module)
		return;
	s->code = module;
	s->module = module->path;
	s->file_address = module_address(address) - 1 - module->base;
	f = file_of(module);
	if (!f || !f->mapped)
		return;
	s->function = elf_function(&f->image, s->file_address, &start, &s->stripped);
	s->offset = s->function ? s->file_address - start : 0;
	s->readable = s->function ? demangle(s->function) : NULL;
	find_line(f, module, s);
}

static struct slot *symbol_slot(uint64_t address)
{
	uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15) >> 40;

	if (!cache.slots) {
		void *p = tool_memory_map(CACHE_SLOTS * sizeof(struct slot), 0);

		if (!p)
			return NULL;
		tool_memory_add(p, CACHE_SLOTS * sizeof(struct slot));
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
	struct slot *s = symbol_slot(address);
	int saved = errno;

	if (!s)
		s = &cache.spare;
	if (s->address != address) {
		s->address = address;
		if (is_python_frame(address))
			resolve_python(address, &s->symbol);
		else
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

bool symbol_is_outside(const struct symbol *s)
{
	/* The tool, and the C runtime that starts programs and threads. */
	static const char *const names[] = {
		"libaclcheck", "ld-linux", "ld.so", "libc.so", "libc-2.", "libpthread"};

	if (s->python)
		return s->library;
	if (!s->module || library_is_named(s->module, names, sizeof(names) / sizeof(*names)) ||
		is_cann_library(s->module))
		return true;
	return s->function && (!strcmp(s->function, "_start") ||
				      !strncmp(s->function, "__libc_start", strlen("__libc_start")));
}

/* The last parts of a path: "src/copy.cpp" of "/home/me/app/src/copy.cpp". */
static bool ends_path(const char *path, const char *tail, size_t n)
{
	size_t m = strlen(path);

	return n && m >= n && !strncmp(path + m - n, tail, n) && (m == n || path[m - n - 1] == '/');
}

/* Without its parameters. */
static bool function_is(const char *function, const char *where)
{
	char name[256];
	size_t n = strcspn(function, "(");

	if (n >= sizeof(name))
		return false;
	memcpy(name, function, n);
	name[n] = '\0';
	return fault_word_matches(where, name);
}

/* "libapp.so+0x1234" */
static bool is_at_offset(const struct symbol *s, const char *where)
{
	const char *plus = strrchr(where, '+');
	uint64_t offset = 0;

	if (!plus || strncmp(plus, "+0x", 3) != 0 || !s->module ||
		!ends_path(s->module, where, (size_t)(plus - where)))
		return false;
	for (plus += 3; *plus; plus++) {
		const char *digit = strchr("0123456789abcdef", *plus);

		if (!digit)
			return false;
		offset = offset << 4 | (uint64_t)(digit - "0123456789abcdef");
	}
	return offset == s->file_address;
}

bool symbol_place_is(const struct symbol *s, const char *where)
{
	size_t n = strcspn(where, "#");
	int line = 0;

	if (is_at_offset(s, where))
		return true;
	if ((s->function && fault_word_matches(where, s->function)) ||
		(s->readable && function_is(s->readable, where)))
		return true;
	for (const char *digit = where + n + (where[n] == '#'); *digit >= '0' && *digit <= '9'; digit++)
		line = line > 100000000 ? line : line * 10 + (*digit - '0');
	return s->file && ends_path(s->file, where, n) && (!where[n] || line == s->line);
}

bool symbol_is_interpreter(const struct symbol *s)
{
	/* A program that holds the interpreter in its own file: by names. */
	static const char *const names[] = {"_PyEval_", "PyEval_", "_PyObject_", "PyObject_", "_PyFunction_",
		"_PyVectorcall_", "PyVectorcall_", "PyImport_", "PyRun_", "_PyRun_", "Py_RunMain",
		"Py_BytesMain", "Py_FrozenMain"};

	for (unsigned i = 0; s->function && !s->python && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(s->function, names[i], strlen(names[i])))
			return true;
	return s->module && is_python_library(s->module);
}
