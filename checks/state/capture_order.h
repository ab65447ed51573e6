/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What comes before what within a captured model: each stream of the capture has the
 * number of its latest task before which come, of each other stream, the tasks up to
 * some number.  That changes at its waits only.  Under the lock of the model.
 */
#ifndef CHECKS_CAPTURE_ORDER_H
#define CHECKS_CAPTURE_ORDER_H

#include "checks/engine/instance.h"

#define ORDER_STREAMS 256 /* of a capture that are followed */

struct order_stream;

struct capture_order {
	struct order_stream *stream;
	uint32_t room; /* streams there is memory for */
	uint32_t numbers; /* in the versions of all */
	bool incomplete; /* something is not known: everything may be ordered */
};

void capture_order_free(struct checks *c, struct capture_order *o);
/* Task number `task` of a stream waits for the task `record` of another; streams count from 1, 0 = not known.
 */
void capture_order_wait(struct checks *c, struct capture_order *o, uint32_t stream, uint32_t task,
	uint32_t other, uint32_t record);
/* Whether a task of the earlier stream comes before the next one of the later, or may. */
bool capture_order_is_before(const struct capture_order *o, uint32_t earlier, uint32_t task, uint32_t later);
/* Whether that task of the earlier stream surely comes before task `behind` of the later. */
bool capture_order_is_surely_before(
	const struct capture_order *o, uint32_t earlier, uint32_t task, uint32_t later, uint32_t behind);

#endif
