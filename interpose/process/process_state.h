/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process-wide state of the library and its stages: nothing happens before
 * the first acl call; that one makes the checker, and from then on calls are
 * seen until the process ends.
 */
#ifndef INTERPOSE_PROCESS_STATE_H
#define INTERPOSE_PROCESS_STATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "checks/checks.h"
#include "interpose/common/thread_state.h"

enum process_stage {
	STAGE_UNINITIALIZED, /* no acl call yet */
	STAGE_INITIALIZING, /* a thread is in process_initialize() */
	STAGE_ACTIVE, /* calls are seen */
	STAGE_FINISHED /* the end record is written; a failed exec goes back to active */
};

struct acl_process {
	/* Read by every call, written hardly ever. */
	_Atomic uint32_t stage; /* enum process_stage */
	_Atomic bool in_exit;
	_Atomic bool opened, all_open; /* process_open() was begun, and is done */
	_Atomic uintptr_t exec_by; /* the thread that has ended the run by an exec that may yet fail */
	_Atomic bool begun; /* this process, not its parent, made an acl call */
	uint32_t pid;
	struct checks *checks; /* NULL = checks are off, or there was no memory */
	_Atomic uint64_t unseen; /* calls forwarded plainly while the tool was initializing or busy */
};

/* Hidden, here and elsewhere: read without the GOT. */
extern struct acl_process acl_process __attribute__((visibility("hidden")));

/* Usable before any constructor, and in code without a sanitizer's instrumentation. */
#define process_is_uninitialized()                                                                           \
	(__atomic_load_n((uint32_t *)&acl_process.stage, __ATOMIC_RELAXED) == STAGE_UNINITIALIZED)

/* The thread's id; the first thread of a process to ask begins the run's records, also after fork. */
uint32_t process_thread_new(struct acl_thread *t);

static inline uint32_t process_thread(struct acl_thread *t)
{
	bool known = t->ids.tid && atomic_load_explicit(&acl_process.begun, memory_order_relaxed);

	return __builtin_expect(known, 1) ? t->ids.tid : process_thread_new(t);
}

static inline bool ends_runtime(unsigned api)
{
	return api == ACL_API_aclFinalize || api == ACL_API_aclFinalizeReference ||
	       api == ACL_API_aclrtResetDevice || api == ACL_API_aclrtResetDeviceForce;
}

/* After the stage or in_exit changed: calls are plain while it is active and the process does not exit. */
void process_settle(void);

/* Says which functions of the model are checked, traced, resolved: acl_state from that. */
void function_state_settle(unsigned api);
void function_state_settle_all(void);
/* After a stack was taken: if there was Python code in it, calls are known by their stacks (stack_site.h)
 * from now on. */
void function_sites_settle(void);

/* Where another thread has ended the run: until it is known that its exec failed, but not for ever. */
void process_await_exec(void);

/* After fork, in the child. */
void process_forked(void);

#endif
