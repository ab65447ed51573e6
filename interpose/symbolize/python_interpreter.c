/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPython it is follows from the symbols that it exports: the library may have any name, and
 * nothing of it is called.
 */
#include "interpose/symbolize/python_interpreter.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "interpose/common/kernel_copy.h"
#include "interpose/common/site_conditions.h"
#include "interpose/common/tool_arena.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/library_name.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/python_status.h"

#define MODULES_SORTED 4096 /* modules with greater ids are looked at each time */

typedef void *(*thread_value_fn)(unsigned key);

static const struct python_layout layouts[] = {
#define PYTHON_LAYOUT(...) {__VA_ARGS__},
#include "interpose/symbolize/python_layout.def"
#undef PYTHON_LAYOUT
};

static _Atomic(const struct python_interpreter *) found;
static _Atomic uint32_t looked_at; /* the newest module at that time */
static _Atomic(thread_value_fn) thread_value;

/* --- the version --------------------------------------------------------------------- */

/* 3.11 and later say it; before, a function that is new in a version. */
static unsigned minor_of(const struct elf_object *o)
{
	const void *at = elf_find(o, "Py_Version");
	unsigned long version;

	if (at)
		return kernel_copy(&version, at, sizeof(version)) && version >> 24 == 3 ? version >> 16 & 255
											: 0;
	if (elf_find(o, "PyModule_AddObjectRef"))
		return 10;
	if (elf_find(o, "PyFrame_GetCode"))
		return 9;
	if (elf_find(o, "PyCode_NewWithPosOnlyArgs"))
		return 8;
	return elf_find(o, "PyThread_tss_create") ? 7 : 6;
}

/* What 3.13 says of itself to debuggers, at the beginning of _PyRuntime: numbers of eight bytes. */
enum {
	SELF_COOKIE,
	SELF_VERSION,
	SELF_FREE_THREADED,
	SELF_THREAD_FRAME = 23,
	SELF_THREAD_ID,
	SELF_FRAME_PREVIOUS = 29,
	SELF_FRAME_CODE,
	SELF_FRAME_POSITION,
	SELF_FRAME_OWNER = 33,
	SELF_CODE_FILE = 35,
	SELF_CODE_NAME = 37,
	SELF_CODE_LINES,
	SELF_CODE_FIRST_LINE,
	SELF_CODE_INSTRUCTIONS = 43,
	SELF_NUMBERS
};

#define OBJECT_MOST 1024 /* of a thread's state, and of a code object up to its instructions */
#define FRAME_MOST (PYTHON_FRAME_BYTES - 8)
#define CODE_MOST (PYTHON_CODE_BYTES - 8)

/* Takes what it says over what the table has, unless that is not to be read; false: objects of this build
 * look otherwise. */
static bool layout_by_itself(const struct elf_object *o, struct python_layout *l)
{
	const struct {
		int *to;
		unsigned number, most;
	} taken[] = {{&l->thread_frame, SELF_THREAD_FRAME, OBJECT_MOST},
		{&l->thread_id, SELF_THREAD_ID, OBJECT_MOST},
		{&l->frame_previous, SELF_FRAME_PREVIOUS, FRAME_MOST},
		{&l->frame_code, SELF_FRAME_CODE, FRAME_MOST},
		{&l->frame_position, SELF_FRAME_POSITION, FRAME_MOST},
		{&l->frame_owner, SELF_FRAME_OWNER, FRAME_MOST}, {&l->code_file, SELF_CODE_FILE, CODE_MOST},
		{&l->code_name, SELF_CODE_NAME, CODE_MOST}, {&l->code_lines, SELF_CODE_LINES, CODE_MOST},
		{&l->code_first_line, SELF_CODE_FIRST_LINE, CODE_MOST},
		{&l->code_instructions, SELF_CODE_INSTRUCTIONS, OBJECT_MOST}};
	uint64_t self[SELF_NUMBERS];
	const void *at = elf_find(o, "_PyRuntime");

	if (!at || !kernel_copy(self, at, sizeof(self)) || memcmp(self, "xdebugpy", 8) != 0)
		return true;
	if (self[SELF_FREE_THREADED])
		return false;
	for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (self[taken[i].number] > taken[i].most)
			return true;
	for (unsigned i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		*taken[i].to = (int)self[taken[i].number];
	return true;
}

static const char *layout_find(const struct elf_object *o, unsigned minor, struct python_layout *out)
{
	for (unsigned i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].minor == (int)minor)
			*out = layouts[i];
	if (!out->minor)
		return "this version is not known";
	if (minor >= 13 && !layout_by_itself(o, out)) {
		out->minor = 0;
		return "free-threaded builds are not read";
	}
	return NULL;
}

