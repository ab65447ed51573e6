/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What streams did to a value that others wait for: a word of memory, or the count of a notify.  A wait comes
 * behind those changes without which, in whatever order they are made, the value never is what it waits for.
 */
#ifndef CHECKS_VALUE_HISTORY_H
#define CHECKS_VALUE_HISTORY_H

#include "checks/engine/instance.h"

#define VALUE_CHANGES 6 /* that are remembered */

enum value_condition {
	VALUE_AT_LEAST_AROUND, /* of 64 bits, which may have overflowed */
	VALUE_EQUAL,
	VALUE_ANY_BIT,
	VALUE_ANY_BIT_CLEAR, /* of those that the other has clear */
	VALUE_LESS,
	VALUE_MORE,
	VALUE_AT_LEAST,
	VALUE_ALL_BITS,
	VALUE_WHATEVER
};

struct value_test {
	enum value_condition is;
	uint64_t value;
};

/* AWAIT, CLEAR: a wait, which leaves the value or 0. */
enum value_act { VALUE_SET, VALUE_ADD, VALUE_OR, VALUE_AND, VALUE_AWAIT, VALUE_CLEAR };

struct value_change {
	acl_ref stream; /* 0: the host has set it */
	uint64_t position; /* 0 = none */
	uint64_t value; /* that is set, added, waited for … */
	uint64_t after; /* settled: what it leaves */
	uint8_t act; /* enum value_act */
	uint8_t is; /* AWAIT, CLEAR: enum value_condition */
	uint8_t behind; /* bit i: of the change that is i + 1 older, which comes before it on the device */
	bool settled; /* so do all older ones, and what it leaves is known */
	bool followed; /* whoever changes the value from then on is seen */
};

struct value_history {
	struct value_change latest[VALUE_CHANGES]; /* newest first */
	uint32_t changes; /* there ever were */
	bool narrow; /* 32 bits */
	bool lost; /* there were changes of which nothing is known, and which may come late */
};

bool value_passes(const struct value_test *t, uint64_t value);
/* Nothing was known so far. */
void value_begin(struct value_history *h);
/* Nothing is known any more. */
void value_forget(struct value_history *h);
/* It is the value, whatever was before. */
void value_is(struct value_history *h, uint64_t value, bool followed);
/* The task that the call puts on its stream changes it: of what, value, act, is, behind and followed count.
 */
void value_changed(struct checks *c, const struct acl_call_record *call, struct value_history *h,
	struct value_change what);

/* How a wait of the stream ends by what was done so far. */
struct value_end {
	uint32_t ends; /* a bit for each set of the newest changes by which alone it may end; 0: not known */
	unsigned by; /* a bit for each of latest[], when there is one set: these, and the base; else 0 */
	const struct value_change *base; /* the last one that the wait and the newer ones come behind; NULL:
					    not known */
};

struct value_end value_end(struct checks *c, const struct value_history *h, struct acl_object *stream,
	const struct value_test *t);
/* In enter: the call waits, and ends that way. */
void value_wait_begins(
	struct acl_call_record *call, const struct value_history *h, const struct value_end *end);
/* In leave: how it ends was known. */
bool value_wait_known(const struct acl_call_record *call);
/* In leave of a successful one; h: NULL: it is forgotten.  false: what the wait comes behind is not seen. */
bool value_wait_ordered(struct checks *c, const struct acl_call_record *call, const struct value_history *h);

#endif
