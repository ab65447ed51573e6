/* SPDX-License-Identifier: Apache-2.0 */
/* Code addresses in words: function, file and line, module. Cached per address. */
#ifndef INTERPOSE_CODE_SYMBOL_H
#define INTERPOSE_CODE_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/runtime/loaded_module.h"

struct symbol {
	const char *function; /* linkage name, NULL = unknown */
	const char *readable; /* the same as its language writes it */
	const char *file; /* NULL = unknown */
	int line;
	const char *module; /* path, NULL = unknown */
	uint64_t file_address; /* address in the module's file */
	uint64_t offset; /* from the start of the function */
	bool stripped; /* function is only the nearest dynamic symbol */
	bool python; /* Python code: function is its qualified name, and there is no module */
	bool library; /* of the Python interpreter's own library */
	const struct acl_module *code; /* where it lies, or lay; NULL = in no file */
};

/* Opens what is needed; only where dlopen is safe. */
void symbol_prepare(bool with_lines);

/* Of a marked return address (the call before it), or of a word of Python code. Not for two threads at once:
 * the sinks hold their lock. */
const struct symbol *symbol_of(uint64_t address);

/* In the child after fork: what another thread had half done is left behind. */
void symbol_forked(void);

/* Does the frame belong to this library or to the runtime and libc around the program, or to Python's
 * library? Fingerprints skip those. */
bool symbol_is_outside(const struct symbol *s);

/*
 * Is it in this function ("name", may end in *; "ns::name"), in this file ("copy.cpp", "src/copy.cpp"), on
 * this line ("copy.cpp#42")?
 */
bool symbol_place_is(const struct symbol *s, const char *where);

/* A frame of the Python interpreter itself, seen where no Python frames were found. */
bool symbol_is_interpreter(const struct symbol *s);

#endif