/* --- finding it ------------------------------------------------------------------------ */

static const struct python_interpreter *interpreter_at(uint64_t start, uint64_t end)
{
	static const char *const names[] = {"libpython", "python"};
	const struct acl_module *m = module_of(start);
	struct python_interpreter *p;
	struct elf_object o;
	const char *why_not;
	unsigned minor;

	if (!m || !elf_object_at(start, &o))
		return NULL;
	p = arena_alloc(sizeof(*p));
	if (!p)
		return NULL;
	*p = (struct python_interpreter){.eval_start = start,
		.eval_end = end,
		.code_type = (uintptr_t)elf_find(&o, "PyCode_Type"),
		.text_type = (uintptr_t)elf_find(&o, "PyUnicode_Type"),
		.bytes_type = (uintptr_t)elf_find(&o, "PyBytes_Type"),
		.module = m->id,
		.embedded = !library_is_named(m->path, names, sizeof(names) / sizeof(*names))};
	minor = minor_of(&o);
	why_not = layout_find(&o, minor, &p->layout);
	atomic_store(&thread_value, (thread_value_fn)elf_libc("pthread_getspecific"));
	python_status_seen(minor, why_not);
	return p;
}

static uint32_t newest_module(uint32_t id)
{
	while (module_by_id(id + 1))
		id++;
	return id;
}

bool python_possible(void)
{
	uint32_t before = atomic_load_explicit(&looked_at, memory_order_acquire);

	return !before || atomic_load_explicit(&found, memory_order_acquire) || module_by_id(before + 1);
}

const struct python_interpreter *python_interpreter(void)
{
	uint32_t before = atomic_load_explicit(&looked_at, memory_order_acquire), newest;
	const struct python_interpreter *p = atomic_load_explicit(&found, memory_order_acquire);
	uint64_t start, end;

	if (p || !python_possible())
		return p;
	/* The list may never have been read. */
	(void)module_of((uintptr_t)python_interpreter);
	newest = newest_module(before);
	if (elf_elsewhere("_PyEval_EvalFrameDefault", &start, &end)) {
		const struct python_interpreter *none = NULL;

		p = interpreter_at(start, end);
		if (p && !atomic_compare_exchange_strong(&found, &none, p))
			p = none;
	}
	atomic_store_explicit(&looked_at, newest, memory_order_release);
	if (!p) {
		site_condition_clear(SITE_OF_PYTHON);
		/* One that came meanwhile set it before it was cleared. */
		if (module_by_id(newest + 1))
			site_condition_set(SITE_OF_PYTHON);
	}
	return p;
}

void *python_thread_value(unsigned key)
{
	thread_value_fn get = atomic_load_explicit(&thread_value, memory_order_relaxed);

	return get ? get(key) : NULL;
}

/* --- whose code it is -------------------------------------------------------------------- */

static bool is_interpreters(const struct python_interpreter *p, const struct acl_module *m)
{
	return m->id == p->module ? !p->embedded : is_python_library(m->path);
}

bool python_owns_code(const struct python_interpreter *p, uint64_t address)
{
	enum { UNKNOWN, NO, YES };
	static _Atomic uint8_t known[MODULES_SORTED];
	const struct acl_module *m;
	uint8_t answer;

	if (address > p->eval_start && address <= p->eval_end)
		return true;
	m = module_of(address - 1);
	if (!m)
		return false;
	if (m->id >= MODULES_SORTED)
		return is_interpreters(p, m);
	answer = atomic_load_explicit(&known[m->id], memory_order_relaxed);
	if (answer == UNKNOWN) {
		answer = is_interpreters(p, m) ? YES : NO;
		atomic_store_explicit(&known[m->id], answer, memory_order_relaxed);
	}
	return answer == YES;
}
