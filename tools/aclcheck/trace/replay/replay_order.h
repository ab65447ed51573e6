/* SPDX-License-Identifier: Apache-2.0 */
/* The records of a process in the order in which its calls were checked. */
#ifndef TOOLS_ACLCHECK_REPLAY_ORDER_H
#define TOOLS_ACLCHECK_REPLAY_ORDER_H

#include "tools/aclcheck/trace/replay/replay_record.h"

typedef void replay_order_fn(void *context, const struct replay_record *r);

struct replay_order;

/* window: so many records, or 256 bytes each, are held back at most, while an earlier one is to come. */
struct replay_order *replay_order_new(unsigned window, replay_order_fn *give, void *context);
/* The next record by time: it is given, or held back and given later. */
void replay_order_take(struct replay_order *o, const struct replay_record *r);
/* Nothing more comes: what is still held back is given. */
void replay_order_flush(struct replay_order *o);
/* Records that were given by time: the one before was not there; each was before the other. */
unsigned replay_order_missing(const struct replay_order *o);
unsigned replay_order_circles(const struct replay_order *o);
void replay_order_free(struct replay_order *o);

#endif
