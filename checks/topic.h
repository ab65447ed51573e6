/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file of checks/ binds its functions to calls: a topic lists plain
 * functions per API and phase; the core calls them in the order of the topics
 * in checks/topics.c.  State topics (objects, memory, capture …) come before
 * rule topics in enter, so that rules see the state the call starts from, and
 * commit in leave.
 */
#ifndef CHECKS_TOPIC_H
#define CHECKS_TOPIC_H

#include "checks/checks.h"

typedef void (*acl_hook_fn)(struct checks *c, struct acl_event *ev);

/* FAILED: after LEAVE, only when a function that returns aclError returned one. */
enum acl_phase { ACL_ENTER, ACL_LEAVE, ACL_FAILED, ACL_PHASES };

/*
 * Added to a phase: the hook has nothing to do until something unusual happens in
 * the process (a capture, a binding, the end …) and is not called before; where
 * that happens checks_unusual() says so.
 */
#define ACL_UNUSUAL 4

struct acl_hook {
	uint16_t api;
	uint8_t phase; /* enum acl_phase, ACL_UNUSUAL */
	acl_hook_fn fn;
};

struct acl_topic {
	const char *name;
	const struct acl_hook *hooks;
	unsigned n_hooks;
	/* Adds hooks decided from the model (all functions with a stream parameter …); may be NULL. */
	void (*bind)(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder);
	bool (*create)(struct checks *c); /* allocates the topic's state; false = no memory; may be NULL */
	/* A callback of the program begins or ends; outer: the call that launched or registered it. */
	void (*callback)(struct checks *c, const struct acl_event *outer, const void *argument, bool begins);
	void (*finish)(struct checks *c, enum checks_end kind);
	void (*forked)(struct checks *c);
};

#endif
