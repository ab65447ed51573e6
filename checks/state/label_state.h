/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: the list each is in, whether it marks a place in a stream, how many there are. */
#ifndef CHECKS_LABEL_STATE_H
#define CHECKS_LABEL_STATE_H

#include "checks/engine/instance.h"

#define LABELS 65535 /* there can be */
#define LABEL_WAS_LISTED 1u

struct label_state {
	_Atomic uint64_t list; /* handle of the living list it is in, LABEL_WAS_LISTED, 0 = never in one */
	_Atomic bool set; /* it marks a place in a stream */
};

static inline struct label_state *label_state(struct acl_object *o)
{
	return object_extra(o);
}

/* How many labels the list was made of, 0 = not known. */
uint64_t label_list_size(struct checks *c, const void *list);

/* Labels of the process, at the least. */
uint32_t labels_alive(struct checks *c);

#endif
