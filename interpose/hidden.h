/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helper libraries opened for the tool alone: their symbols must not be found
 * by the program, nor the program's by them.  Only where dlopen is safe (see
 * interpose/README.md, "When to dlopen").
 */
#ifndef INTERPOSE_HIDDEN_H
#define INTERPOSE_HIDDEN_H

#include <stdbool.h>
#include <stddef.h>

/* NULL when it cannot be had. */
void *hidden_open(const char *soname);
/* The same of a library that the program has already, NULL if it has not. */
void *hidden_present(const char *soname);
void *hidden_symbol(void *library, const char *name);

/* A row for hidden_bind: name of the function and where its address goes. */
struct hidden_name {
	const char *name;
	void **address;
};
/* All of them or false. */
bool hidden_bind(void *library, const struct hidden_name *names, size_t n);

#endif
