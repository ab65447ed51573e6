/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes before what.  Tasks of a stream run one after the other; a wait of
 * a stream puts what came before the record in front of its later tasks; what
 * the host has observed as done (stream_completed()) is before everything
 * that is submitted later.  A stream has a clock for that, which changes at its
 * waits only: a record needs nothing but (stream, position), and a later wait
 * looks in the stream's latest clocks which one was in force there.
 *
 * Waits for what the checker does not see (a notify or a word of memory that more
 * than one record or write may end, external events) may come after anything:
 * until the host has seen their end, nothing is said of the tasks behind them.
 */
#ifndef CHECKS_ORDER_STATE_H
#define CHECKS_ORDER_STATE_H

#include "checks/state/clock.h"

/* The clock in force at a position of the stream; to be released. */
struct clock *order_clock(struct acl_object *stream, uint64_t position);
/* Whether a task of source is certainly done, or certainly before what is put on the stream now. */
bool order_is_before(struct acl_object *source, uint64_t position, struct acl_object *stream);
/* Whether the stream's next task may come after something that is not seen. */
bool order_unseen(struct checks *c, struct acl_object *stream);
/* Whether tasks of stream wait for source at that position, or for something that is not seen. */
bool stream_waits_on(
	struct checks *c, struct acl_object *stream, const struct acl_object *source, uint64_t position);
/* A live stream whose end of a wait is not known, at or after *cursor, that waits for a task of source; NULL
 * = none. */
struct acl_object *stream_waiter(
	struct checks *c, struct acl_object *source, uint32_t *cursor, uint64_t *task);

#endif
