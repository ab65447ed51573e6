/* SPDX-License-Identifier: Apache-2.0 */
/* The log: standard error as it was when the program started, or a file. One write() per record. */
#ifndef INTERPOSE_LOG_H
#define INTERPOSE_LOG_H

#include <stdbool.h>
#include <stddef.h>

/* Remembers which file standard error is; from the constructor. */
void log_early(void);
/* Chooses the place from the settings. */
void log_begin(void);
bool log_wanted(void);
bool log_colour(void);
void log_write(const char *record, size_t size);
/* "aclcheck: " + line + newline, escaped. */
void log_line(const char *line);
/* The same of two parts, detail may be NULL. No allocation, no stdio. errno is kept. */
void log_say(const char *text, const char *detail);

#endif
