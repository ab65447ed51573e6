/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks that may still run do to memory, block by block.  A task's
 * accesses are entered when it is submitted and are forgotten when the host has
 * seen it done, or when a later one in order covers them.
 *
 * Entering says which unordered access it met: a finding is the rule's affair.
 * Tasks of which it is not known what comes before them keep their memory in use, and are compared with no
 * other. Tasks that run with a model, or whose memory no table knows have no entry: rules are silent about
 * them.
 */
#ifndef CHECKS_PENDING_ACCESS_H
#define CHECKS_PENDING_ACCESS_H

#include "checks/state/access_tree.h"
#include "checks/state/operation.h"

/* The call submits a task, and not to a model (pending_task.c). */
bool task_runs_now(struct checks *c, const struct acl_call_record *call);

/* A pending access and what it has in common with the call's. */
struct access_conflict {
	struct pending_access earlier;
	struct acl_block *block;
	uint64_t start, end; /* the first bytes that both touch */
	uint8_t flags; /* enum access_flag of the call's own access */
	/* Of an execution of a model: the task that does it, as it was captured; caller 0: no execution. */
	struct acl_call_site captured, captured_earlier; /* of the call, of the earlier task */
	bool hidden; /* of two captured tasks: a wait that something unseen ends may order them */
};

/* A task of a model, as it was captured: its kernel has its arguments there. */
static inline bool access_reads_arguments(const struct pending_access *task, uint16_t api)
{
	return task->flags & ACCESS_DESCRIBES && acl_arg_has(api, ACL_ROLE_DEVICE_ARGUMENTS);
}

/* What the call's accesses met when they were entered: enum access_met. */
enum access_met {
	MET_COPY = 1u << 0, /* compared with another stream's access, no set on either side */
	MET_SET = 1u << 1, /* the same with a set */
	MET_POOL = 1u << 2, /* the same with the allocation or release of pool memory */
	MET_CONFLICT = 1u << 3,
	MET_ARGUMENTS = 1u << 4, /* compared with a model's kernel that has its arguments there */
	MET_ANY = 63
};
unsigned accesses_met(const struct acl_call_record *call);
/* What was met unordered; NULL: nothing. Belongs to the call: accesses_met_forget() gives it back. */
struct access_conflict *accesses_conflict(const struct acl_call_record *call);
void accesses_met_forget(struct checks *c, struct acl_call_record *call);

/* Which pending accesses a question is about. */
struct access_question {
	const struct acl_block *block; /* NULL: all in the range */
	uint64_t start, end;
	uint64_t pitch, width; /* of rows, as in struct pending_access */
	bool writes; /* else only accesses that write matter */
	bool mappings; /* and those through other mappings of the block's memory */
	uint64_t stream; /* acl_ref: only its tasks, 0 = all */
	uint64_t context, not_context; /* acl_ref: only, or not, of streams of that context; 0 = all */
	int device, not_device; /* the same of a device, -1 = all */
	uint8_t flags; /* only accesses with one of these enum access_flag, 0 = all */
};

/*
 * The first access that the host certainly does not know to be done; false: none.
 * *compared: enum access_flag of all accesses there were, in flight or not, of whatever stream;
 * COMPARED_ARGUMENTS for those of a kernel's arguments.
 */
#define COMPARED_ARGUMENTS (1u << 8)
bool access_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared);

/*
 * Whether the call, which was captured just now, and an earlier task of the same capture on another stream
 * touch the same bytes, one of them writes, and nothing in the model orders them. earlier.stream is that
 * stream. *met: enum access_met of what it was compared with.
 */
bool captured_unordered(
	struct checks *c, struct acl_call_record *call, struct access_conflict *out, unsigned *met);

/* Of a built model: memory that one of its tasks uses and that is gone, and the call that added the task. */
bool model_memory_gone(
	struct checks *c, struct acl_object *model, const void **address, struct acl_call_site *task);

/*
 * In create, for each rule about accesses in flight: they are followed when one of these rules is on, and
 * else nothing is met, and nothing in flight.
 */
void accesses_follow_for(struct checks *c, const struct acl_rule *rule);

/* The range of an access of the call; false: no table knows its memory, or it is larger. */
bool access_question_of(struct checks *c, const struct acl_call_record *call, const struct op_access *a,
	struct access_question *q);

#endif
