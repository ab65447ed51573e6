/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live twins: small programs on the software runtime, two runs each.  With the
 * bug the run must report the rule and nothing else of its own (consequences
 * that the twin names apart); mended it must be silent.
 *
 *	static void free_by_other_function(void) { … if (bug) … else … }
 *	TWIN("free-host-with-device-free", free_by_other_function)
 */
#ifndef TWINS_LIVE_H
#define TWINS_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl_rt.h"

extern bool bug;

struct live_twin {
	const char *rule;
	const char *name; /* of the scene */
	void (*scene)(void);
	const char *also; /* rules the same mistake breaks as well, or NULL */
	bool bare; /* the scene initialises and finalises itself */
	const char *settings; /* NAME=VALUE … of both runs, or NULL */
	const struct live_twin *next;
};

void live_add(struct live_twin *t);

#define TWIN_WITH(id, function, ...)                                                                         \
	static void function(void);                                                                          \
	__attribute__((constructor)) static void add_##function(void)                                        \
	{                                                                                                    \
		static struct live_twin t = {.rule = id, .name = #function, .scene = function, __VA_ARGS__}; \
		live_add(&t);                                                                                \
	}                                                                                                    \
	static void function(void)
#define TWIN(id, function) TWIN_WITH(id, function, .also = NULL)

#define N ((size_t)4096)

/* What most scenes need; all of it is given back by the frame when the scene left it there. */
extern aclrtStream s;
extern void *d, *h; /* N bytes of device memory and of page-locked memory */

aclmdlRI capture_set(void); /* a captured model that sets d */
void capture_begin(aclmdlRICaptureMode mode);
aclmdlRI capture_end(void);
void in_thread(void (*fn)(void));

#endif
