/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a file of checks/ binds its functions to calls: a module lists plain
 * functions per API and phase.  State modules (objects, memory, capture …) come
 * before rule modules in enter, so that rules see the state the call starts
 * from, and commit in leave.
 */
#ifndef CHECKS_CHECK_MODULE_H
#define CHECKS_CHECK_MODULE_H

#include "check_modules.h"
#include "checks/checks.h"

typedef void (*check_hook_fn)(struct checks *c, struct acl_call_record *call);

/*
 * Added to a phase.
 *
 * WHEN: the hook has nothing to do until something happens in the process (a capture,
 * a second device, the end …) and is not called before; where that happens
 * checks_when(c, …) says so.
 * UNLESS_PLAIN: nor has it anything to say of a call whose operation is plainly
 * right: all its memory known, large enough and on the side the call says, on one
 * device, not captured; that it is aligned is .misaligned's.
 * IF_SPECIAL: nor of one whose stream and event are as most are: see ACL_OBJECT_SPECIAL.
 * IF_ASYNC, IF_NOT_ASYNC: only functions of that mode.
 * DECIDES: the hook finds out whether the call is plain, or what it evaluates.
 */
#define ACL_UNLESS_PLAIN 8
#define ACL_IF_ASYNC 16
#define ACL_IF_NOT_ASYNC 32
#define ACL_DECIDES 64
#define ACL_IF_SPECIAL 128
#define ACL_WHEN(what) (WHEN_##what << 8)

enum check_when {
	WHEN_ALWAYS,
	WHEN_CAPTURES, /* a capture has begun */
	WHEN_DEVICES, /* a second device was set */
	WHEN_CALLBACKS, /* a callback of the program has run */
	WHEN_DEVICE_ONLY, /* an event for kernels only was made */
	WHEN_BOUND, /* a stream was bound to a model */
	WHEN_FINALIZED,
	WHEN_SNAPSHOT, /* the process was locked for one */
	WHEN_STREAM_FAILED, /* a task of a stream that stops on failure */
	WHEN_ALLOCATION_FAILED,
	WHEN_STREAM_NOT_MADE, /* and its variable holds NULL, the default stream */
	WHEN_IMPORTED, /* memory of another process */
	WHEN_RESERVED, /* a range of addresses to map memory into */
	WHEN_DESCRIBED, /* the descriptor of a copy was filled in */
	WHEN_WORDS, /* a stream wrote a word in memory that only the device reads */
	WHEN_WORDS_KNOWN, /* of a word it is known what a stream has written there */
	WHEN_WORD_AWAITED, /* a stream waits for a value that nothing has put in its word */
	WHEN_ARGUMENTS, /* a kernel was launched whose arguments lie in memory of the device */
	WHEN_VARIABLES, /* the address of a variable of the device is known */
	WHEN_DECLARED, /* it was declared what kernels read and write */
	WHEN_STATUS_ASKED, /* what arithmetic met is under way to the buffer of the program */
	WHEN_MANAGED, /* memory of both sides was allocated */
	WHEN_ALLOCATOR, /* a stream was given an allocator of the program's */
	WHEN_GRAPH_EVENT, /* an event that orders tasks of models was made */
	WHEN_CONDITION_VALUE, /* the address of the value of a model's condition is known */
	WHEN_WAIT_OPEN, /* a stream waits for an event that was not recorded yet */
	WHEN_BLOCKED, /* a stream waits for what only another task or the host can signal */
	WHEN_END_UNSEEN, /* a wait of which it is not seen which record ends it */
	WHEN_EVENTS_SHARED, /* an event that other processes may see was made */
	WHEN_PEERS, /* what other processes do is known, and matters to this one */
	WHEN_COUNT
};

/*
 * What a hook listens to: an operation, a group of operations, every function that
 * does something to a kind of object, every function with an argument of a role; all as the API model has
 * them, so that no variant is forgotten.  A single function (ACL_API_…) is the exception and
 * says why.
 */
