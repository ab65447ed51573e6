/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions of streams for callback threads. */
#ifndef SOFTNPU_CALLBACK_H
#define SOFTNPU_CALLBACK_H

#include "tools/softnpu/sync/stream.h"

enum served { SERVED_REPORTS, SERVED_HOST_FUNCTIONS };

/* One stream more or less that the thread serves; unsubscribed: as the program wants it. */
aclError callback_thread_add(uint64_t thread, enum served served, int device);
void callback_thread_remove(uint64_t thread, enum served served, bool unsubscribed);
/* The calling thread runs one of what it serves, within so many ms. */
aclError callback_process(enum served served, int32_t timeout);
/* In a forked child. */
void callbacks_forget(void);
/* The stream goes. */
void callback_unsubscribe(struct stream *s);
void host_func_unsubscribe(struct stream *s);

#endif
