/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks of the program that the runtime will run: seen from their begin to their end. */
#ifndef INTERPOSE_CALLBACK_TRAMPOLINE_H
#define INTERPOSE_CALLBACK_TRAMPOLINE_H

#include <stdbool.h>

#include "interpose/call/call_frame.h"

/* Before the real call: puts our functions in place of the program's. */
void callback_swap(struct acl_call *call, void *args);

/* After it: the program's functions stand in the arguments again; a refused launch is forgotten. */
void callback_settle(struct acl_call *call);

#endif
