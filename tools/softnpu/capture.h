/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture, as the rest of the runtime sees it. */
#ifndef SOFTNPU_CAPTURE_H
#define SOFTNPU_CAPTURE_H

#include "stream.h"

struct event;

/* Appends op to the model the stream is captured into. */
aclError capture_append(struct stream *s, struct op *op);
/* Events on a capturing stream, or captured events on any stream. */
aclError capture_record(struct stream *s, struct event *ev);
aclError capture_wait(struct stream *s, struct event *ev);
aclError capture_reset(struct stream *s, struct event *ev);
/* 107030 when the thread must not make synchronous memory calls while a capture is open. */
aclError capture_refuses(void);

#endif
