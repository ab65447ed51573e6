/* SPDX-License-Identifier: Apache-2.0 */
/* Opening helper libraries without the program noticing. */
#include "interpose/hidden.h"

#include <dlfcn.h>

#include "interpose/dl.h"

/* Present in every sanitizer runtime; ASan ends the process on RTLD_DEEPBIND. */
extern void __sanitizer_print_stack_trace(void) __attribute__((weak));

void *hidden_open(const char *soname)
{
	int flags = RTLD_NOW | RTLD_LOCAL;

	if (!__sanitizer_print_stack_trace)
		flags |= RTLD_DEEPBIND;
	return true_dlopen(soname, flags);
}

void *hidden_present(const char *soname)
{
	return true_dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
}

void *hidden_symbol(void *library, const char *name)
{
	return true_dlsym(library, name);
}

bool hidden_bind(void *library, const struct hidden_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		*names[i].address = hidden_symbol(library, names[i].name);
		if (!*names[i].address)
			return false;
	}
	return true;
}
