/* SPDX-License-Identifier: Apache-2.0 */
/* Subscriptions of streams for callback threads. */
#ifndef SOFTNPU_CALLBACK_H
#define SOFTNPU_CALLBACK_H

#include "tools/softnpu/sync/stream.h"

/* In a forked child. */
void callbacks_forget(void);
/* The stream goes. */
void callback_unsubscribe(struct stream *s);

#endif
