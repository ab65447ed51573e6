/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaching the real runtime: behind us in the global scope, else the library
 * the setting names, else the one the program opened itself, else the one the
 * loader finds.
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "aclcheck/model.h"
#include "interpose/runtime/function_table.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/library_name.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/real_function.h"
#include "interpose/stack/tool_stack.h"

struct runtime_code runtime_code = {.slow_size = UINT64_MAX};
static _Atomic bool all_slow = true;

static const char *named_path = ""; /* by the settings, before the first look */
#define OBJECTS_MAX 512

static _Atomic(void *) runtime_handle; /* opened by us, never closed */
static _Atomic uint64_t sample; /* an address inside the runtime */
static _Atomic bool open_failed;
static _Atomic bool missing[ACL_API_COUNT]; /* looked for everywhere and not found */

void real_use(const char *path)
{
	named_path = path;
}

uint64_t real_sample(void)
{
	return atomic_load(&sample);
}

bool real_known(void)
{
	return atomic_load(&sample) != 0;
}

/* Functions that every runtime has. */
static const char *const core_names[] = {"aclInit", "aclFinalize", "aclrtSetDevice", "aclrtMalloc",
	"aclrtFree", "aclrtMemcpy", "aclrtCreateStream", "aclrtSynchronizeStream"};

/*
 * A library of the program's that defines a few names and forwards them is not the runtime: another one has
 * more of them.
 */
static bool is_runtime(const struct acl_module *m)
{
	unsigned others;

	return is_cann_library(m->path) || elf_defines(core_names, sizeof(core_names) / sizeof(core_names[0]),
						   m->start, &others) >= others;
}

/* Another thread may change what this is made of at the same time: then it is made once more. */
static void slow_settle(void)
{
	uint64_t low, high;
	bool all;

	do {
		all = atomic_load(&all_slow);
		low = atomic_load(&runtime_code.low);
		high = atomic_load(&runtime_code.high);
		atomic_store(&runtime_code.slow_size, UINT64_MAX);
		atomic_store(&runtime_code.slow_start, low);
		atomic_store(&runtime_code.slow_size, all ? UINT64_MAX : high - low);
	} while (all != atomic_load(&all_slow) || low != atomic_load(&runtime_code.low) ||
		 high != atomic_load(&runtime_code.high));
}

void callers_slow(bool all)
{
	atomic_store(&all_slow, all);
	slow_settle();
}

/*
 * Calls that come from the runtime's own modules are not the program's.  A
 * slot is claimed by its start and counts once its end is there.
 */
static void widen(const struct acl_module *m)
{
	uint64_t low = atomic_load(&runtime_code.low), high = atomic_load(&runtime_code.high);

	while (high < m->end && !atomic_compare_exchange_weak(&runtime_code.high, &high, m->end))
		;
	while ((!low || m->start < low) && !atomic_compare_exchange_weak(&runtime_code.low, &low, m->start))
		;
	slow_settle();
}

/* Another thread may have counted a later one. */
static void count_ranges(uint32_t n)
{
	uint32_t counted = atomic_load(&runtime_code.n);

	while (counted < n && !atomic_compare_exchange_weak(&runtime_code.n, &counted, n))
		;
}

static bool note_runtime(uint64_t address, bool opened)
{
	static _Atomic uint64_t refused; /* the module asked about last that is none */
	const struct acl_module *m = module_of(address);

	if (!m || m->start == atomic_load(&refused))
		return false;
	for (uint32_t i = 0; i < RUNTIME_CODE_MODULES; i++) {
		uint64_t start = atomic_load(&runtime_code.ranges[i].start);

		if (start == m->start)
			return true;
		if (!start && !opened && !is_runtime(m)) {
			atomic_store(&refused, m->start);
			return false;
		}
		if (!start &&
			atomic_compare_exchange_strong(&runtime_code.ranges[i].start, &start, m->start)) {
			atomic_store(&runtime_code.ranges[i].end, m->end);
			widen(m);
			count_ranges(i + 1);
			return true;
		}
		if (start == m->start)
			return true;
	}
	return false;
}

/* opened: by us, as the settings name it. */
static void set_real(unsigned api, void *address, bool opened)
{
	__atomic_store_n(&acl_real[api], (void (*)(void))address, __ATOMIC_RELEASE);
	if (note_runtime((uintptr_t)address, opened) || !atomic_load(&sample))
		atomic_store(&sample, (uintptr_t)address);
}

