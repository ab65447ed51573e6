/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dynamic linker's own functions.  They are looked up in the C library's
 * symbols: a linked dlopen@GLIBC_2.34 would keep the library from loading on
 * older systems, and our own dlsym stands before the real one.
 */
#ifndef INTERPOSE_DYNAMIC_LINKER_H
#define INTERPOSE_DYNAMIC_LINKER_H

#include <dlfcn.h>
#include <stdbool.h>

void *true_dlopen(const char *path, int flags);
int true_dlclose(void *handle);
void *true_dlsym(void *handle, const char *name); /* RTLD_NEXT: after libaclcheck.so */
void *true_dlvsym(void *handle, const char *name, const char *version); /* version NULL = dlsym */
char *true_dlerror(void);
int true_dladdr(const void *address, Dl_info *info);

/* The C library's; NULL until dl_ready. */
extern void *acl_true_dlsym __attribute__((visibility("hidden")));
extern void *acl_true_dlvsym __attribute__((visibility("hidden")));

/* Found on first use; false = the C library has no dlsym. In code without a sanitizer's instrumentation. */
bool dl_ready(void);

#endif
