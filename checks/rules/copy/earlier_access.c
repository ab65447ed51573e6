/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that are not done yet, as findings show them. */
#include "checks/rules/copy/earlier_access.h"
#include "checks/engine/evidence.h"
#include "checks/state/stream_state.h"

void earlier_history(struct acl_object_history *h, const void *source)
{
	const struct access_conflict *x = source;
	const struct pending_access *a = &x->earlier;
	unsigned group = acl_apis[a->api].operation_group;

	h->handle = ACL_HANDLE_NONE;
	h->kind = a->flags & ACCESS_ALLOCATES                               ? "allocates or releases memory"
		  : a->flags & ACCESS_SETS                                  ? "sets memory"
		  : earlier_reads_arguments(x)                              ? "reads its arguments"
		  : a->flags & ACCESS_DESCRIBES                             ? "reads a descriptor"
		  : group == ACL_OP_GROUP_WAIT                              ? "waits for a word of memory"
		  : group == ACL_OP_GROUP_WRITE                             ? "writes a word of memory"
		  : group == ACL_OP_GROUP_RANDOM && a->flags == ACCESS_HINT ? "uses memory"
		  : a->flags == ACCESS_HINT                                 ? "prefetches or caches memory"
		  : !(a->flags & ACCESS_WRITES)                             ? "reads memory"
		  : a->flags & ACCESS_READS                                 ? "reads and writes memory"
									    : "writes memory";
	h->value = a->start;
	h->size = a->end - a->start;
	h->device = -1;
	h->created = x->captured_earlier;
	h->last_used = (struct acl_call_site){.tid = a->tid, .caller = a->caller, .api = a->api};
}

static void captured_history(struct acl_object_history *h, const void *source)
{
	const struct access_conflict *x = source;

	h->handle = ACL_HANDLE_NONE;
	h->kind = "uses memory";
	h->value = x->start;
	h->size = x->end - x->start;
	h->device = -1;
	h->created = x->captured;
}

struct finding_part part_captured(const struct access_conflict *x)
{
	return x->captured.caller ? part_history("captured task", captured_history, x) : part_none();
}

const char *who_writes(const struct access_conflict *x)
{
	bool earlier = x->earlier.flags & ACCESS_WRITES;

	if (x->earlier.flags & ACCESS_ALLOCATES)
		return "the memory is there only behind the other one";
	if (x->flags & ACCESS_ALLOCATES)
		return "the memory is gone behind this one";
	return x->flags & ACCESS_WRITES ? earlier ? "both write there" : "this one writes there"
					: "the other one writes there";
}

static bool kernel_in_flight(struct acl_object *stream)
{
	return load_relaxed(&stream_state(stream)->opaque) > stream_completed(stream);
}

bool order_may_be_unseen(struct checks *c, struct acl_object *earlier, struct acl_object *later)
{
	if ((earlier && kernel_in_flight(earlier)) || (later && kernel_in_flight(later))) {
		evidence_ends(c, CHECKS_END_KERNEL);
		return true;
	}
	if (!other_submitters_possible(c, CHECKS_OTHER_WORK))
		return false;
	evidence_ends(c, CHECKS_END_OTHER_SUBMITTER);
	return true;
}

bool end_may_be_unseen(struct checks *c, struct acl_object *stream, uint64_t position)
{
	bool behind = load_relaxed(&stream_state(stream)->opaque) >= position;

	/* A kernel in front of the task is done before the task begins. */
	return order_may_be_unseen(c, behind ? stream : NULL, NULL);
}

/* A release is done to memory that nothing uses; other calls may come before the task, and a kernel in front
 * of it wait for what they do. */
static bool use_may_be_over(struct checks *c, const struct acl_call_record *call,
	const struct access_conflict *x, struct acl_object *stream)
{
	return call->state.releasing ? end_may_be_unseen(c, stream, x->earlier.position)
				     : order_may_be_unseen(c, stream, NULL);
}

/* What the task does with the memory decides whose subject it is. */
static const struct acl_rule *rule_about(const struct acl_rule *rule, const struct access_conflict *x)
{
	return earlier_reads_arguments(x)            ? RULE("kernel-args-freed")
	       : x->earlier.flags & ACCESS_DESCRIBES ? RULE("desc-modified-in-flight")
	       : x->earlier.flags & ACCESS_ALLOCATES ? RULE("pool-cross-stream-unordered")
						     : rule;
}

static void use_evaluated(const struct acl_call_record *call, const struct acl_rule *rule, unsigned compared)
{
	if (compared & COMPARED_ARGUMENTS)
		rule_evaluated(call, RULE("kernel-args-freed"));
	if (compared & ACCESS_DESCRIBES)
		rule_evaluated(call, RULE("desc-modified-in-flight"));
	if (compared & ACCESS_ALLOCATES)
		rule_evaluated(call, RULE("pool-cross-stream-unordered"));
	if (compared)
		rule_evaluated(call, rule);
}

bool use_in_flight(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct access_question *q, const char *what)
{
	struct access_conflict x;
	unsigned compared;
	bool found = access_in_flight(c, q, &x, &compared);
	struct acl_object *stream = found ? object_of(c, x.earlier.stream) : NULL;
	bool unseen;

	if (!stream) {
		use_evaluated(call, rule, compared);
		return false;
	}
	/* What a kernel does when it has its arguments changes nothing about them. */
	unseen = !earlier_reads_arguments(&x) && use_may_be_over(c, call, &x, stream);
	if (call->state.releasing)
		stream_loses(call, stream);
	return FINDING_OF(c, call, rule_about(rule, &x), true,
		PARTS(part_history("task in flight", earlier_history, &x), part_object("its stream", stream),
			part_block("memory", x.block), part_advice(unseen || x.earlier.flags & ACCESS_MAYBE)),
		"%s, and nothing the host did shows that %s on %s is done: " BOTH_TOUCH ". " HOST_EDGE, what,
		acl_apis[x.earlier.api].name, STREAM_TEXT(stream), BOTH_TOUCH_ARGS(&x),
		HOST_EDGE_ARGS(stream, x.earlier.api));
}
