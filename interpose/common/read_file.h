/* SPDX-License-Identifier: Apache-2.0 */
/* Whole files in memory. */
#ifndef INTERPOSE_READ_FILE_H
#define INTERPOSE_READ_FILE_H

#include <stddef.h>

/* A regular file into fresh memory, NUL added; NULL if it cannot be read or is too large (errno says). */
char *read_file(const char *path, size_t max, size_t *size);
void read_file_free(char *data, size_t size);

#endif
