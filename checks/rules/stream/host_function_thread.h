/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that run the host functions of streams. */
#ifndef CHECKS_HOST_FUNCTION_THREAD_H
#define CHECKS_HOST_FUNCTION_THREAD_H

#include "checks/engine/instance.h"

/* Id of the thread that aclrtSubscribeHostFunc named for the stream, 0 = none. */
uint64_t host_function_thread_of(struct checks *c, struct acl_object *stream);

#endif
