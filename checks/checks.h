/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checker: call records in, findings out.  One instance per process (live) or
 * per recorded process (replay).  All functions may be called from any thread
 * at once; none of them blocks on another's call, allocates on the hot path or
 * holds a lock while calling out.
 *
 * Order for each call of the program:
 *	checks_enter(c, &call)	checks arguments and state; findings come out here
 *	the real function	(not when call.forwarded is false)
 *	checks_leave(c, &call)	commits or rolls back, checks the result
 */
#ifndef CHECKS_CHECKS_H
#define CHECKS_CHECKS_H

#include "checks/engine/call_record.h"
#include "checks/engine/finding.h"
#include "aclcheck/model.h"

struct checks;

/* Ways to the same objects that do not lead through the functions we see. */
enum checks_other_submitter {
	CHECKS_OTHER_WORK, /* operators, collectives, kernels launched by other interfaces */
	CHECKS_OTHER_QUEUES, /* shared buffers made, passed on and received by other interfaces */
	CHECKS_OTHER_THREADS /* threads that are there, and may call the runtime for the first time */
};

/* Content of a configuration. */
struct checks_init_config {
	uint64_t hash;
	bool trivial; /* nothing is configured in it */
	bool default_device; /* it names one */
	uint64_t stack; /* bytes of the AI Core stack, 0 = not configured */
};

/* Bytes of the program's memory that are to be copied. */
struct checks_piece {
	const void *from;
	void *to;
	size_t bytes;
};

/* What the checker cannot know by itself. Called with no lock held. */
struct checks_host {
	void *context;
	/* Takes and interns the present call stack; 0 = none to be had. */
	uint32_t (*stack)(void *context, const struct acl_call_record *call);
	/* Class of a host address; only asked for addresses no table knows. */
	enum acl_host_class (*host_class)(void *context, const void *address);
	/*
	 * Which mapping of a shared file the address lies in, such as a driver's device or the memory of a
	 * runtime: equal for the same place of the same file. latest: as of now, else as lately seen. 0 =
	 * none, not known. NULL: never known.
	 */
	uint64_t (*mapping)(void *context, const void *address, bool latest);
	/* Id (never 0) of the module that holds a code address. */
	uint32_t (*module)(void *context, uint64_t code);
	/* Whether the process may go such a way; asked where the answer decides, rather seldom. NULL: it may.
	 */
	bool (*unseen)(void *context, enum checks_other_submitter what);
	/*
	 * Alignment that the program's allocator promises for its block that begins at the address and is
	 * filled by so many bytes: with room the program may have aligned it by hand. 0 = not known; NULL:
	 * never known.
	 */
	unsigned (*heap_alignment)(void *context, const void *address, uint64_t bytes);
	/* Bytes of the machine's main memory, 0 = unknown; NULL: unknown. */
	uint64_t (*memory_total)(void *context);
	/*
	 * A rule is broken; counted: and it is reported. What makes this another place than rule, function
	 * and caller do, as the scope of a test that expects it; 0 = nothing does. call is NULL for what the
	 * whole process did. May be NULL.
	 */
	uint64_t (*place)(
		void *context, struct acl_call_record *call, const struct acl_rule *rule, bool counted);
	/* 0: place() is 0 whatever it is called with. NULL: that is not known. */
	const _Atomic uint32_t *places;
	/* Whether a thread of this process still runs; NULL: those seen in a call do. */
	bool (*thread_lives)(void *context, uint32_t tid);
	/*
	 * The function that another thread is in: 1 + enum acl_api, 0 = none. now: as the checks see it. A
	 * matter of moments: at a replay the answer is the recorded one. NULL: now.
	 */
	unsigned (*inside)(void *context, uint32_t tid, unsigned now);
	/* What the file given to aclInit says; NULL or false: unknown. */
	bool (*init_config)(void *context, const char *path, struct checks_init_config *out);
	/*
	 * Copies bytes of the program's memory; false when they are not all there. The address may be any.
	 * NULL: nothing is read, and what depends on it stays unknown.
	 */
	bool (*read)(void *context, const void *from, void *to, size_t bytes);
	/* The same of bytes that are certainly there. NULL: by read(). */
	bool (*read_trusted)(void *context, const void *from, void *to, size_t bytes);
	/* The same of several pieces at once; false: one is not all there. NULL: each by read(). */
	bool (*read_pieces)(void *context, const struct checks_piece *pieces, unsigned n);
	/* The same of a text, where what is behind its end does not matter. NULL: by read(). */
	bool (*read_text)(void *context, const char *from, char *to, size_t bytes);
	/* Whether an address is proven to lead nowhere. NULL: that is not known of any. */
	bool (*unmapped)(void *context, const void *address);
	/* A finding to show. The pointer is valid during the call only. */
	void (*finding)(void *context, const struct acl_finding *f);
	/*
	 * Calls fn(arg) where there is room for deep calls: the program's stack may be small. NULL: right
	 * here.
	 */
	void (*with_stack)(void *context, void (*fn)(void *), void *arg);
	/* Private anonymous memory for tables, zeroed, never given back; NULL = the table stays as it is and
	 * totals say so. */
	void *(*memory)(void *context, size_t bytes);
};

