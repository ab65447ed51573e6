/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that process the reports of streams. */
#ifndef CHECKS_STREAM_CALLBACK_H
#define CHECKS_STREAM_CALLBACK_H

#include "checks/engine/instance.h"

/* pthread id of the thread that processes the stream's reports, 0 = none. */
uint64_t callback_thread_of(struct checks *c, struct acl_object *stream);

#endif
