/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a module with destructors of its own calls the runtime, or another of the program that does. */
#include "interpose/process/destructors.h"

#include <elf.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/report/trace_provider.h"
#include "interpose/runtime/dlsym_hook.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"
#include "interpose/runtime/real_function.h"

#define CALLERS_MAX 64

static uint64_t last_base; /* where the last of the modules lies that were there at the start */

/* The objects of the program that import a function of the runtime. */
struct callers {
	struct elf_object objects[CALLERS_MAX];
	unsigned n;
	bool too_many, by_name; /* by_name: some were fetched by dlsym */
};

struct search {
	struct callers *callers;
	bool program, later; /* the module is the program; was loaded after the start */
};

void destructors_begin(void)
{
	const struct link_map *l = module_list();

	while (l && l->l_next)
		l = l->l_next;
	last_base = l ? l->l_addr : 0;
}

/* --- modules --------------------------------------------------------------- */

static bool is_named(const struct dl_phdr_info *info, const char *start)
{
	const char *slash = strrchr(info->dlpi_name, '/');

	return !strncmp(slash ? slash + 1 : info->dlpi_name, start, strlen(start));
}

/* Ours, the runtime's, the recorder's. */
static bool is_no_program(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uint64_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && (module_is_self(start) || is_runtime_code(start)))
			return true;
	}
	return is_named(info, ACL_TRACE_LIBRARY) || is_named(info, "liblttng-ust") ||
	       is_named(info, "liburcu");
}

static bool is_of_runtime(const char *name)
{
	return acl_api_find(name) >= 0;
}

/* The compiler brings one function of its own, for the destructors of C++ objects. */
static bool has_destructors(const struct dl_phdr_info *info)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Dyn) *dyn = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);

		if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
			continue;
		for (; dyn->d_tag != DT_NULL; dyn++)
			if (dyn->d_tag == DT_FINI_ARRAYSZ)
				return dyn->d_un.d_val > sizeof(void *);
	}
	return false;
}

/* --- the question ------------------------------------------------------------ */

static int collect_callers(struct dl_phdr_info *info, size_t size, void *context)
{
	struct callers *c = context;
	struct elf_object object;

	(void)size;
	if (is_no_program(info) || !elf_object_of(info, &object) || !elf_imports_some(&object, is_of_runtime))
		return 0;
	c->too_many = c->n == CALLERS_MAX;
	if (!c->too_many)
		c->objects[c->n++] = object;
	return c->too_many;
}

static bool reaches_runtime(const struct elf_object *object, const struct callers *c)
{
	if (elf_imports_some(object, is_of_runtime) || (c->by_name && elf_imports(object, "dlsym")))
		return true;
	for (unsigned i = 0; i < c->n; i++)
		if (elf_uses(object, &c->objects[i]))
			return true;
	return false;
}

static int may_call(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *s = context;
	struct elf_object object;
	bool program = s->program, later = s->later;

	(void)size;
	s->program = false;
	s->later |= info->dlpi_addr == last_base;
	if (is_no_program(info) || !elf_object_of(info, &object))
		return 0;
	if (!has_destructors(info) && (program || later || !elf_imports(&object, "__cxa_atexit")))
		return 0;
	return reaches_runtime(&object, s->callers);
}

bool destructors_may_call(void)
{
	static struct callers callers; /* once in a process, on whatever stack */
	struct search s = {.callers = &callers, .program = true};

	for (unsigned i = 0; i < ACL_API_COUNT; i++)
		callers.by_name |= dl_was_fetched_at_all(i);
	return module_walk(collect_callers, &callers) != 0 || module_walk(may_call, &s) != 0;
}
