/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Function names from a module's own file: .symtab if it has one, else the
 * dynamic symbols.  Deliberately no separate debug files: the names decide
 * the fingerprint of a finding and must be the same on every machine.
 */
#ifndef INTERPOSE_FUNCTION_NAMES_H
#define INTERPOSE_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file mapped read-only for the process' life. */
struct elf_image {
	const char *data;
	size_t size;
};

/* Maps a file; keeps no descriptor. */
bool elf_image_map(struct elf_image *image, const char *path);

/*
 * Name of the function that holds a file address, NULL if none is near;
 * *start gets its first address, *stripped whether only dynamic symbols were
 * there (then the name is that of the nearest one below).
 */
const char *elf_function(const struct elf_image *image, uint64_t address, uint64_t *start, bool *stripped);

/* Whether the file has this build-id; true when n is 0 or the file has none. */
bool elf_has_build_id(const struct elf_image *image, const uint8_t *id, unsigned n);

/* The contents of a section as they stand in the file; NULL when it has none, or holds them compressed. */
const void *elf_section(const struct elf_image *image, const char *name, size_t *size);

#endif
