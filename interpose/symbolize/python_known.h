/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of Python frames whose code was met before.  A code object may be freed and another be made at its
 * address, so what it was known by is read again and compared: a number that no other code object has (since
 * 3.12), or else the objects that its names and lines are in, by their hashes or all of their bytes.
 */
#ifndef INTERPOSE_PYTHON_KNOWN_H
#define INTERPOSE_PYTHON_KNOWN_H

#include <stddef.h>
#include <stdint.h>

#include "interpose/symbolize/memory_windows.h"
#include "interpose/symbolize/python_interpreter.h"

/* The objects of a code object that names and lines are in. */
enum python_code_object { PYTHON_OF_FILE, PYTHON_OF_NAME, PYTHON_OF_LINES, PYTHON_OBJECTS };

/* Their addresses. */
void python_code_objects(
	const struct python_layout *l, const uint8_t code[PYTHON_CODE_BYTES], uint64_t of[PYTHON_OBJECTS]);

/* Where a frame is in its code; word 0: not known. */
struct python_position {
	uint64_t code, position, word;
};

/* As many as one stack has. */
#define PYTHON_POSITIONS_MAX 64

/* Fills in the words that are known, by one system call, for which windows are used. */
void python_known_words(const struct python_interpreter *python, struct memory_windows *windows,
	struct python_position *const positions[], unsigned n);

/* The word that was found for a position: of the code object's first PYTHON_CODE_BYTES, and of its objects
 * the first size bytes (their heads at least). */
void python_known_note(const struct python_interpreter *python, const struct python_position *p,
	const uint8_t code[PYTHON_CODE_BYTES], const uint8_t *const of[PYTHON_OBJECTS],
	const size_t size[PYTHON_OBJECTS]);

#endif
