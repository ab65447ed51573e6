/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym and dlvsym of the program: acl names get the wrapper when the runtime
 * behind them has the function, NULL when it lacks it; all other names go to
 * the real functions untouched (dl_<machine>.S).
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "aclcheck/model.h"
#include "interpose/call.h"
#include "interpose/core.h"
#include "interpose/dl.h"
#include "interpose/elfsym.h"
#include "interpose/module.h"
#include "interpose/nosan.h"
#include "interpose/real.h"

struct dl_answer {
	void *pointer;
	uint64_t ours; /* 0 = let the real function answer */
};

/* Read by the assembly; set by the first call of the hook. */
void *acl_true_dlsym __attribute__((visibility("hidden")));
void *acl_true_dlvsym __attribute__((visibility("hidden")));

struct dl_answer acl_dl_hook(void *handle, const char *name, const char *version, void *caller);

NO_SANITIZE static bool dl_ready(void)
{
	if (likely(__atomic_load_n(&acl_true_dlsym, __ATOMIC_ACQUIRE)))
		return true;
	__atomic_store_n(&acl_true_dlvsym, elf_libc("dlvsym"), __ATOMIC_RELAXED);
	__atomic_store_n(&acl_true_dlsym, elf_libc("dlsym"), __ATOMIC_RELEASE);
	return acl_true_dlsym && acl_true_dlvsym;
}

void *true_dlsym(void *handle, const char *name)
{
	void *p = NULL;

	if (dl_ready())
		p = ((void *(*)(void *, const char *))acl_true_dlsym)(handle, name);
	return p;
}

static void *true_dlvsym(void *handle, const char *name, const char *version)
{
	void *p;

	if (!version)
		return true_dlsym(handle, name);
	p = ((void *(*)(void *, const char *, const char *))acl_true_dlvsym)(handle, name, version);
	return p;
}

/* Looked up once per function; a second look-up by a racing thread finds the same. */
#define LIBC_FUNCTION(name, type)                                                                            \
	({                                                                                                   \
		static _Atomic(type) cached_;                                                                \
		type fn_ = atomic_load_explicit(&cached_, memory_order_relaxed);                             \
		if (unlikely(!fn_)) {                                                                        \
			fn_ = (type)elf_libc(name);                                                          \
			atomic_store_explicit(&cached_, fn_, memory_order_relaxed);                          \
		}                                                                                            \
		fn_;                                                                                         \
	})

typedef void *(*dlopen_fn)(const char *, int);
typedef int (*dlclose_fn)(void *);
typedef char *(*dlerror_fn)(void);

void *true_dlopen(const char *path, int flags)
{
	dlopen_fn fn = LIBC_FUNCTION("dlopen", dlopen_fn);

	return fn ? fn(path, flags) : NULL;
}

int true_dlclose(void *handle)
{
	dlclose_fn fn = LIBC_FUNCTION("dlclose", dlclose_fn);

	return fn ? fn(handle) : -1;
}

char *true_dlerror(void)
{
	dlerror_fn fn = LIBC_FUNCTION("dlerror", dlerror_fn);

	return fn ? fn() : NULL;
}

/*
 * Which modules fetched which name.  A module that both imports a name and
 * fetches it cannot be told apart at the call: its calls count as fetched.
 */
#define FETCHERS 7
static struct {
	_Atomic uint64_t start, end;
} fetchers[FETCHERS];
_Atomic uint8_t dl_fetched[ACL_API_COUNT]; /* bit i: fetchers[i]; bit 7: some other module */

static void note_fetch(unsigned api, uint64_t caller)
{
	const struct acl_module *m = module_of(caller);
	unsigned bit = FETCHERS;

	for (unsigned i = 0; m && i < FETCHERS; i++) {
		uint64_t none = 0;

		if (atomic_compare_exchange_strong(&fetchers[i].start, &none, m->start))
			atomic_store(&fetchers[i].end, m->end);
		else if (none != m->start)
			continue;
		bit = i;
		break;
	}
	atomic_fetch_or(&dl_fetched[api], (uint8_t)(1u << bit));
}

