/* SPDX-License-Identifier: Apache-2.0 */
/* What a pool has to give, as the runtime counts it: parts of a range as long as the pool may grow. */
#ifndef SOFTNPU_POOL_SEGMENTS_H
#define SOFTNPU_POOL_SEGMENTS_H

#include "tools/softnpu/core/npu.h"

struct pool_segment;
struct stream;

struct pool_segments {
	struct list all; /* in the order of the range */
	size_t used, reserved; /* reserved: used, and what streams gave back */
	size_t used_high, reserved_high;
};

bool segments_open(struct pool_segments *p, size_t size);
void segments_close(struct pool_segments *p);
/* What streams gave back may be had by */
enum reuse {
	REUSE_OWN = 1, /* the stream that did */
	REUSE_FOLLOWED = 2, /* streams that waited for an event recorded there since */
	REUSE_ANY = 4
};

/* For the stream; reuse: in which of the ways, besides its own. NULL: the pool has no such part. */
struct pool_segment *segment_take(
	struct pool_segments *p, size_t size, const struct stream *s, unsigned reuse);
/* The stream that it was taken for may have it again. */
void segment_give_back(struct pool_segments *p, struct pool_segment *s);
/* Any stream may have it. */
void segment_free(struct pool_segments *p, struct pool_segment *s);
/* Of what streams gave back, as much becomes free as is reserved beyond keep. */
void segments_trim(struct pool_segments *p, size_t keep);

#endif
