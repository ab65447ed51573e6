/* SPDX-License-Identifier: Apache-2.0 */
/* A regular file as a stretch of memory. */
#ifndef TOOLS_ACLCHECK_MAPPED_FILE_H
#define TOOLS_ACLCHECK_MAPPED_FILE_H

#include "tools/aclcheck/scan.h"

/* False after an error was said. */
bool mapped_file(const char *path, struct span *out);
void mapped_file_free(struct span mapped);

#endif
