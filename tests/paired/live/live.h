/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live pairs: small programs on the software runtime, two runs each.  With the
 * bug the run must report the rule and nothing else of its own (consequences
 * that the pair names apart); fixed it must be silent.
 *
 *	static void free_by_other_function(void) { … if (bug) … else … }
 *	PAIR("free-host-with-device-free", free_by_other_function)
 */
#ifndef PAIRS_LIVE_H
#define PAIRS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_rt.h"

extern bool bug;

struct live_pair {
	const char *rule;
	const char *name; /* of the scenario */
	void (*scenario)(void);
	const char *also; /* rules the same mistake breaks as well, or NULL */
	bool bare; /* the scenario initialises and finalises itself */
	const char *settings; /* NAME=VALUE … of both runs, or NULL */
	const struct live_pair *next;
};

void live_add(struct live_pair *t);

#define PAIR_WITH(id, function, ...)                                                                         \
	static void function(void);                                                                          \
	__attribute__((constructor)) static void add_##function(void)                                        \
	{                                                                                                    \
		static struct live_pair t = {                                                                \
			.rule = id, .name = #function, .scenario = function, __VA_ARGS__};                   \
		live_add(&t);                                                                                \
	}                                                                                                    \
	static void function(void)
#define PAIR(id, function) PAIR_WITH(id, function, .also = NULL)

#define N ((size_t)4096)

/* What most scenarios need; all of it is given back by the frame when the scenario left it there. */
extern aclrtStream s;
extern void *d, *h; /* N bytes of device memory and of page-locked memory */

aclmdlRI capture_set(void); /* a captured model that sets d */
void capture_begin(aclmdlRICaptureMode mode);
aclmdlRI capture_end(void);
void in_thread(void (*fn)(void));

#endif
