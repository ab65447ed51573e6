/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reaching the real runtime: behind us in the global scope, else the library
 * the setting names, else the one the program opened itself, else the one the
 * loader finds.
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "aclcheck/model.h"
#include "interpose/call.h"
#include "interpose/core.h"
#include "interpose/dl.h"
#include "interpose/elfsym.h"
#include "interpose/module.h"
#include "interpose/real.h"
#include "interpose/settings.h"

uint32_t acl_state[ACL_API_COUNT] = {
	[0 ... ACL_API_COUNT - 1] = ACL_STATE_UNRESOLVED,
};
void (*acl_real[ACL_API_COUNT])(void);

static _Atomic(void *) runtime_handle; /* opened by us, never closed */
static _Atomic uint64_t sample; /* an address inside the runtime */
static _Atomic bool open_failed;
static _Atomic bool offered[ACL_API_COUNT]; /* the address came from the program's own dlsym */
static _Atomic bool missing[ACL_API_COUNT]; /* looked for everywhere, in vain */

bool real_known(void)
{
	return atomic_load(&sample) != 0;
}

/*
 * Calls that come from the runtime's own modules are not the program's.  A
 * slot is claimed by its start and counts once its end is there.
 */
static void note_runtime(uint64_t address)
{
	const struct acl_module *m = module_of(address);

	for (uint32_t i = 0; m && i < RUNTIME_MODULES; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&acl_core.runtime[i].start, &none, m->start)) {
			atomic_store(&acl_core.runtime[i].end, m->end);
			if (atomic_load(&acl_core.n_runtime) <= i)
				atomic_store(&acl_core.n_runtime, i + 1);
			return;
		}
		if (none == m->start)
			return;
	}
}

static void set_real(unsigned api, void *address)
{
	__atomic_store_n(&acl_real[api], (void (*)(void))address, __ATOMIC_RELEASE);
	atomic_store(&sample, (uintptr_t)address);
	note_runtime((uintptr_t)address);
}

void real_find_all(void)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		void *p;

		if (__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
			continue;
		p = true_dlsym(RTLD_NEXT, acl_apis[api].name);
		if (p)
			set_real(api, p);
	}
}

static void *open_runtime(void)
{
	static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
	const char *path = settings_text(SETTING_RUNTIME);
	void *handle = atomic_load(&runtime_handle);

	if (handle || atomic_load(&open_failed))
		return handle;
	if (path[0]) {
		handle = true_dlopen(path, RTLD_NOW | RTLD_LOCAL);
		if (!handle)
			core_say("cannot open the runtime that ACLCHECK_RUNTIME names: ", true_dlerror());
	}
	for (unsigned i = 0; !handle && !real_known() && i < sizeof(names) / sizeof(names[0]); i++)
		handle = true_dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
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

bool real_find(unsigned api)
{
	const char *name = acl_apis[api].name;
	void *p, *handle;

	if (__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE))
		return true;
	if (atomic_load(&missing[api]))
		return false;
	p = true_dlsym(RTLD_NEXT, name);
	if (!p)
		p = find_beside(name);
	if (!p) {
		handle = open_runtime();
		p = handle ? true_dlsym(handle, name) : NULL;
	}
	if (!p || module_is_self((uintptr_t)p)) {
		/* A runtime that comes later is met by the program's dlsym. */
		atomic_store(&missing[api], real_known());
		return false;
	}
	set_real(api, p);
	return true;
}

void real_offer(unsigned api, void *address)
{
	void *old = (void *)__atomic_load_n(&acl_real[api], __ATOMIC_ACQUIRE);

	/* A runtime that was closed and opened again has moved: the latest address is the living one. */
	if (old == address || (old && !atomic_load(&offered[api])))
		return;
	atomic_store(&offered[api], true);
	set_real(api, address);
	if (atomic_load(&acl_core.stage) == CORE_AWAKE)
		state_settle(api);
}