/* target_cann: "documents" = as strict as the user's documents. */
#define CHECKS_TARGET_DOCUMENTS (-1)
#define CHECKS_TARGET_AUTO (-2)

struct checks_config {
	int target; /* enum acl_cann, CHECKS_TARGET_DOCUMENTS or CHECKS_TARGET_AUTO */
	const char *soc; /* product name, NULL = unknown: product rules stay silent */
	const char
		*visible_devices; /* ASCEND_RT_VISIBLE_DEVICES, NULL = unknown; read by checks_create only */
	bool stacks_all; /* keep full stacks for hot calls too */
	/* Per rule, by acl_rule.index: 0 = as the table says, else 1 + enum acl_default. NULL = all by table.
	 */
	const uint8_t *rule_default;
};

/* Creates the checker; NULL when there is no memory for its fixed tables. */
struct checks *checks_create(const struct checks_config *config, const struct checks_host *host);
void checks_destroy(struct checks *c);

/* Whether any rule or any state listens to this function: unheard ones need not be reported. */
bool checks_listens(const struct checks *c, unsigned api);
/*
 * The pointer map is larger than any cache.  For these functions the caller may
 * hand over the call as soon as it has its arguments: by the time of checks_enter
 * what it will look up is on its way.  Reads nothing of the program's.
 */
bool checks_prefetches(unsigned api);
void checks_prefetch(struct checks *c, const struct acl_call_record *call);

void checks_enter(struct checks *c, struct acl_call_record *call);
void checks_leave(struct checks *c, struct acl_call_record *call);
/* The same for a usual call (acl_call_is_usual) of a thread of which the checker has a record (call->thread).
 */
void checks_enter_usual(struct checks *c, struct acl_call_record *call);
/* checks_prefetch, and that at once. */
void checks_enter_fetching(struct checks *c, struct acl_call_record *call);
void checks_leave_usual(struct checks *c, struct acl_call_record *call);

/*
 * Which model a task that the call submits becomes part of, by a capture, a binding of its stream or a task
 * update; between checks_enter and the real function.
 */
#define CHECKS_RUNS_ONCE 0
#define CHECKS_MODEL_UNKNOWN UINT64_MAX /* unknown whether it runs once */
uint64_t checks_task_model(struct checks *c, const struct acl_call_record *call);
/* Where a callback stands: a task of a stream or, position CHECKS_IN_MODEL, of a model that stands for it. */
struct checks_callback_place {
	uint64_t stream, position; /* 0 = unknown */
};
#define CHECKS_IN_MODEL UINT64_MAX
/*
 * The caller will name each begin of the callback that the call launches; between checks_enter and the real
 * function.  Without it, or with an unknown place, the callback counts as begun once it is launched.
 */
struct checks_callback_place checks_callback_follow(struct checks *c, struct acl_call_record *call);
/* It begins, before any code of the program in it, each time when it runs with a model; position 0: it may
 * inform of all there was, and nothing is locked. */
void checks_callback_begins(struct checks *c, const struct checks_callback_place *place);
/* Whether such a model may run (again). */
bool checks_model_lives(struct checks *c, uint64_t model);

/*
 * A callback of the program (host function, stream callback …) starts or ends on
 * this thread.  outer: the call that launched or registered it, with the ids and
 * the depth of the thread that runs it; argument: the first it is given.
 */
void checks_callback(struct checks *c, struct acl_call_record *outer, const void *argument, bool begins);

/*
 * The program says something of itself (aclcheck.h): api is an enum acl_annotation, args as for a call; the
 * rest of the record as in checks_enter.  NULL: taken, or about what is not known; else why it cannot be
 * meant so: then nothing comes of it.
 */
const char *checks_annotate(struct checks *c, struct acl_call_record *call);

/*
 * What other processes do with memory, events and notifies that are shared: who sees several processes says
 * it, before the call of this one that it matters to.
 */
