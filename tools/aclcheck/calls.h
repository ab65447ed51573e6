/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a killed process called last, from the file beside its journal. */
#ifndef TOOLS_ACLCHECK_CALLS_H
#define TOOLS_ACLCHECK_CALLS_H

#include <jansson.h>

/*
 * [{"thread": id, "calls": [{"call", "args", "result" | "inside"}]}], oldest
 * first; NULL when there is no such file, or none that can be trusted.
 */
json_t *calls_read(const char *path, json_int_t pid);

#endif
