/* SPDX-License-Identifier: Apache-2.0 */
/* Which streams come behind others, as pools see it: by the events they waited for. */
#ifndef SOFTNPU_FOLLOW_H
#define SOFTNPU_FOLLOW_H

#include "tools/softnpu/sync/event.h"

/* From the first pool on records and waits are noted. */
void follow_begin(void);
/* The record was submitted to the stream. */
void follow_recorded(struct stream *s, struct record *r);
/* The stream waits for the record. */
void follow_waits(struct stream *s, const struct record *r);
/* Records submitted so far to the stream with that id, 0 when it is gone. */
uint64_t follow_records(int stream);
/* Whether the stream waited for a record of that stream which came after so many others. */
bool follow_is_behind(const struct stream *s, int stream, uint64_t records);
/* The stream goes. */
void follow_forget(struct stream *s);

#endif
