/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that put tasks on streams that are being captured. */
#ifndef CHECKS_CAPTURE_THREADS_H
#define CHECKS_CAPTURE_THREADS_H

#include "checks/engine/instance.h"

/* The thread that is putting a task on the same captured stream just now, NULL = none. */
struct acl_thread *capture_other_thread(struct checks *c, const struct acl_call_record *call);

#endif
