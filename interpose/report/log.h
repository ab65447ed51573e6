/* SPDX-License-Identifier: Apache-2.0 */
/* The log: standard error as it was when the program started, or a file. One write() per record. */
#ifndef INTERPOSE_LOG_H
#define INTERPOSE_LOG_H

#include <stdbool.h>

#include "interpose/common/text.h"

/* Remembers which file standard error is; from the constructor. */
void log_early(void);
/* Chooses the place from the settings. */
void log_begin(void);
bool log_wanted(void);
bool log_colour(void);
/* Each line of the record gets the tag of this process, where several write to one place. */
void log_write(struct text *record);
/* Whether this is what several processes share, and aclcheck run sums up: standard error. */
bool log_summed_up(void);
/* "aclcheck: " + line + newline, escaped. */
void log_line(const char *line);
/* The same of two parts, detail may be NULL. No allocation, no stdio. errno is kept. */
void log_say(const char *text, const char *detail);

#endif
