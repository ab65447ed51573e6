/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits of which it is not seen what ended them: an external event in a model, an event or a notify that more
 * than one record may end. Where all of them are for records, what the end shows is no more than what came
 * before the records there were; else it may be anything.
 */
#ifndef CHECKS_UNSEEN_ENDS_H
#define CHECKS_UNSEEN_ENDS_H

#include "checks/engine/instance.h"

/*
 * There is such a wait. by_record: only the record of an event or notify ends it, and is not submitted yet;
 * else it may be anything: the write of a word, a record of another process, who knows what.
 */
void unseen_end_follow(struct checks *c, bool by_record);
/* Whether records are all that such waits are for, and every one of them is seen. */
bool unseen_ends_are_records(struct checks *c);
/*
 * Whether a task of the function may end a wait of another stream: a record does, and the write of a word may
 * where it is known which wait that ends.
 */
static inline bool unseen_end_operation(unsigned api)
{
	return acl_apis[api].operation_group == ACL_OP_GROUP_RECORD ||
	       acl_apis[api].operation_group == ACL_OP_GROUP_WRITE;
}
/* Position of the stream's last task that may have ended such a wait, 0 = none. */
uint64_t unseen_end_position(struct acl_object *stream);

#endif
