/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of Python code in the calling thread's stack.  ctypes gives the interpreter's lock back before it
 * calls, so the thread's own frames are read where they lie, without a lock and without calling the
 * interpreter; a thread's frames change only by what it runs itself.
 */
#ifndef INTERPOSE_PYTHON_FRAMES_H
#define INTERPOSE_PYTHON_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether there is an interpreter in the process. */
bool python_present(void);

/* Whether frames of Python code were found in some thread already. */
bool python_was_read(void);
/* Whether the calling thread may have some; costs next to nothing. */
bool python_runs(void);

/*
 * A number for the innermost frames of the thread's Python code, as many at most: of their code objects'
 * addresses and the places in them.  0: there are none, or they are not found.  Needs no stack of the tool's,
 * and costs one system call mostly.
 */
uint64_t python_frames_number(unsigned frames);

/*
 * Puts the words of Python frames (python_place.h) in the place of the interpreter's own among n marked code
 * addresses, innermost first; returns how many there are then, at most max.  As they were: the thread runs no
 * Python code, or its frames are not found.
 */
unsigned python_merge(uint64_t *ips, unsigned n, unsigned max);

#endif
