/* SPDX-License-Identifier: Apache-2.0 */
/* In place of dynamic_linker.c for programs that are not preloaded: the dynamic linker's functions as they
 * are. */
#include <dlfcn.h>

#include "interpose/runtime/dynamic_linker.h"

void *true_dlopen(const char *path, int flags)
{
	return dlopen(path, flags);
}

void *true_dlsym(void *handle, const char *name)
{
	return dlsym(handle, name);
}

int true_dlclose(void *handle)
{
	return dlclose(handle);
}

char *true_dlerror(void)
{
	return dlerror();
}
