/* SPDX-License-Identifier: Apache-2.0 */
/* The CPython interpreter of this process, found by its symbols. */
#ifndef INTERPOSE_PYTHON_INTERPRETER_H
#define INTERPOSE_PYTHON_INTERPRETER_H

#include <stdbool.h>
#include <stdint.h>

#include "interpose/symbolize/python_layout.h"

struct python_interpreter {
	uint64_t eval_start, eval_end; /* the function that runs Python code */
	uint64_t code_type, text_type, bytes_type; /* type objects */
	struct python_layout layout; /* minor 0: of no version that is known */
	uint32_t module;
	bool embedded; /* the file is the program's own, and holds the interpreter as well */
};

/* false: there is none, and no module came since that was found. */
bool python_possible(void);

/* NULL: there is none; on a stack of the tool's. */
const struct python_interpreter *python_interpreter(void);

/* The value of a key of pthread_key_create for this thread. */
void *python_thread_value(unsigned key);

/* Whether a code address (not marked) is the interpreter's, libffi's or ctypes'. */
bool python_owns_code(const struct python_interpreter *p, uint64_t address);

#endif
