/* SPDX-License-Identifier: Apache-2.0 */
/* Looked up once per function; a second look-up by a racing thread finds the same. */
#include "interpose/runtime/dynamic_linker.h"

#include <stdatomic.h>
#include <stddef.h>

#include "interpose/common/compiler.h"
#include "interpose/runtime/elf_symbols.h"

/* Read by the assembly; set by the first call of the hook. */
void *acl_true_dlsym;
void *acl_true_dlvsym;

NO_SANITIZE bool dl_ready(void)
{
	if (likely(__atomic_load_n(&acl_true_dlsym, __ATOMIC_ACQUIRE)))
		return true;
	__atomic_store_n(&acl_true_dlvsym, elf_libc("dlvsym"), __ATOMIC_RELAXED);
	__atomic_store_n(&acl_true_dlsym, elf_libc("dlsym"), __ATOMIC_RELEASE);
	return acl_true_dlsym;
}

void *true_dlsym(void *handle, const char *name)
{
	void *p = NULL;

	if (dl_ready())
		p = ((void *(*)(void *, const char *))acl_true_dlsym)(handle, name);
	return p;
}

void *true_dlvsym(void *handle, const char *name, const char *version)
{
	void *p;

	if (!version)
		return true_dlsym(handle, name);
	p = ((void *(*)(void *, const char *, const char *))acl_true_dlvsym)(handle, name, version);
	return p;
}

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
typedef int (*dladdr_fn)(const void *, Dl_info *);

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

int true_dladdr(const void *address, Dl_info *info)
{
	dladdr_fn fn = LIBC_FUNCTION("dladdr", dladdr_fn);

	return fn ? fn(address, info) : 0;
}
