/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One call of the program as the rules see it.  The same struct is filled by
 * the preload library (live) and by the trace reader (replay), and the trace
 * carries every field of it, so a rule may use what stands here and nothing
 * else: checks/ has no clock, no unwinder, no /proc, no files.
 */
#ifndef CHECKS_CALL_RECORD_H
#define CHECKS_CALL_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl_api.h"
#include "checks/engine/call_state.h"

struct checks;

/* Where a host address the tool did not see allocated really lies. */
enum acl_host_class {
	ACL_HOST_UNASKED, /* not looked up yet */
	ACL_HOST_UNKNOWN, /* no proof of anything: rules stay silent */
	ACL_HOST_STACK, /* a thread's stack */
	ACL_HOST_HEAP, /* brk heap or malloc arena */
	ACL_HOST_FILE /* mapped file, program data included */
};

/* How the call reached us. */
enum acl_path {
	ACL_PATH_LINKED, /* through the dynamic symbol */
	ACL_PATH_DLSYM, /* through a pointer fetched by dlsym/dlvsym */
	ACL_PATH_INSIDE /* by the runtime itself, inside another call: recorded, never checked */
};

union acl_result {
	int64_t i;
	uint64_t u;
	const void *p;
};

#define ACL_CALL_PARAMS 16 /* no function of the model has more (checked by the generator) */
#define ACL_CALL_VERSIONS 4

/* An object whose state the call changed: replay orders calls by these. */
struct acl_version {
	uint64_t object; /* kind in the top byte, serial number of the object below */
	uint64_t version; /* 1, 2, 3 … per object */
};

struct acl_call_record {
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
	uint32_t module; /* id of the module holding caller, 0 = not looked up */
	uint32_t stack; /* interned call stack, 0 = not taken */
	void *thread; /* the checker's record of the thread: NULL, or what checks_enter left in the thread's
			 last event */
	uint8_t host_class[ACL_CALL_PARAMS]; /* enum acl_host_class per parameter, filled when first needed */
	struct acl_version versions[ACL_CALL_VERSIONS];
	bool plain; /* its operation is plainly right: see ACL_UNLESS_PLAIN */
	struct call_state state; /* private to checks/ between enter and leave of the same call */
};

/* The argument struct of a function: ACL_ARGS(call, aclrtMemcpyAsync)->dst */
#define ACL_ARGS(call, function) ((const struct acl_args_##function *)(call)->args)

static inline void acl_call_record_init(
	struct acl_call_record *call, unsigned api, const void *args, uint64_t caller)
{
	/*
	 * Field by field: compilers turn a memset of this size into "rep stos", which
	 * takes longer than all the rest.  n_versions says what versions[] holds.
	 */
	call->api = (uint16_t)api;
	call->path = ACL_PATH_LINKED;
	call->n_versions = 0;
	call->callback_depth = 0;
	call->forwarded = true;
	call->in_exit = call->in_exit_handlers = call->missing = false;
	call->pid = call->tid = 0;
	call->pthread_id = call->time = call->time_exit = 0;
	call->args = args;
	call->result.u = 0;
	call->caller = caller;
	call->module = call->stack = 0;
	call->thread = NULL;
	call->plain = false;
	memset(call->host_class, 0, sizeof(call->host_class));
	call_state_init(&call->state);
}

#endif
