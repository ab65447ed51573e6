/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from exit handlers and destructors. */
#ifndef INTERPOSE_EXIT_DETECTION_H
#define INTERPOSE_EXIT_DETECTION_H

#include <stdint.h>

/* Is this thread inside exit handlers? Walks the stack: for cold calls only. */
enum acl_exiting { EXITING_NOT, EXITING_INTERPRETER, EXITING_PROCESS };
enum acl_exiting exiting_now(uint64_t caller);

#endif
