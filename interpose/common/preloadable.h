/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Will the loader heed LD_PRELOAD for a program?  Usable before an exec in any
 * process: no allocation, one small buffer on the stack.
 */
#ifndef INTERPOSE_PRELOADABLE_H
#define INTERPOSE_PRELOADABLE_H

#include <stdbool.h>
#include <stddef.h>

enum preloadable {
	PRELOADABLE, /* or nothing is known against it */
	PRELOADABLE_NOT_PRIVILEGED, /* set-user-ID or set-group-ID */
	PRELOADABLE_NOT_CAPABLE, /* file capabilities */
	PRELOADABLE_NOT_32_BIT,
	PRELOADABLE_NOT_STATIC,
	PRELOADABLE_NOT_MUSL
};

/* Path of a program as execvp finds it, false if it would not. */
bool program_find(const char *name, char *path, size_t cap);

/* Follows "#!" to the interpreter; path is changed to that of the program in question. */
enum preloadable preloadable(char *path, size_t cap);

#endif
