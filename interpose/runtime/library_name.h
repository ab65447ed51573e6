/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries recognised by the name of their file. */
#ifndef INTERPOSE_LIBRARY_NAME_H
#define INTERPOSE_LIBRARY_NAME_H

#include <stdbool.h>

/* Whether the file name of a path begins with one of the names. */
bool library_is_named(const char *path, const char *const names[], unsigned n);

/* Is it a library of CANN? */
bool is_cann_library(const char *path);

/* The Python interpreter, and what leads from Python code to C functions (libffi, ctypes). */
bool is_python_library(const char *module);

#endif
