/* SPDX-License-Identifier: Apache-2.0 */
/* Telling the program about failed tasks. */
#ifndef SOFTNPU_EXCEPTION_H
#define SOFTNPU_EXCEPTION_H

#include "tools/softnpu/core/lane.h"

/* A task failed: calls what the program registered, with the lock released meanwhile. */
void exception_raise(struct lane *lane, struct op *op, aclError code);
void exceptions_forget(void);

#endif
