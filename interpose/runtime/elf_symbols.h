/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of loaded objects, read from their own dynamic sections: no loader
 * lock, no hook in between, usable before any constructor ran.
 */
#ifndef INTERPOSE_ELF_SYMBOLS_H
#define INTERPOSE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/runtime/elf_object.h"

/* Address of the function's default version that the object defines, NULL if it defines none. */
void *elf_find(const struct elf_object *object, const char *name);

/*
 * Whether an object refers to a name that the other object defines, data left out that the other one only has
 * a copy of (stdout in a program): that is shared with the library it came from.
 */
bool elf_uses(const struct elf_object *object, const struct elf_object *other);

/* The object that holds an address; false if none does. */
bool elf_object_at(uint64_t address, struct elf_object *out);

/* Where the first object other than this library that defines the name has it; false if none does. */
bool elf_elsewhere(const char *name, uint64_t *start, uint64_t *end);

/* A function by its name; start 0 = not found. */
struct elf_function {
	const char *name;
	uint64_t start, end;
};

/* The same for several, whose start is 0; for all of them it is one walk. */
void elf_functions_elsewhere(struct elf_function *functions, unsigned n);

/* Place of the object that holds an address in the loader's order (0 = the program), -1 when none does. */
int elf_order(uint64_t address);

/* Whether the object that holds the other address comes first in the loader's order. */
bool elf_follows(uint64_t address, uint64_t other);

/*
 * The function's address in the first object behind this library in the loader's order, NULL if none has it:
 * then dlsym would find nothing either, and allocate its message in the program's heap.
 */
void *elf_behind(const char *name);

/* The objects behind this library in the loader's order, as many as fit; for many names it is one walk. */
unsigned elf_objects_behind(struct elf_object *objects, unsigned max);

/* Whether an object between those two places defines the name. */
bool elf_defined_between(const char *name, int from, int to);

/*
 * Whether the program refers to the name, and the first definition in the loader's order, which its reference
 * finds, is in the object that holds the address.
 */
bool elf_program_binds(const char *name, uint64_t address);

/*
 * How many of the names the object at `address` defines, and how many the one of all others, this library
 * left out, that defines most.
 */
unsigned elf_defines(const char *const names[], unsigned n, uint64_t address, unsigned *others);

/* Function of the C library (or of libdl, where that is apart), NULL if it has none of that name. */
void *elf_libc(const char *name);

#endif
