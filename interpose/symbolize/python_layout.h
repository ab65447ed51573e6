/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of CPython's minor versions: a row of python_layout.def. */
#ifndef INTERPOSE_PYTHON_LAYOUT_H
#define INTERPOSE_PYTHON_LAYOUT_H

#include <stdint.h>

struct python_layout {
	int minor;
	int thread_frame, indirect_frame, thread_id;
	int frame_code, frame_previous, frame_position, frame_owner;
	int code_first_line, code_file, code_name, code_lines, code_instructions, code_number;
	int text_ascii, text_compact;
};

/* The same in every row. */
#define PYTHON_TYPE 8 /* of an object */
#define PYTHON_TEXT_LENGTH 16 /* characters */
#define PYTHON_HASH 24 /* of a text, and of bytes; -1: not computed yet */
#define PYTHON_TEXT_STATE 32
#define PYTHON_BYTES_LENGTH 16
#define PYTHON_BYTES_DATA 32

/* Of a frame and of a code object so much is read: members lie within. */
#define PYTHON_FRAME_BYTES 128
#define PYTHON_CODE_BYTES 160

#define PYTHON_FIRST_MINOR 7
#define PYTHON_LAST_MINOR 13

#endif
