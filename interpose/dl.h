/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic linker's own functions.  They are looked up in the C library's
 * symbols: a linked dlopen@GLIBC_2.34 would keep the library from loading on
 * older systems, and our own dlsym stands before the real one.
 */
#ifndef INTERPOSE_DL_H
#define INTERPOSE_DL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl_api.h"

void *true_dlopen(const char *path, int flags);
int true_dlclose(void *handle);
void *true_dlsym(void *handle, const char *name); /* RTLD_NEXT: after libaclcheck.so */
char *true_dlerror(void);

/* How the caller got hold of the function: by its own import, or by a pointer from dlsym. */
extern _Atomic uint8_t dl_fetched[ACL_API_COUNT]; /* 0: nobody fetched it */
bool dl_fetched_by(unsigned api, uint64_t caller);

static inline bool dl_was_fetched(unsigned api, uint64_t caller)
{
	return __builtin_expect(atomic_load_explicit(&dl_fetched[api], memory_order_relaxed), 0) &&
	       dl_fetched_by(api, caller);
}

#endif
