/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: alignment, host to host, page-locked memory while capturing.  One
 * call gives one finding about an address, the most specific.
 */
#include "checks/engine/plain_format.h"
#include "checks/rules/copy/copy_operands.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/stream_state.h"

#define ALIGNMENT 64

static const char *class_name(unsigned class)
{
	static const char *const names[] = {"memory of unknown origin", "memory of unknown origin",
		"a thread's stack", "the heap", "a mapped file or program data"};

	return names[class];
}

const char *operand_text(const struct op_access *s, char out[OPERAND_TEXT])
{
	char size[24];

	if (!s->address)
		return plain_print(out, OPERAND_TEXT, "%s is a device symbol", s->name);
	if (!s->block.block)
		return plain_print(
			out, OPERAND_TEXT, "%s %p is in %s", s->name, s->address, class_name(s->class));
	human_bytes(s->block.size, size);
	if ((uintptr_t)s->address == s->block.base)
		return plain_print(out, OPERAND_TEXT, "%s %p is the start of the %s %s", s->name, s->address,
			size, memory_kind_name(s->block.kind));
	return plain_print(out, OPERAND_TEXT, "%s %p is %llu bytes into the %s %s at 0x%llx", s->name,
		s->address, (unsigned long long)((uintptr_t)s->address - s->block.base), size,
		memory_kind_name(s->block.kind), (unsigned long long)s->block.base);
}

/* Runs everything as device to device: the rules of host memory do not apply. */
static bool unified(struct checks *c)
{
	return runs_on_device(c);
}

/* --- async-copy-h2h ------------------------------------------------------------- */

static bool is_h2h(struct checks *c, const struct operation *op, const struct op_entry *e)
{
	if (unified(c) || e->src->address == e->dst->address ||
		op->direction > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE || op->direction < 0)
		return false;
	if (e->src->location == ACCESS_DEVICE || e->dst->location == ACCESS_DEVICE)
		return false;
	/* The program says so itself, or both addresses are proven to be the host's. */
	return op->direction == ACL_MEMCPY_HOST_TO_HOST ||
	       (e->src->location != ACCESS_UNKNOWN && e->dst->location != ACCESS_UNKNOWN);
}

static void report_h2h(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_entry *e)
{
	char src[OPERAND_TEXT], dst[OPERAND_TEXT];

	FINDING_BROKEN(c, call, RULE("async-copy-h2h"),
		PARTS(COPY_PARTS(op, e), OPERAND_PARTS(e->src), OPERAND_PARTS(e->dst)),
		"%s would copy %llu bytes inside the host: %s, %s", acl_apis[call->api].name,
		(unsigned long long)e->src->span, operand_text(e->src, src), operand_text(e->dst, dst));
}

/* --- capture-unpinned-host ------------------------------------------------------- */

/* The pageable host side of the copy, NULL = none that we can prove. */
static const struct op_access *unpinned(const struct operation *op, const struct op_entry *e, bool refused)
{
	bool reads_host =
		op->direction == ACL_MEMCPY_HOST_TO_DEVICE || op->direction == ACL_MEMCPY_HOST_TO_HOST;
	bool writes_host =
		op->direction == ACL_MEMCPY_DEVICE_TO_HOST || op->direction == ACL_MEMCPY_HOST_TO_HOST;

	if (e->src->location == ACCESS_PAGEABLE ||
		(refused && reads_host && e->src->location == ACCESS_UNKNOWN))
		return e->src;
	if (e->dst->location == ACCESS_PAGEABLE ||
		(refused && writes_host && e->dst->location == ACCESS_UNKNOWN))
		return e->dst;
	return NULL;
}

static void report_unpinned(struct checks *c, struct acl_call_record *call, const struct operation *op,
	const struct op_entry *e, const struct op_access *host, const struct op_access *other)
{
	char first[OPERAND_TEXT], second[OPERAND_TEXT];

	FINDING_BROKEN(c, call, RULE("capture-unpinned-host"),
		PARTS(COPY_PARTS(op, e), OPERAND_PARTS(host), OPERAND_PARTS(other),
			part_object("stream", stream_of(call)),
			part_object("capture", capture_of(c, stream_of(call)))),
		"The stream is being captured, and %s, neither page-locked nor registered; %s.",
		operand_text(host, first), operand_text(other, second));
}

