/* SPDX-License-Identifier: Apache-2.0 */
/* Results that appear whole or not at all. */
#ifndef ACLCHECK_WHOLE_FILE_H
#define ACLCHECK_WHOLE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces path by rename; false: one line has been said and path is as it was. */
bool whole_file(const char *path, const char *text, size_t size);

#endif
