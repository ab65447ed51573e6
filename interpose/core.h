/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The process-wide state of the library and its stages: nothing happens before
 * the first acl call; that one makes the checker, and from then on calls are
 * seen until the process ends.
 */
#ifndef INTERPOSE_CORE_H
#define INTERPOSE_CORE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/checks.h"
#include "interpose/trace.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum core_stage {
	CORE_ASLEEP, /* no acl call yet */
	CORE_WAKING, /* a thread is in core_wake() */
	CORE_AWAKE, /* calls are seen */
	CORE_OVER /* the end record is written; a failed exec goes back to AWAKE */
};

#define RUNTIME_MODULES 4

struct acl_core {
	/* Read by every call, written hardly ever. */
	_Atomic uint32_t stage; /* enum core_stage */
	_Atomic bool in_exit;
	_Atomic bool begun; /* this process, not its parent, made an acl call */
	uint32_t pid;
	struct checks *checks; /* NULL = checks are off, or there was no memory */
	_Atomic(const struct acl_trace_provider *) trace;
	bool trace_time; /* the provider wants ev->time */
	/* Address ranges of the runtime's modules: calls from there are its own. */
	struct {
		_Atomic uint64_t start, end;
	} runtime[RUNTIME_MODULES];
	_Atomic uint32_t n_runtime;
	_Atomic uint64_t unseen; /* calls forwarded plainly while the tool was waking or busy */
};

extern struct acl_core acl_core;

/* Usable before any constructor, and in code without a sanitizer's instrumentation. */
#define core_is_asleep() (__atomic_load_n((uint32_t *)&acl_core.stage, __ATOMIC_RELAXED) == CORE_ASLEEP)

/*
 * Opens libraries and finds functions, once; for the constructor and our dlsym.
 * The first call does it if they did not.
 */
void core_open(void);

/* First acl call of the process, on the calling thread; true = calls are seen. */
bool core_wake(void);

/* After fork, in the child. */
void core_forked(void);

/* life.c: what the process was started with, and what its first call registers. */
void life_begin(void);
void life_watch(void);

/* One line on stderr, prefix and newline added. No allocation, no stdio. errno is kept. */
void core_say(const char *text, const char *detail);

/* Zeroed memory that is never given back; NULL when there is none. Lock-free. */
void *arena_alloc(size_t bytes);
const char *arena_string(const char *s);

/* Says which functions of the model are checked, traced, resolved: acl_state from that. */
void state_settle(unsigned api);
void state_settle_all(void);

/* trace.c */
void trace_open(void);
void trace_describe(const char *key, const char *value);

/* hostclass.c */
enum acl_host_class host_class_of(const void *address);
void host_class_forked(void);

/* stack.c, module.c: locks made anew. */
void module_forked(void);

/* Whether an address lies in this library itself. */
bool module_is_self(uint64_t address);

/* version.c: after a successful aclInit. */
void version_ask(void);

/* exiting.c: is this thread inside exit handlers? Walks the stack: for cold calls only. */
enum acl_exiting { EXITING_NOT, EXITING_INTERPRETER, EXITING_PROCESS };
enum acl_exiting exiting_now(uint64_t caller);

/* checker.c */
struct checks *checker_create(void);

#endif
