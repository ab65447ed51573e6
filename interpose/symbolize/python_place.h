/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame of Python code in a call stack: beside code addresses a stack holds words
 * that name a function, a file and a line.
 */
#ifndef INTERPOSE_PYTHON_PLACE_H
#define INTERPOSE_PYTHON_PLACE_H

#include <stdbool.h>
#include <stdint.h>

struct python_place {
	const char *function, *file; /* for the process' life */
	int line; /* 0 = unknown */
	bool library; /* of the interpreter's own library: not the program's code */
	uint32_t number; /* from 1 */
};

/* The word of a place, the same each time; 0: no memory, or too many places. Lock-free. */
uint64_t python_place_word(const char *function, const char *file, int line);

static inline bool is_python_frame(uint64_t word)
{
	return word >> 63;
}

const struct python_place *python_place_of(uint64_t word);

#endif
