/* SPDX-License-Identifier: Apache-2.0 */
/* Words of device memory that streams write and wait for. */
#ifndef CHECKS_WORD_STATE_H
#define CHECKS_WORD_STATE_H

#include "checks/engine/instance.h"

/* Whether a wait for the value, with its flags (ACL_STREAM_WAIT_VALUE_…), goes on where the word is there. */
bool word_ends_wait(uint64_t word, uint64_t value, uint64_t flags);
/* In leave of a wait: of all that was put in its word so far, which is known, nothing ends it. */
bool word_wait_is_hopeless(struct acl_call_record *call);
/* Models or other processes may write words. */
bool words_have_other_writers(struct checks *c);

#endif
