/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam to the trace provider.  The library does not depend on LTTng: the
 * provider is a shared object of its own (libaclcheck-lttng.so, beside
 * libaclcheck.so) that is opened, for good, only when tracing can happen and
 * only where dlopen is safe.  Both sides are built from one tree, yet an
 * older file may lie around: abi and size are compared before anything else.
 *
 * Order of one call, all on the calling thread:
 *	checks_enter	findings of this phase come first: finding(); and answer()
 *	enter()		the entry event, with the object versions checks gave it
 *	the real function
 *	checks_leave	finding(), answer()
 *	leave()		the exit event
 * Every enter() is followed by its leave() unless the thread never comes back;
 * both have the call's number, by which readers pair them when events were lost.
 * Calls inside callbacks nest.  No lock of the core is held while a provider
 * function runs, and a provider function never makes an acl call, never
 * blocks on another thread of the program and keeps errno or not (the core
 * restores it).
 */
#ifndef INTERPOSE_TRACE_PROVIDER_H
#define INTERPOSE_TRACE_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/checks.h"
#include "interpose/report/finding_status.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/python_place.h"

#define ACL_TRACE_ABI 9u
#define ACL_TRACE_LIBRARY "libaclcheck-lttng.so"
#define ACL_TRACE_SYMBOL "acl_trace_provider"

/*
 * What the checks ask their process in a recorded call, beyond the call itself (struct checks_host): a replay
 * answers the same. Of memory at most TRACE_ANSWER bytes.
 */
enum trace_question {
	TRACE_ASKS_MEMORY, /* of: an address. The bytes there; not recorded if they could not be read */
	TRACE_ASKS_UNMAPPED, /* of: an address that leads nowhere */
	TRACE_ASKS_MAPPING, /* of: an address. uint64_t */
	TRACE_ASKS_ALIGNMENT, /* of: an address. uint64_t */
	TRACE_ASKS_THREAD, /* of: a thread that has ended */
	TRACE_ASKS_CONFIG, /* of: 0. struct checks_init_config */
	TRACE_ASKS_CLASS, /* of: an address that is no argument. uint64_t: enum acl_host_class */
	TRACE_ASKS_INSIDE /* of: another thread. ACL_API_NAME bytes: the function it is in, "" = none */
};
#define TRACE_ANSWER 1024u

/* In a frame that is a place of Python code. */
#define TRACE_PYTHON (UINT64_C(1) << 63)

/* What the program says of itself (aclcheck.h): annotations, and scopes of findings that are expected or
 * ignored. */
enum {
	TRACE_SAYS_EXPECT = 0x100, /* behind the numbers of ACLCHECK_SAYS_...; text: rule, reason */
	TRACE_SAYS_IGNORE,
	TRACE_SAYS_CLOSE /* bytes: how many scopes of the thread stay open */
};

struct trace_said {
	unsigned what; /* ACLCHECK_SAYS_..., TRACE_SAYS_... */
	uint64_t object, bytes, stream, caller;
	uint32_t stack; /* 0 = not taken */
	const char *text, *reason; /* NULL = none; they may lie in the program's memory */
};

/* What the core offers to the provider; valid for the process' life. */
struct acl_trace_host {
	uint32_t abi, size; /* ACL_TRACE_ABI, sizeof(struct acl_trace_host) */
	const char *version; /* of libaclcheck */
	unsigned n_apis; /* ACL_API_COUNT of the core */
	/* Times and results of calls only are recorded. */
	bool (*minimal)(void);
	/* As in call_stack.h and loaded_module.h. */
	unsigned (*stack_frames)(uint32_t id, const uint64_t **ips);
	const struct acl_module *(*module_of)(uint64_t address);
	const struct acl_module *(*module_by_id)(uint32_t id);
	const uint32_t *modules_closed; /* how often the program closed a library */
	/* As readable_memory.h: copies what may not be there; false: not all of it can be read. */
	bool (*read)(void *to, const void *from, size_t size);
	/*
	 * Switches ACL_STATE_TRACE of a function; callable from any thread at
	 * any time, lock-free.  What wanted() said at load is the start.
	 */
	void (*follow)(unsigned api, bool traced);
	/*
	 * From the provider's destructor, before the recorder is taken down: the core's
	 * own end, with its findings and describe("verdict"), takes place now, unless
	 * destructors of the program may still call.  NULL: it has no end of its own.
	 */
	void (*end)(void);
	/* "fail" or "inconclusive" of a process whose end is still to come; NULL: it has none. */
	const char *(*verdict)(void);
	int (*rank)(void); /* of the process in its job, -1 = none */
	/* Forked by one that had called: the checks went on from there. */
	bool (*forked)(void);
	/*
	 * A stack in which Python code is, with all its frames: addresses, and TRACE_PYTHON with the number
	 * of a place, which python_place() says of the frame of that index. 0: there is none in it. Either
	 * NULL: never.
	 */
	unsigned (*python_stack)(uint32_t id, const uint64_t **frames);
	const struct python_place *(*python_place)(uint32_t id, unsigned index);
	/* A directory in which each process has a file while it runs, "" = none. NULL: the same. */
	const char *(*processes)(void);
};

