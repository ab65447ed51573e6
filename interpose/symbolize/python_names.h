/* SPDX-License-Identifier: Apache-2.0 */
/* Words of Python frames, read from the interpreter's objects. */
#ifndef INTERPOSE_PYTHON_NAMES_H
#define INTERPOSE_PYTHON_NAMES_H

#include "interpose/symbolize/python_known.h"

/*
 * Fills in words of positions that have none yet, some at a time; returns how many have one afterwards, from
 * the first on: 0 if not even that can be read.  What is read is noted in python_known.h.  On a stack of the
 * tool's.
 */
unsigned python_names(
	const struct python_interpreter *python, struct python_position *const positions[], unsigned n);

#endif