/* What dlsym would find behind us, which is asked only when there is something to find. */
static void *function_behind(const char *name)
{
	struct elf_object known;
	void *p = elf_behind(name);

	if (!p)
		return NULL;
	if (real_known() && elf_object_at(atomic_load(&sample), &known) && elf_find(&known, name) == p)
		return p;
	return true_dlsym(RTLD_NEXT, name);
}

/* One thread opens everything, once. */
void real_find_all(void)
{
	static struct elf_object behind[OBJECTS_MAX];
	unsigned n = elf_objects_behind(behind, OBJECTS_MAX), at, known = n;
	struct elf_object runtime;

	/* A runtime that the program opened for itself need not be in the scope of dlsym. */
	if (real_known() && elf_object_at(atomic_load(&sample), &runtime))
		for (known = 0; known < n && behind[known].base != runtime.base;)
			known++;
	for (unsigned api = 0; api < acl_api_count; api++) {
		void *p = NULL, *next;

		for (at = 0; at < n; at++) {
			p = elf_find(&behind[at], acl_apis[api].name);
			if (p)
				break;
		}
		if (!p || __atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
			continue;
		/* An object that dlsym found one function in is in its scope with all of them. */
		next = at == known ? p : true_dlsym(RTLD_NEXT, acl_apis[api].name);
		if (next == p)
			known = at;
		if (next)
			set_real(api, next, false);
	}
}

struct opening {
	const char *path;
	void *handle;
};

static void open_there(void *opening)
{
	struct opening *o = opening;

	o->handle = true_dlopen(o->path, RTLD_NOW | RTLD_LOCAL);
}

/* Its constructors run as if the program had opened it. */
static void *open_as_program(const char *path)
{
	struct opening o = {.path = path};

	tool_stack_with_signals(open_there, &o);
	return o.handle;
}

static void *open_runtime(void)
{
	static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
	void *handle = atomic_load(&runtime_handle);

	if (handle || atomic_load(&open_failed))
		return handle;
	if (named_path[0]) {
		handle = open_as_program(named_path);
		if (!handle)
			runtime_events.complain(
				"cannot open the runtime that ACLCHECK_RUNTIME names: ", true_dlerror());
	}
	for (unsigned i = 0; !handle && !real_known() && i < sizeof(names) / sizeof(names[0]); i++)
		handle = open_as_program(names[i]);
	atomic_store(&runtime_handle, handle);
	atomic_store(&open_failed, !handle);
	return handle;
}

/* Found in the module that gave us other functions: a runtime the program opened for itself. */
static void *find_beside(const char *name)
{
	struct elf_object object;

	return real_known() && elf_object_at(atomic_load(&sample), &object) ? elf_find(&object, name) : NULL;
}

struct search {
	unsigned api;
	bool found;
};

static void real_search(void *context)
{
	struct search *s = context;
	unsigned api = s->api;
	const char *name = acl_apis[api].name;
	void *p, *handle = NULL;

	p = function_behind(name);
	if (!p)
		p = find_beside(name);
	if (!p) {
		handle = open_runtime();
		p = handle ? true_dlsym(handle, name) : NULL;
	}
	if (!p || module_is_self((uintptr_t)p)) {
		/* A runtime that comes later is met by the program's dlsym. */
		atomic_store(&missing[api], real_known());
		return;
	}
	set_real(api, p, handle != NULL);
	s->found = true;
}

bool real_find(unsigned api)
{
	struct search s = {.api = api};

	if (__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
		return true;
	if (!atomic_load(&missing[api]))
		tool_stack_run(real_search, &s);
	return s.found;
}

/* Is the function that we know still mapped? A runtime that was closed and opened again has moved. */
static bool still_there(unsigned api, const void *known)
{
	struct elf_object object;

	return elf_object_at((uintptr_t)known, &object) && elf_find(&object, acl_apis[api].name) == known;
}

/* A function that was not called yet: whether the runtime that we know has it elsewhere. */
static bool known_elsewhere(unsigned api, const void *address)
{
	void *p = elf_behind(acl_apis[api].name);

	if (p != address)
		p = function_behind(acl_apis[api].name);
	if (!p)
		p = find_beside(acl_apis[api].name);
	if (!p || p == address)
		return false;
	set_real(api, p, false);
	runtime_events.found(api);
	return true;
}

bool real_accept(unsigned api, void *address)
{
	void *known = (void *)__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE);

	if (known == address)
		return true;
	if (known ? still_there(api, known) : known_elsewhere(api, address))
		return false;
	set_real(api, address, false);
	runtime_events.found(api);
	return true;
}
