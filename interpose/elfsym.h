/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of loaded objects, read from their own dynamic sections: no loader
 * lock, no hook in between, usable before any constructor ran.
 */
#ifndef INTERPOSE_ELFSYM_H
#define INTERPOSE_ELFSYM_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

struct elf_object {
	uint64_t base;
	const ElfW(Sym) * symbols;
	const char *strings;
	const ElfW(Half) * versions; /* NULL = the object has none */
	const uint32_t *gnu_hash, *sysv_hash; /* at least one is set */
};

bool elf_object_of(const struct dl_phdr_info *info, struct elf_object *out);

/* Address of the function's default version that the object defines, NULL if it defines none. */
void *elf_find(const struct elf_object *object, const char *name);

/* Whether the object refers to the name without defining it. */
bool elf_imports(const struct elf_object *object, const char *name);

/* The object that holds an address; false if none does. */
bool elf_object_at(uint64_t address, struct elf_object *out);

/* Where the first object other than this library that defines the name has it; false if none does. */
bool elf_elsewhere(const char *name, uint64_t *start, uint64_t *end);

/* Function of the C library (or of libdl, where that is apart), NULL if it has none of that name. */
void *elf_libc(const char *name);

#endif
