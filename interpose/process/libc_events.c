/* SPDX-License-Identifier: Apache-2.0 */
/* Weak references to the functions behind on_exit, at_quick_exit and pthread_atfork. */
#include "interpose/process/libc_events.h"

#include <stddef.h>
#include <stdlib.h>

#pragma weak on_exit
extern int __cxa_at_quick_exit(void (*fn)(void *), void *module) __attribute__((weak));
extern int __register_atfork(void (*before)(void), void (*parent)(void), void (*child)(void), void *module)
	__attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

bool libc_events_known(void)
{
	return on_exit && __cxa_at_quick_exit && __register_atfork;
}

void libc_at_exit(void (*fn)(int status, void *unused))
{
	on_exit(fn, NULL);
}

/* Full: the end record of a quick exit is missed, nothing else. */
void libc_at_quick_exit(void (*fn)(void *unused))
{
	(void)__cxa_at_quick_exit(fn, &__dso_handle);
}

void libc_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
	(void)__register_atfork(before, parent, child, &__dso_handle);
}