static bool check_unpinned(struct checks *c, struct acl_call_record *call, const struct operation *op,
	const struct op_entry *e, bool refused)
{
	const struct op_access *host;

	if (e->src->address == e->dst->address || unified(c))
		return false;
	host = unpinned(op, e, refused);
	if (!host)
		return false;
	if (refused)
		rule_evaluated(call, RULE("capture-unpinned-host"));
	report_unpinned(c, call, op, e, host, host == e->src ? e->dst : e->src);
	return true;
}

/* --- async-copy-alignment ----------------------------------------------------------- */

/* Both sides lie on one device. */
static bool inside_device(const struct op_entry *e)
{
	return e->src->location == ACCESS_DEVICE && e->dst->location == ACCESS_DEVICE &&
	       e->src->block.block && e->dst->block.block &&
	       load_relaxed(&e->src->block.block->device) == load_relaxed(&e->dst->block.block->device);
}

static void report_alignment(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_entry *e)
{
	unsigned src = (uintptr_t)e->src->address % ALIGNMENT, dst = (uintptr_t)e->dst->address % ALIGNMENT;
	const struct op_access *bad = src ? e->src : e->dst;
	char text[OPERAND_TEXT], also[OPERAND_TEXT + 40], other[OPERAND_TEXT];

	/* Where a product cannot do it, the synchronise says so, and the stream is known to have ended. */
	stream_runs_on(call);
	FINDING_BROKEN(c, call, RULE("async-copy-alignment"),
		PARTS(part_relaxed_to(inside_device(e) ? ACL_SEV_WARNING : ACL_RELAXED_OFF),
			part_uint("src mod 64", src), part_uint("dst mod 64", dst), COPY_PARTS(op, e),
			OPERAND_PARTS(e->src), OPERAND_PARTS(e->dst), part_object("stream", stream_of(call))),
		"%s %p is %u bytes past a 64-byte boundary: %s%s", bad->name, bad->address, src ? src : dst,
		operand_text(bad, text),
		src && dst ? plain_print(also, sizeof(also), "; so is dst, by %u: %s", dst,
				     operand_text(e->dst, other))
			   : "");
}

static bool is_pageable(const struct op_access *s)
{
	return s->location == ACCESS_PAGEABLE || s->location == ACCESS_UNKNOWN;
}

static void check_alignment(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_entry *e)
{
	if (op->direction == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE || e->src->address == e->dst->address)
		return;
	/* From 8.5 on a pageable side makes the copy synchronous, which needs no alignment. */
	if (target_at_least(c, ACL_CANN_8_5) && (is_pageable(e->src) || is_pageable(e->dst)))
		return;
	report_alignment(c, call, op, e);
}

/* --- rc-mode-host-copy ------------------------------------------------------------------- */

static void check_unified(struct checks *c, struct acl_call_record *call, bool wrong, const char *what)
{
	FINDING(c, call, "rc-mode-host-copy", wrong, PARTS(part_enum("run mode", "aclrtRunMode", ACL_DEVICE)),
		"aclrtGetRunMode answered ACL_DEVICE: host and device memory are one here, and %s", what);
}

static void host_allocation(struct checks *c, struct acl_call_record *call)
{
	if (unified(c))
		check_unified(c, call, true, "memory for transfers is not needed");
}

/* ---------------------------------------------------------------------------------------- */

/*
 * The class of an address no table knows costs a search of the process' maps:
 * it is looked up only where the answer decides.
 */
static bool class_matters(const struct acl_call_record *call, const struct op_entry *e)
{
	if (access_is_device(e->src) || access_is_device(e->dst))
		return call->state.capture != 0;
	return e->src->location == ACCESS_UNKNOWN || e->dst->location == ACCESS_UNKNOWN;
}

static void classify(struct checks *c, struct acl_call_record *call, const struct op_entry *e)
{
	if (!class_matters(call, e))
		return;
	access_classify(c, call, e->src);
	access_classify(c, call, e->dst);
}

