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
#define ACL_CALL_AFTER 6

/* The begin or end of a recorded call in one word, by its thread and its number there. */
static inline uint64_t acl_mark(uint32_t tid, uint32_t number, bool end)
{
	return (uint64_t)tid << 33 | (uint64_t)number << 1 | end;
}

static inline uint32_t acl_mark_tid(uint64_t mark)
{
	return (uint32_t)(mark >> 33);
}

/* The thread that calls; whoever makes records keeps one a thread and copies it. */
struct acl_call_thread {
	uint32_t pid, tid; /* kernel ids */
	uint64_t pthread_id; /* pthread_self() */
	void *thread; /* the checker's record of it: NULL, or what checks_enter left in the thread's last call
		       */
};

struct acl_call_record {
	uint16_t api; /* enum acl_api */
	uint8_t n_after;
	bool forwarded; /* the real function was (or will be) called; not one that is missing, or made to fail
			 */
	union {
		struct {
			uint8_t path; /* enum acl_path */
			bool missing; /* the real runtime lacks the function */
			uint16_t callback_depth; /* 0 = not inside a callback of the runtime */
		};
		uint32_t way; /* all of them at once, see acl_call_is_usual() */
	};
	union {
		struct acl_call_thread by;
		struct {
			uint32_t pid, tid;
			uint64_t pthread_id;
			void *thread;
		};
	};
	const void *args; /* struct acl_args_<function>; valid in enter and leave, owned by the caller */
	uint64_t caller; /* return address in the caller */
	/* Zero at first, from here to the end of host_class. */
	union acl_result result; /* leave only */
	uint64_t time; /* CLOCK_MONOTONIC ns at enter, 0 = not taken (taken only when a sink wants it) */
	uint64_t time_exit; /* the same at leave */
	uint32_t module; /* id of the module holding caller, 0 = not looked up */
	uint32_t stack; /* interned call stack, 0 = not taken */
	uint32_t number; /* among the recorded calls of its thread, from 1; 0 = it is not recorded */
	bool in_exit; /* exit handlers, destructors, or an interpreter's end are running */
	bool in_exit_handlers; /* those of the process: an interpreter's own end comes before them */
	bool plain; /* its operation is plainly right: see ACL_UNLESS_PLAIN */
	bool misaligned; /* of a plain one: that is true of all but the alignment of its addresses */
	uint8_t host_class[ACL_CALL_PARAMS]; /* enum acl_host_class per parameter, filled when first needed */
	struct call_state state; /* private to checks/ between enter and leave of the same call */
	/* Begins and ends of other threads' calls that came before at an object it names (acl_mark): replay
	 * orders calls by these. The first n_after are in use. */
	uint64_t after[ACL_CALL_AFTER];
};

/* The program's own call, outside of callbacks, of a function that the runtime has. */
static inline bool acl_call_is_usual(const struct acl_call_record *call)
{
	static const struct acl_call_record unusual = {
		.path = ACL_PATH_INSIDE, .missing = true, .callback_depth = UINT16_MAX};

	return !(call->way & unusual.way);
}

/* The argument struct of a function: ACL_ARGS(call, aclrtMemcpyAsync)->dst */
#define ACL_ARGS(call, function) ((const struct acl_args_##function *)(call)->args)

static inline void acl_call_record_begin(struct acl_call_record *call, unsigned api, const void *args,
	uint64_t caller, const struct acl_call_thread *by)
{
	static const struct acl_call_record first = {.forwarded = true};

	/* The first word at once. */
	memcpy(call, &first, offsetof(struct acl_call_record, by));
	call->api = (uint16_t)api;
	call->by = *by;
	call->args = args;
	call->caller = caller;
	memset((char *)call + offsetof(struct acl_call_record, result), 0,
		offsetof(struct acl_call_record, state) - offsetof(struct acl_call_record, result));
	call_state_init(&call->state);
}

/* Of a thread that nothing is known of. */
static inline void acl_call_record_init(
	struct acl_call_record *call, unsigned api, const void *args, uint64_t caller)
{
	static const struct acl_call_thread unknown;

	acl_call_record_begin(call, api, args, caller, &unknown);
}

#endif
