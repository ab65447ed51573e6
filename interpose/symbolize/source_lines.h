/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source lines of code addresses from the debug information of files that are
 * mapped: read by code of our own, which allocates nothing in the program,
 * opens no library and takes no lock.  What it does not read (compressed
 * sections, split files) the command looks up later.
 */
#ifndef INTERPOSE_SOURCE_LINES_H
#define INTERPOSE_SOURCE_LINES_H

#include "interpose/symbolize/function_names.h"
#include "interpose/runtime/loaded_module.h"

/* An opened file's debug information, NULL without any. `module` helps to find a separate debug file. */
struct line_source;
struct line_source *lines_open(const struct elf_image *image, const struct acl_module *module);

/* File and line of a file address; false when unknown. *file lives as long as the process. */
bool lines_find(struct line_source *source, uint64_t address, const char **file, int *line);

#endif