/* What a call site was found to be: caller address, function and answer in one word. */
#define SITES 512
static _Atomic uint64_t sites[SITES];

static bool site_imports(unsigned api, uint64_t caller)
{
	_Atomic uint64_t *slot = &sites[(caller ^ caller >> 9) % SITES];
	uint64_t key = caller << 16 | api << 1, seen = atomic_load_explicit(slot, memory_order_relaxed);
	struct elf_object object;
	bool imports;

	if ((seen & ~UINT64_C(1)) == key)
		return seen & 1;
	imports = elf_object_at(caller, &object) && elf_imports(&object, acl_apis[api].name);
	atomic_store_explicit(slot, key | imports, memory_order_relaxed);
	return imports;
}

bool dl_fetched_by(unsigned api, uint64_t caller)
{
	uint8_t mask = atomic_load_explicit(&dl_fetched[api], memory_order_relaxed);

	for (unsigned i = 0; i < FETCHERS; i++) {
		if ((mask & 1u << i) &&
			caller >= atomic_load_explicit(&fetchers[i].start, memory_order_relaxed) &&
			caller < atomic_load_explicit(&fetchers[i].end, memory_order_relaxed))
			return true;
	}
	return !site_imports(api, caller);
}

/* Whether the caller's module defines the name itself: then RTLD_NEXT is its way to the next one. */
static bool caller_defines(void *caller, const char *name)
{
	struct elf_object object;

	return elf_object_at((uintptr_t)caller, &object) && elf_find(&object, name);
}

/* What the caller's own libraries offer, when the runtime is in no global scope. */
static void *in_local_scope(const char *name, const char *version, void *caller)
{
	const struct acl_module *m = module_of((uintptr_t)caller);
	void *handle, *p;

	if (!m || !m->path[0])
		return NULL;
	handle = true_dlopen(m->path, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	p = true_dlvsym(handle, name, version);
	true_dlclose(handle);
	return p && !module_is_self((uintptr_t)p) ? p : NULL;
}

/*
 * The runtime's function that the program would get without us, NULL if none.
 * dlerror() is then as the program expects it: clear, or about this name.
 */
static void *without_us(void *handle, const char *name, const char *version, void *caller)
{
	void *p;

	if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) {
		p = true_dlvsym(handle, name, version);
		if (!p || !module_is_self((uintptr_t)p))
			return p;
	}
	p = true_dlvsym(RTLD_NEXT, name, version);
	if (p || handle != RTLD_DEFAULT)
		return p;
	p = in_local_scope(name, version, caller);
	if (p)
		true_dlerror();
	else
		true_dlvsym(RTLD_NEXT, name, version);
	return p;
}

static struct dl_answer answer_acl(void *handle, const char *name, const char *version, void *caller, int api)
{
	struct elf_object self;
	void *real;

	if (handle == RTLD_NEXT && caller_defines(caller, name))
		return (struct dl_answer){0};
	real = without_us(handle, name, version, caller);
	if (!real || !elf_object_at((uintptr_t)acl_dl_hook, &self))
		return (struct dl_answer){.ours = 1};
	real_offer(api, real);
	note_fetch(api, (uintptr_t)caller);
	core_open(); /* the program expects dlsym to take the loader's lock */
	return (struct dl_answer){.pointer = elf_find(&self, name), .ours = 1};
}

NO_SANITIZE __attribute__((visibility("hidden"))) struct dl_answer acl_dl_hook(
	void *handle, const char *name, const char *version, void *caller)
{
	int api;

	if (unlikely(!dl_ready()))
		return (struct dl_answer){.ours = 1};
	if (!name || name[0] != 'a' || name[1] != 'c' || name[2] != 'l')
		return (struct dl_answer){0};
	api = acl_api_find(name);
	if (api < 0 || module_is_self((uintptr_t)caller))
		return (struct dl_answer){0};
	return answer_acl(handle, name, version, caller, api);
}