struct trace_function;

/*
 * Of a function: words that are not 0 while some session records one of its events; others may stand here
 * later.
 */
struct acl_trace_switches {
	const int *enter_on, *leave_on, *call_on;
	const struct trace_function *events; /* the provider's own */
};

/*
 * What the provider gives.  Functions may be called from any thread at once;
 * a NULL member means "not interested".
 */
struct acl_trace_provider {
	uint32_t abi, size; /* ACL_TRACE_ABI, sizeof(struct acl_trace_provider) */
	bool needs_time; /* ev->time and ev->time_exit are wanted besides the recorder's own clock */
	/*
	 * Asked once per function after loading: can this function ever be recorded?
	 * Those get ACL_STATE_TRACE.  NULL = all.  Sessions that start later are met
	 * by the switches.
	 */
	bool (*wanted)(unsigned api);
	const struct acl_trace_switches *switches; /* by function; looked at before each call, in any state of
						      its thread. NULL = all are recorded */
	/* Both may fill ev->time and ev->time_exit (0 = not taken yet) when they take them, and nothing else.
	 */
	void (*enter)(struct acl_call_record *ev);
	void (*leave)(struct acl_call_record *ev);
	/* What the checks were answered in the call, before its enter() or leave(). */
	void (*answer)(const struct acl_call_record *ev, bool at_leave, enum trace_question question,
		uint64_t of, const void *answer, unsigned bytes);
	/* On the thread that said it, behind the findings that are made of it. */
	void (*said)(const struct trace_said *s);
	/* A callback of the program starts or ends on this thread; outer = the call that registered it, may
	 * be NULL; argument = the first that it is given; launch = acl_mark() of the call that
	 * launched it, 1 = none did, 0 = not known. */
	void (*callback)(
		const struct acl_call_record *outer, uint64_t argument, uint64_t launch, bool begins);
	/* After suppressions and expectations: those that do not count come, too. */
	void (*finding)(const struct acl_finding *f, enum finding_status status);
	/*
	 * Self-description of the run, text only ("version", "target_cann",
	 * "runtime", "inconclusive", "verdict" …), once each, at the first call
	 * (replayed to a provider that was loaded later) or when it becomes known.
	 */
	void (*describe)(const char *key, const char *value);
	/* Around fork(): on the forking thread. */
	void (*before_fork)(void);
	void (*after_fork_parent)(void);
	void (*after_fork_child)(void);
};

static inline bool trace_switch_is_on(const int *const *where)
{
	return __builtin_expect(
		__atomic_load_n(__atomic_load_n(where, __ATOMIC_RELAXED), __ATOMIC_RELAXED) != 0, 0);
}

/* Whether some session records this function right now. */
static inline bool trace_is_switched_on(const struct acl_trace_provider *p, unsigned api)
{
	const struct acl_trace_switches *s = p->switches + api;

	return !p->switches || trace_switch_is_on(&s->enter_on) || trace_switch_is_on(&s->leave_on) ||
	       trace_switch_is_on(&s->call_on);
}

/*
 * For a process that is not recorded itself: records that another one has ended, when CLOCK_MONOTONIC was at
 * ns.
 */
#define ACL_TRACE_ENDED_SYMBOL "acl_trace_ended"
typedef void (*acl_trace_ended_fn)(uint32_t pid, uint64_t ns);

/* The file of a process that runs, in the directory of acl_trace_host.processes(): its number, and this. */
#define ACL_TRACE_PROCESS_SUFFIX ".process"

/*
 * The provider's function for the recorded process (name: ACL_TRACE_SYMBOL).  NULL = it
 * refuses (abi of the host differs, recorder not usable); *why then points to a
 * static sentence for the one line that says so.
 */
typedef const struct acl_trace_provider *(*acl_trace_provider_fn)(
	const struct acl_trace_host *host, const char **why);

#endif
