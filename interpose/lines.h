/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines of code addresses from debug information (libdw, opened hidden on demand). */
#ifndef INTERPOSE_LINES_H
#define INTERPOSE_LINES_H

#include "interpose/elf_names.h"
#include "interpose/module.h"

/* Opens libdw; only where dlopen is safe. */
void lines_prepare(void);

/* An opened file's debug information, NULL without any. `module` helps to find a separate debug file. */
struct Dwarf;
struct Dwarf *lines_open(const struct elf_image *image, const struct acl_module *module);

/* File and line of a file address; false when unknown. *file lives as long as the process. */
bool lines_find(struct Dwarf *dwarf, uint64_t address, const char **file, int *line);

#endif
