/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the process has a Python interpreter, and whether its frames are found. */
#ifndef INTERPOSE_PYTHON_STATUS_H
#define INTERPOSE_PYTHON_STATUS_H

#include <stdbool.h>

struct python_status {
	unsigned minor; /* of 3.x; 0 = unknown */
	bool read; /* frames of Python code were found */
	const char *why_not; /* call stacks have native frames only; NULL while that is not known */
};

/* false: no interpreter was seen. */
bool python_status(struct python_status *out);

void python_status_seen(unsigned minor, const char *why_not);
void python_status_read(void);
/* Keeps what was said first, and nothing once frames were found. */
void python_status_degrade(const char *why_not);

#endif