/* True when the entry gave a finding that covers whatever else is wrong with it. */
static bool check_entry(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_entry *e)
{
	bool known = e->src->location != ACCESS_UNKNOWN, both = known && e->dst->location != ACCESS_UNKNOWN;

	if (known || e->dst->location != ACCESS_UNKNOWN || op->direction == ACL_MEMCPY_HOST_TO_HOST)
		rule_evaluated(call, RULE("async-copy-h2h"));
	if (call->state.capture && both)
		rule_evaluated(call, RULE("capture-unpinned-host"));
	if (is_h2h(c, op, e)) {
		report_h2h(c, call, op, e);
		return true;
	}
	return call->state.capture && check_unpinned(c, call, op, e, false);
}

static bool misaligned(const struct op_entry *e)
{
	return ((uintptr_t)e->src->address | (uintptr_t)e->dst->address) & (ALIGNMENT - 1);
}

/* Alignment is checked of linear copies only: the documents have no such text for the other forms. */
static void async_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	bool linear = op->kind == ACL_OP_COPY_LINEAR;

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!e.src->span || (linear && (!e.src->address || !e.dst->address)))
			continue;
		if (linear)
			rule_evaluated(call, RULE("async-copy-alignment"));
		classify(c, call, &e);
		if (check_entry(c, call, op, &e))
			return;
		if (linear && misaligned(&e))
			check_alignment(c, call, op, &e);
	}
}

static __attribute__((noinline, cold)) void misaligned_copy_report(
	struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	struct op_entry e = operation_entry(op, 0);

	report_alignment(c, call, op, &e);
}

/* Counted as evaluated with all plain copies, which are decoded. */
static void misaligned_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct op_access *first = thread_of(call)->operation->first;

	if (first[0].address == first[1].address)
		return;
	/* Before the repeats: none of them may make the stream one that is said to fail. */
	stream_runs_on(call);
	if (!finding_repeats(c, call, RULE("async-copy-alignment")))
		misaligned_copy_report(c, call);
}

/* One run mode for the process: what the direction says is enough. */
static void copy_direction_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (__builtin_expect(!unified(c), 1))
		return;
	op = operation_of(c, call);
	if (op->n_entries)
		check_unified(c, call,
			op->direction >= ACL_MEMCPY_HOST_TO_HOST &&
				op->direction <= ACL_MEMCPY_DEVICE_TO_HOST,
			"this copy between them is wasted work");
}

/*
 * The runtime refused the copy, and no finding says why.  With addresses whose
 * origin could not be proven, the refusal is the proof: 207000 is its answer to
 * a copy inside the host, 107000 or 107027 to a captured one of pageable memory.
 */
static void async_refused(struct checks *c, struct acl_call_record *call)
{
	bool unpinned = call->state.capture && (error_of(call) == ACL_ERROR_RT_PARAM_INVALID ||
						       error_of(call) == ACL_ERROR_RT_STREAM_CAPTURED);
	const struct operation *op;

	if ((!unpinned && error_of(call) != ACL_ERROR_RT_FEATURE_NOT_SUPPORT) || unified(c))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		classify(c, call, &e);
		if (unpinned && check_unpinned(c, call, op, &e, true))
			return;
		if (!unpinned && !access_is_device(e.src) && !access_is_device(e.dst)) {
			rule_evaluated(call, RULE("async-copy-h2h"));
			report_h2h(c, call, op, &e);
			return;
		}
	}
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC | ACL_UNLESS_PLAIN, async_copy_enter},
	{ON_GROUP(COPY), ACL_ENTER | ACL_UNLESS_PLAIN, copy_direction_enter},
	{ON_GROUP(COPY), ACL_FAILED | ACL_IF_ASYNC, async_refused},
	{ON_OP(ALLOCATE_HOST), ACL_ENTER, host_allocation},
};

static bool copy_create(struct checks *c)
{
	rule_evaluated_by(c, RULE("async-copy-alignment"), ACL_CALLED_PLAIN_ASYNC);
	rule_evaluated_by(c, RULE("async-copy-h2h"), ACL_CALLED_PLAIN_ASYNC);
	return true;
}

const struct check_module module_copy = {.create = copy_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.misaligned = misaligned_copy_enter};
