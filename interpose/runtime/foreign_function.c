/* SPDX-License-Identifier: Apache-2.0 */
/* A short table, filled without a lock; a module is known by the path the loader gives. */
#include "interpose/runtime/foreign_function.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

#include "acl_api.h"
#include "interpose/common/text.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/elf_symbols.h"

#define MODULES_MAX 16
#define WORDS ((ACL_API_COUNT + 63) / 64)

static struct entry {
	_Atomic int state; /* 0 free, 1 being written, 2 there */
	struct foreign_module module;
	_Atomic uint64_t asked[WORDS];
} entries[MODULES_MAX];

/* Objects of other namespaces are not listed: whoever opens one opens a runtime. */
static bool holds_runtime(const void *address)
{
	struct elf_object object;

	return !elf_object_at((uintptr_t)address, &object) || elf_find(&object, "aclrtSetDevice");
}

static struct entry *entry_of(const void *address, unsigned api)
{
	Dl_info info;
	const char *path = true_dladdr(address, &info) && info.dli_fname ? info.dli_fname : "unknown";

	for (unsigned i = 0; i < MODULES_MAX; i++) {
		struct entry *e = &entries[i];
		int state = 0;

		if (atomic_compare_exchange_strong(&e->state, &state, 1)) {
			struct text t;

			text_init(&t, e->module.path, sizeof(e->module.path));
			text_str(&t, path);
			e->module.first = (uint16_t)api;
			e->module.runtime = holds_runtime(address);
			atomic_store_explicit(&e->state, 2, memory_order_release);
			return e;
		}
		if (state == 2 && !strncmp(e->module.path, path, sizeof(e->module.path) - 1))
			return e;
	}
	return NULL;
}

void foreign_function_note(unsigned api, const void *address)
{
	struct entry *e = entry_of(address, api);
	uint64_t bit = UINT64_C(1) << api % 64;

	if (e && !(atomic_fetch_or(&e->asked[api / 64], bit) & bit))
		__atomic_add_fetch(&e->module.functions, 1, __ATOMIC_RELAXED);
}

const struct foreign_module *foreign_module(unsigned i)
{
	return i < MODULES_MAX && atomic_load_explicit(&entries[i].state, memory_order_acquire) == 2
		       ? &entries[i].module
		       : NULL;
}
