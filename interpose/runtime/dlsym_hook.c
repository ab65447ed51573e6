/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dlsym and dlvsym of the program: an acl name gets the wrapper when its real
 * function is what the answer would be without us; the true answer, NULL where
 * there is none, when it is not; all other names but those of the two themselves go to
 * the real functions untouched (dlsym_<machine>.S).
 */
#include <dlfcn.h>
#include <stdatomic.h>

#include "aclcheck/model.h"
#include "interpose/common/compiler.h"
#include "interpose/runtime/dlsym_hook.h"
#include "interpose/runtime/dynamic_linker.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/foreign_function.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/real_function.h"

struct dl_answer {
	void *pointer;
	uint64_t ours; /* 0 = let the real function answer */
};

struct dl_answer acl_dl_hook(void *handle, const char *name, const char *version, void *caller);

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
	runtime_events.found(api);
}

/* What a call site was found to be: caller address, function and answer in one word. */
#define SITES 512
static _Atomic uint64_t sites[SITES];

static bool site_imports(unsigned api, uint64_t caller)
{
	/* All calls of a Python program come from one address of libffi. */
	_Atomic uint64_t *slot = &sites[(caller ^ caller >> 9 ^ api * 41) % SITES];
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
 * The function that the program would get without us, when the answer with us is our wrapper or one that
 * stands behind us.  dlerror() is then as the program expects it: clear, or about this name.
 */
struct without_us {
	void *address; /* NULL = there is none */
	bool true_answer; /* something before us answers, or only the real function can tell: let it */
};

static const struct without_us let_it = {.true_answer = true};

static struct without_us by_default(const char *name, const char *version, void *caller)
{
	void *p = true_dlvsym(RTLD_DEFAULT, name, version);

	if (p && !module_is_self((uintptr_t)p))
		return let_it;
	/* Where nothing has the name one attempt fails, as without us. */
	p = elf_behind(name) ? true_dlvsym(RTLD_NEXT, name, version) : NULL;
	if (p)
		return (struct without_us){p, false};
	p = elf_behind(name) ? in_local_scope(name, version, caller) : NULL;
	if (p)
		true_dlerror();
	else
		true_dlvsym(RTLD_NEXT, name, version);
	return (struct without_us){p, false};
}

/* Next of the caller.  Objects of the start stand in the loader's list as they do in the scope. */
static struct without_us by_next(const char *name, const char *version, void *caller)
{
	int self = elf_order((uintptr_t)acl_dl_hook), own = elf_order((uintptr_t)caller);
	void *p;

	/* A library that defines the name itself asks for the next one, and that may well be us. */
	if (caller_defines(caller, name) || own < 0)
		return let_it;
	if (own < self && elf_defined_between(name, own, self))
		return let_it;
	p = true_dlvsym(RTLD_NEXT, name, version);
	if (own < self)
		return (struct without_us){p, false};
	if (!p)
		p = in_local_scope(name, version, caller);
	return p && elf_order((uintptr_t)p) > own ? (struct without_us){p, false} : let_it;
}

static struct without_us by_handle(void *handle, const char *name, const char *version)
{
	void *p = true_dlvsym(handle, name, version);
	int order;

	if (!p)
		return (struct without_us){NULL, false};
	if (module_is_self((uintptr_t)p))
		return (struct without_us){true_dlvsym(RTLD_NEXT, name, version), false};
	/* The handle of the program itself: what stands before us calls us in its turn. */
	order = elf_order((uintptr_t)p);
	return order >= 0 && order < elf_order((uintptr_t)acl_dl_hook) ? let_it
								       : (struct without_us){p, false};
}

static struct dl_answer answer_acl(void *handle, const char *name, const char *version, void *caller, int api)
{
	struct elf_object self;
	struct without_us w = handle == RTLD_DEFAULT ? by_default(name, version, caller)
			      : handle == RTLD_NEXT  ? by_next(name, version, caller)
						     : by_handle(handle, name, version);

	if (w.true_answer)
		return (struct dl_answer){0};
	if (!w.address || !elf_object_at((uintptr_t)acl_dl_hook, &self))
		return (struct dl_answer){.ours = 1};
	if (real_accept(api, w.address)) {
		w.address = elf_find(&self, name);
		note_fetch(api, (uintptr_t)caller);
		runtime_events.first_name(); /* the program expects dlsym to take the loader's lock */
	} else {
		foreign_function_note(api, w.address);
	}
	true_dlerror(); /* what failed meanwhile is ours */
	return (struct dl_answer){.pointer = w.address, .ours = 1};
}

/* Of the C library's handle: by the real one the program would find what it calls past us. */
static struct dl_answer answer_look_up(void *handle, const char *name, const char *version)
{
	void *p = true_dlvsym(handle, name, version);
	struct elf_object self;

	if (p && (p == acl_true_dlsym || p == acl_true_dlvsym) &&
		elf_object_at((uintptr_t)acl_dl_hook, &self))
		p = elf_find(&self, name);
	return (struct dl_answer){.pointer = p, .ours = 1};
}

/* Without strcmp: a sanitizer's own looks its functions up by us before it works. */
NO_SANITIZE static bool is_look_up(const char *name)
{
	static const char rest[] = "sym";
	unsigned i = 0;

	if (name[0] != 'd' || name[1] != 'l')
		return false;
	name += name[2] == 'v' ? 3 : 2;
	while (i < sizeof(rest) && name[i] == rest[i])
		i++;
	return i == sizeof(rest);
}

NO_SANITIZE __attribute__((visibility("hidden"))) struct dl_answer acl_dl_hook(
	void *handle, const char *name, const char *version, void *caller)
{
	int api;

	if (unlikely(!dl_ready()))
		return (struct dl_answer){.ours = 1};
	if (!name)
		return (struct dl_answer){0};
	if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && is_look_up(name))
		return answer_look_up(handle, name, version);
	if (name[0] != 'a' || name[1] != 'c' || name[2] != 'l')
		return (struct dl_answer){0};
	api = acl_api_find(name);
	if (api < 0 || module_is_self((uintptr_t)caller))
		return (struct dl_answer){0};
	return answer_acl(handle, name, version, caller, api);
}
