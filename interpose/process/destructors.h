/* SPDX-License-Identifier: Apache-2.0 */
/* What the loader still runs when it ends the process: destructors of the program and its libraries. */
#ifndef INTERPOSE_DESTRUCTORS_H
#define INTERPOSE_DESTRUCTORS_H

#include <stdbool.h>

/* From the constructor, when all that the program was linked with is loaded. */
void destructors_begin(void);

/*
 * While the loader ends the process: whether a destructor may call the runtime. Exit handlers have run by
 * then, and with them the destructors of C++ objects, but for those of libraries that the program was linked
 * with: they were made before the loader's end function was registered.
 */
bool destructors_may_call(void);

#endif
