/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text from what findings say: %s %c %d %u %x %p %%, the lengths l, ll and z,
 * and a precision for %s.  The C library's own needs two KiB of the program's
 * stack for it.
 */
#ifndef CHECKS_PLAIN_FORMAT_H
#define CHECKS_PLAIN_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* What does not fit is cut; the text always ends with a zero. */
void plain_format(char *to, size_t cap, const char *format, va_list ap);
__attribute__((format(printf, 3, 4))) const char *plain_print(char *to, size_t cap, const char *format, ...);

#endif
