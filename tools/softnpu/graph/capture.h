/* SPDX-License-Identifier: Apache-2.0 */
/* Stream capture: what is open, and what becomes of calls meanwhile. */
#ifndef SOFTNPU_CAPTURE_H
#define SOFTNPU_CAPTURE_H

#include "tools/softnpu/graph/model.h"
#include "tools/softnpu/sync/stream.h"

struct event;

/* A record inside the capture that waits may refer to. */
struct capture_edge {
	unsigned lane, index; /* where the record is */
	bool waited, waited_by_origin;
};

struct capture {
	struct list link; /* of all open captures */
	struct context *ctx;
	struct model *model;
	struct stream *origin; /* lane 0 */
	aclmdlRICaptureMode mode;
	uint64_t thread; /* that began it */
	bool invalid; /* its end will fail; aclmdlRICaptureGetInfo does not show that */
	struct stream **streams; /* by lane */
	struct capture_edge *edges;
	struct list events; /* recorded in it: struct event.captured */
	uint64_t *externals; /* generations of events used with an EXTERNAL flag */
	unsigned n_externals;
	unsigned groups; /* task groups that are open, each on a stream of its own */
	aclError group_error; /* what broke one */
};

/* Appends op to the model the stream is captured into; takes over the reference. */
aclError capture_append(struct stream *s, struct op *op);
/* Events on a capturing stream, or captured events on any stream. */
aclError capture_record(struct stream *s, struct event *ev);
aclError capture_wait(struct stream *s, struct event *ev);
aclError capture_reset(struct stream *s, struct event *ev);
/* A record (or wait) of a model that concerns those outside it. */
aclError capture_external(struct stream *s, struct event *ev, bool record);
/* The event is no longer part of its capture. */
void capture_forget_event(struct event *ev);
/* 107030 when the thread must not make synchronous memory calls while a capture is open; notes no error. */
bool capture_forbids(void);
aclError capture_refuses(void);
void capture_invalidate(struct capture *cap);
/* The model is being captured, and nothing has invalidated that. */
bool capture_is_valid(const struct model *m);
/* In a forked child. */
void captures_forget(void);
/* Capturing stream behind a handle, or an error. */
aclError capture_find(aclrtStream handle, struct stream **s);

#endif