enum check_subject {
	CHECK_ON_FUNCTION,
	CHECK_ON_OPERATION,
	CHECK_ON_GROUP,
	CHECK_ON_OBJECT,
	CHECK_ON_ROLE,
	CHECK_ON_OPERATION_WITH_ROLE,
	CHECK_ON_GROUP_WITH_ROLE
};
#define ON_OP(leaf) ((uint32_t)CHECK_ON_OPERATION << 24 | ACL_OP_##leaf)
#define ON_GROUP(group) ((uint32_t)CHECK_ON_GROUP << 24 | ACL_OP_GROUP_##group)
/* ON_OBJECT(STREAM, DESTROY): functions with a parameter of that enum acl_handle and enum acl_life. */
#define ON_OBJECT(handle, life)                                                                              \
	((uint32_t)CHECK_ON_OBJECT << 24 | (uint32_t)ACL_HANDLE_##handle << 8 | ACL_LIFE_##life)
#define ON_ROLE(role) ((uint32_t)CHECK_ON_ROLE << 24 | ACL_ROLE_##role)
/* Functions of an operation, or of a group, that have an argument of the role. */
#define ON_OP_WITH(leaf, role)                                                                               \
	((uint32_t)CHECK_ON_OPERATION_WITH_ROLE << 24 | ACL_ROLE_##role << 12 | ACL_OP_##leaf)
#define ON_GROUP_WITH(group, role)                                                                           \
	((uint32_t)CHECK_ON_GROUP_WITH_ROLE << 24 | ACL_ROLE_##role << 12 | ACL_OP_GROUP_##group)

struct check_hook {
	uint32_t on; /* ON_OP() …, or an enum acl_api */
	uint16_t phase; /* enum acl_phase and what is added to it */
	check_hook_fn fn;
};

/*
 * const struct check_module module_NAME = {…} in a source file is all that makes a module: the build lists
 * them, state modules in their order, the others by name.
 */
struct check_module {
	uint8_t order; /* of modules that own state: theirs is committed in this order in enter, undone in the
			  opposite one in leave; 0 = rules, in no order */
	const struct check_hook *hooks;
	unsigned n_hooks;
	/* Adds hooks decided from the model (all functions with a stream parameter …); may be NULL. */
	void (*bind)(void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder);
	size_t state_size; /* of what it keeps beside the objects, see module_state(); zeroed */
	bool (*create)(struct checks *c); /* what the state needs besides; false = no memory; may be NULL */
	/* Rare moments of a call; each is one module's at the most. */
	check_hook_fn uninitialized; /* enter, until aclInit is called: before all others */
	check_hook_fn missing; /* enter of a function that the runtime lacks: before all others */
	check_hook_fn default_stream; /* enter: the stream that the call names is NULL */
	check_hook_fn unsettled; /* enter: a handle of the call is unknown, not alive, or about to be
				    destroyed; before all other rules */
	check_hook_fn misaligned; /* enter, after the other rules: a copy that is plain but for the alignment
				     of its addresses */
	check_hook_fn returned_error; /* FAILED, after all others, of every function that returns aclError */
	check_hook_fn suspected; /* after leave: there was a finding, and yet no error */
	/* A callback of the program begins or ends; outer: the call that launched or registered it. */
	void (*callback)(
		struct checks *c, const struct acl_call_record *outer, const void *argument, bool begins);
	/* Of another process; key: of the text in it. */
	void (*peer)(struct checks *c, const struct checks_peer_news *news, uint64_t key);
	void (*finish)(struct checks *c, enum checks_end kind);
	/* After the finish of all: what no other module has named by then. */
	void (*finish_rest)(struct checks *c, enum checks_end kind);
	void (*forked)(struct checks *c);
};

extern const struct check_module *const check_modules[MODULE_COUNT];

#endif
