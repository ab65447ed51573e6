/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing to where people read: a pipe or terminal without reader would hold
 * the program for ever.  What does not fit within a second of the process' life,
 * in all, is dropped and counted.
 */
#ifndef INTERPOSE_LOG_STREAM_H
#define INTERPOSE_LOG_STREAM_H

#include <stddef.h>
#include <stdint.h>

/*
 * One record to a descriptor of the program or one just opened.  The flags of
 * the open file are the program's, and stay as they are.
 */
void log_stream_write(int fd, const char *record, size_t size);

/* A record that could not even be tried. */
void log_stream_lost(void);

/* How many records are missing, or cut short. */
uint64_t log_stream_dropped(void);

/* In the child after fork. */
void log_stream_forked(void);

#endif
