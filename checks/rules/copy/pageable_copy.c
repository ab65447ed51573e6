/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies that are none: large ones, again and again, between the
 * device and host memory that is not page-locked.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/device_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_state.h"

#define LARGE (64u << 10)
#define TIMES 4 /* of one call site: less is initialisation */
#define UNKNOWN 8 /* addresses of unknown origin, then the site is not checked any more */
#define SITES 256

struct site {
	_Atomic uint64_t caller;
	_Atomic uint32_t pageable, unknown;
};

static struct site *pageable_site(struct checks *c, uint64_t caller)
{
	struct site *s = (struct site *)module_state(c, pageable) + mix64(caller) % SITES;

	if (load_relaxed(&s->caller) != caller) {
		store_relaxed(&s->caller, caller);
		store_relaxed(&s->pageable, 0);
		store_relaxed(&s->unknown, 0);
	}
	return s;
}

static bool of_device(const struct op_access *a)
{
	unsigned kind = a->block.kind;

	if (!a->block.block)
		return access_is_device(a); /* a variable of the device */
	return kind == MEM_DEVICE || kind == MEM_POOL || kind == MEM_MAPPED;
}

static void host_side(struct checks *c, struct acl_call_record *call, struct op_access *host)
{
	struct site *s = pageable_site(c, call->caller);

	if (load_relaxed(&s->pageable) >= TIMES || load_relaxed(&s->unknown) >= UNKNOWN)
		return;
	access_classify(c, call, host);
	if (host->location != ACCESS_PAGEABLE) {
		store_relaxed(&s->unknown, load_relaxed(&s->unknown) + 1);
		return;
	}
	store_relaxed(&s->pageable, load_relaxed(&s->pageable) + 1);
	if (load_relaxed(&s->pageable) == TIMES)
		FINDING_BROKEN(c, call, RULE("async-copy-pageable-host"),
			PARTS(part_address(host->name, host->address), part_bytes("bytes", host->span),
				part_object("stream", stream_of(call))),
			"%s is the program's own memory, not page-locked: for the %uth time here the call "
			"waits for the stream and for the copy.",
			host->name, TIMES);
}

static void pageable_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (call->state.capture || runs_on_device(c))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries && op->direction != ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src->span < LARGE || (!of_device(e.src) && !of_device(e.dst)))
			continue;
		rule_evaluated(call, RULE("async-copy-pageable-host"));
		if (!e.src->block.block && e.src->address)
			host_side(c, call, e.src);
		else if (!e.dst->block.block && e.dst->address)
			host_side(c, call, e.dst);
	}
}

/* Page-locked memory on the host's side: the answer is no. */
static bool pageable_create(struct checks *c)
{
	rule_evaluated_by(c, RULE("async-copy-pageable-host"), ACL_CALLED_PLAIN_ASYNC);
	return true;
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_IF_ASYNC | ACL_UNLESS_PLAIN, pageable_copy_enter},
};

const struct check_module module_pageable = {
	.create = pageable_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = SITES * sizeof(struct site),
};
