/* SPDX-License-Identifier: Apache-2.0 */
/* Is a program able to map an AscendCL runtime, by its file? */
#ifndef TOOLS_ACLCHECK_LINKED_H
#define TOOLS_ACLCHECK_LINKED_H

#include <stdbool.h>
#include <stddef.h>

/* Name of a runtime's library at the end of a path: "libascendcl.so", "libacl_rt.so" with any version. */
bool is_runtime(const char *path);

enum linked {
	LINKED_NOT,
	LINKED, /* by itself or by what it is linked with */
	LINKED_MAYBE /* it opens libraries by itself, and a runtime is on its library path */
};

/*
 * Follows the dynamic sections as the loader would; libraries is its
 * LD_LIBRARY_PATH.  The runtime's name goes to name.  Of a script the
 * interpreter is looked at.
 */
enum linked linked_to_runtime(const char *program, const char *libraries, char *name, size_t size);

#endif
