/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host memory that is aligned well enough this time: what gave it promises less, so another run, another size
 * or another allocation before it makes the copy a misaligned one.
 */
#include "checks/rules/copy/copy_operands.h"
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

#define ALIGNMENT 64
#define LOOKS 4 /* at one call site: what was not luck so often is not checked again */
#define SITES 256

struct site {
	_Atomic uint64_t caller;
	_Atomic uint32_t looks;
};

/* Whether the call site may be looked at once more. */
static bool site_look(struct checks *c, uint64_t caller)
{
	struct site *s = (struct site *)module_state(c, lucky_alignment) + mix64(caller) % SITES;

	if (load_relaxed(&s->caller) != caller) {
		store_relaxed(&s->caller, caller);
		store_relaxed(&s->looks, 0);
	}
	if (load_relaxed(&s->looks) >= LOOKS)
		return false;
	store_relaxed(&s->looks, load_relaxed(&s->looks) + 1);
	return true;
}

static void check_host_side(struct checks *c, struct acl_call_record *call, struct op_access *host)
{
	unsigned promised;

	access_classify(c, call, host);
	promised = host->class == ACL_HOST_HEAP && c->host.heap_alignment
			   ? c->host.heap_alignment(c->host.context, host->address, host->span)
			   : 0;
	if (!promised)
		return;
	FINDING(c, call, "async-copy-alignment-by-luck", promised < ALIGNMENT,
		PARTS(part_address(host->name, host->address), part_bytes("bytes", host->span),
			part_bytes("promised alignment", promised), part_object("stream", stream_of(call))),
		"%s is a block of malloc or new, which promises %u bytes; that it begins at a multiple of %u "
		"is luck.",
		host->name, promised, ALIGNMENT);
}

/* From 8.5 on a copy of memory that is not page-locked is synchronous, which needs no alignment. */
static bool alignment_matters(
	struct checks *c, const struct acl_call_record *call, const struct operation *op)
{
	return op->kind == ACL_OP_COPY_LINEAR && !call->state.capture && !target_at_least(c, ACL_CANN_8_5) &&
	       !runs_on_device(c) && op->direction != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
}

static void lucky_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	for (uint64_t i = 0; alignment_matters(c, call, op) && i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (!e.src->span || !e.src->address || !e.dst->address ||
			((uintptr_t)e.src->address | (uintptr_t)e.dst->address) % ALIGNMENT)
			continue;
		rule_evaluated(call, RULE("async-copy-alignment-by-luck"));
		/* Only one side is the host's: a copy inside the host is another rule's. */
		if (access_is_device(e.dst) && !e.src->block.block && site_look(c, call->caller))
			check_host_side(c, call, e.src);
		else if (access_is_device(e.src) && !e.dst->block.block && site_look(c, call->caller))
			check_host_side(c, call, e.dst);
	}
}

/* Page-locked memory on the host's side: the answer is no. */
static bool lucky_alignment_create(struct checks *c)
{
	rule_evaluated_by(c, RULE("async-copy-alignment-by-luck"), ACL_CALLED_PLAIN_ASYNC);
	return true;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC | ACL_UNLESS_PLAIN, lucky_copy_enter},
};

const struct check_module module_lucky_alignment = {.create = lucky_alignment_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = SITES * sizeof(struct site)};