enum checks_peer_act {
	CHECKS_PEER_IMPORTED, /* memory that this process has exported */
	CHECKS_PEER_CLOSED, /* that import */
	CHECKS_PEER_FREED, /* memory that this process may have imported */
	CHECKS_PEER_SHARED, /* the event or notify that this process has exported or imported under the key */
	CHECKS_PEER_DESTROYED, /* the event or notify of the key, by the process that made it */
	CHECKS_PEER_NEVER_RECORDED, /* that one: by no process, until the end of all of them */
	/* Of what this process is about to import: */
	CHECKS_PEER_UNKNOWN_KEY, /* none has exported it */
	CHECKS_PEER_GONE_KEY, /* it is no more */
	CHECKS_PEER_ON_DEVICE /* the device where it lies, as this process numbers them */
};
struct checks_peer_news {
	enum checks_peer_act act;
	const char *key; /* of an event the bytes of its handle, in hexadecimal digits */
	const char
		*who; /* the other process, in words; it lives as long as the checker. NULL: no single one */
	const void *handle; /* of SHARED */
	int device; /* of ON_DEVICE */
};
void checks_peer(struct checks *c, const struct checks_peer_news *news);

/* With target "auto": the version of the loaded runtime, passed on once after aclInit succeeded. */
void checks_set_runtime(struct checks *c, enum acl_cann version);

/*
 * Of a call that is recorded, before checks_enter or (end) checks_leave: notes in the record which calls of
 * other threads came before it at the objects it names, for the order of a replay.
 */
void checks_order(struct checks *c, struct acl_call_record *call, bool end);

/* The process ends: checks leaks and balances. kind: how. */
enum checks_end { CHECKS_END_EXIT, CHECKS_END_QUICK, CHECKS_END_EXEC };
void checks_finish(struct checks *c, enum checks_end kind);

/* After fork, in the child: locks are made anew, what was inherited is never reported as leaked. */
void checks_forked(struct checks *c);

/* What is not seen, so that rules about the order of tasks are silent behind it, or give advice. */
enum checks_evidence_end {
	CHECKS_END_KERNEL, /* a finding that is advice: a kernel beside it may order the tasks */
	CHECKS_END_OTHER_SUBMITTER, /* the same of a library that submits work below the interface */
	CHECKS_END_VALUE_WAIT, /* a wait for a word of memory */
	CHECKS_END_NOTIFY_WAIT, /* a wait for a notify whose record is not the only one, or not seen yet */
	CHECKS_END_EVENT_WAIT, /* a wait for an external, imported or unknown event, or before its record */
	CHECKS_END_MODEL, /* an execution of a model that waits for something outside, or is not known */
	CHECKS_EVIDENCE_ENDS
};

/* In reports. */
static inline const char *checks_evidence_end_name(enum checks_evidence_end end)
{
	static const char *const names[CHECKS_EVIDENCE_ENDS] = {
		[CHECKS_END_KERNEL] = "kernels",
		[CHECKS_END_OTHER_SUBMITTER] = "other-submitters",
		[CHECKS_END_VALUE_WAIT] = "value-waits",
		[CHECKS_END_NOTIFY_WAIT] = "notify-waits",
		[CHECKS_END_EVENT_WAIT] = "event-waits",
		[CHECKS_END_MODEL] = "models",
	};

	return names[end];
}

/* Counts for the summary and the verdict. */
struct checks_totals {
	uint64_t evidence_ends[CHECKS_EVIDENCE_ENDS]; /* how often */
	uint64_t findings[4]; /* by enum acl_severity, every repeat, advice and suppressed not counted */
	uint64_t advice;
	uint64_t calls; /* calls checked */
	bool degraded; /* a table was full or memory was refused: the verdict is inconclusive */
	const char *degraded_text;
};
void checks_totals(const struct checks *c, struct checks_totals *out);

/* Whether a rule is on whose findings, as configured, are of this severity or a higher one, and no advice. */
bool checks_severity_on(const struct checks *c, enum acl_severity least);

/*
 * How often each rule was evaluated: all its evidence was known and its
 * condition was evaluated, whatever came out.  counts has acl_rule_count elements, by
 * acl_rule.index.
 */
#define CHECKS_RULE_OFF UINT64_MAX /* instead of a count: the rule is switched off */
void checks_rule_counts(const struct checks *c, uint64_t *counts);

/* A place of the program that broke a rule, with its exact count. */
struct checks_site {
	const struct acl_rule *rule;
	uint64_t caller; /* 0 = none: findings of the whole process */
	uint64_t count, serial;
	uint16_t api; /* acl_api_count and more: none */
	uint8_t severity; /* enum acl_severity, as it was evaluated */
	bool advice, secondary;
};

typedef void (*checks_site_fn)(void *context, const struct checks_site *place);
void checks_each_site(const struct checks *c, checks_site_fn fn, void *context);

#endif
