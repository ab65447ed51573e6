/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic linker's own functions.  They are looked up in the C library's
 * symbols: a linked dlopen@GLIBC_2.34 would keep the library from loading on
 * older systems, and our own dlsym stands before the real one.
 */
#ifndef INTERPOSE_DL_H
#define INTERPOSE_DL_H

#include <stdbool.h>
#include <stdint.h>

void *true_dlopen(const char *path, int flags);
int true_dlclose(void *handle);
void *true_dlsym(void *handle, const char *name); /* RTLD_NEXT: after libaclcheck.so */
char *true_dlerror(void);

/* How the caller got hold of the function: by its own import, or by a pointer from dlsym. */
bool dl_was_fetched(unsigned api, uint64_t caller);

#endif
