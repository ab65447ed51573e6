/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of the program as the rules see it.  The same struct is filled by
 * the preload library (live) and by the trace reader (replay), and the trace
 * carries every field of it, so a rule may use what stands here and nothing
 * else: checks/ has no clock, no unwinder, no /proc, no files.
 */
#ifndef CHECKS_EVENT_H
#define CHECKS_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl_api.h"

struct checks;

/* Where a host address the tool did not see allocated really lies. */
enum acl_host_class {
	ACL_HOST_UNASKED, /* nobody looked yet */
	ACL_HOST_UNKNOWN, /* no proof of anything: rules stay silent */
	ACL_HOST_STACK, /* a thread's stack */
	ACL_HOST_HEAP, /* brk heap or malloc arena */
	ACL_HOST_FILE /* mapped file, program data included */
};

/* How the call reached us. */
enum acl_path {
	ACL_PATH_LINKED, /* through the dynamic symbol */
	ACL_PATH_DLSYM, /* through a pointer fetched by dlsym/dlvsym */
	ACL_PATH_INSIDE /* by the runtime itself, inside another call: observed, never judged */
};

union acl_result {
	int64_t i;
	uint64_t u;
	const void *p;
};

#define ACL_EVENT_PARAMS 16 /* no function of the model has more (checked by the generator) */
#define ACL_EVENT_VERSIONS 4

/* An object whose state the call changed: replay orders calls by these. */
struct acl_version {
	uint64_t object; /* kind in the top byte, serial number of the object below */
	uint64_t version; /* 1, 2, 3 … per object */
};

struct acl_event {
	uint16_t api; /* enum acl_api */
	uint8_t path; /* enum acl_path */
	uint8_t n_versions;
	uint16_t callback_depth; /* 0 = not inside a callback of the runtime */
	bool forwarded; /* the real function was (or will be) called */
	bool in_exit; /* exit handlers, destructors, or an interpreter's end are running */
	bool in_exit_handlers; /* those of the process: an interpreter's own end comes before them */
	bool missing; /* the real runtime lacks the function */
	uint32_t pid, tid; /* kernel ids */
	uint64_t pthread_id; /* pthread_self() */
	uint64_t time; /* CLOCK_MONOTONIC ns at enter, 0 = not taken (taken only when a sink wants it) */
	uint64_t time_exit; /* the same at leave */
	const void *args; /* struct acl_args_<function>; valid in enter and leave, owned by the caller */
	union acl_result result; /* leave only */
	uint64_t caller; /* return address in the caller */
	uint32_t module; /* id of the module holding caller, 0 = not asked */
	uint32_t stack; /* interned call stack, 0 = not taken */
	void *thread; /* the checker's record of the thread: NULL, or what checks_enter left in the thread's
			 last event */
	uint8_t host_class[ACL_EVENT_PARAMS]; /* enum acl_host_class per parameter, filled when first asked */
	struct acl_version versions[ACL_EVENT_VERSIONS];
	/* Private to checks/ between enter and leave of the same call; 0 before. */
	uint64_t carry[8];
};

/* The argument struct of a function: ACL_ARGS(ev, aclrtMemcpyAsync)->dst */
#define ACL_ARGS(ev, function) ((const struct acl_args_##function *)(ev)->args)

static inline void acl_event_init(struct acl_event *ev, unsigned api, const void *args, uint64_t caller)
{
	/*
	 * Field by field: compilers turn a memset of this size into "rep stos", which
	 * takes longer than all the rest.  n_versions says what versions[] holds.
	 */
	ev->api = (uint16_t)api;
	ev->path = ACL_PATH_LINKED;
	ev->n_versions = 0;
	ev->callback_depth = 0;
	ev->forwarded = true;
	ev->in_exit = ev->in_exit_handlers = ev->missing = false;
	ev->pid = ev->tid = 0;
	ev->pthread_id = ev->time = ev->time_exit = 0;
	ev->args = args;
	ev->result.u = 0;
	ev->caller = caller;
	ev->module = ev->stack = 0;
	ev->thread = NULL;
	memset(ev->host_class, 0, sizeof(ev->host_class));
	for (unsigned i = 0; i < sizeof(ev->carry) / sizeof(ev->carry[0]); i++)
		ev->carry[i] = 0;
}

#endif
