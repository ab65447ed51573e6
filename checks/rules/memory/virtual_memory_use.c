/* SPDX-License-Identifier: Apache-2.0 */
/* Use of virtual memory: where nothing is mapped, without access, and by copies between devices. */
#include "checks/engine/finding_statement.h"
#include "checks/rules/memory/virtual_memory.h"
#include "checks/state/used_memory.h"

/* The first part of the range that was mapped without access. */
static struct acl_block *closed_in(struct checks *c, const struct op_access *r)
{
	uint64_t base = (uintptr_t)r->address, end = base + r->span;
	struct acl_block *b = NULL;

	/* Between rows nothing is touched: only the first one is looked at. */
	if (r->rows > 1)
		end = base + r->width;
	for (unsigned i = 0; i < MAPPINGS && (b = next_mapping(c, b, base, end)) != NULL; i++)
		if (load_relaxed(&b->marks) & BLOCK_NO_ACCESS)
			return b;
	return NULL;
}

/* What reaches behind its mapping. Copies and the like that do are said to be out of bounds: this is why. */
static void check_gap(struct checks *c, struct acl_call_record *call, const struct op_access *r,
	const struct block_lookup *range, enum finding_beside beside)
{
	uint64_t base = (uintptr_t)r->address, gap = base + r->span;

	if (r->span <= range->base + range->size - base)
		gap = first_gap(c, base, r->span);
	FINDING(c, call, "vmm-use-unmapped",
		gap != base + r->span && !load_relaxed(&mapped_ranges(c)->unfollowed),
		PARTS(part_beside(beside), part_address(r->name, r->address), part_bytes("size", r->span),
			part_block("reserved range", range->block)),
		"Nothing is mapped from byte %llu of the range on.", (unsigned long long)(gap - base));
}

static void virtual_use_check(struct checks *c, struct acl_call_record *call, const struct op_access *r)
{
	struct block_lookup range;
	struct acl_block *closed;

	if (!r->span || !check_mapped(c, call, r->address, &range) || !reservation_at(c, r->address, &range))
		return;
	if (acl_apis[call->api].operation_group == ACL_OP_GROUP_CACHE)
		check_gap(c, call, r, &range, BESIDE_NOTHING);
	else if (r->rows <= 1 && r->block.block && r->span > access_room(r))
		check_gap(c, call, r, &range, BESIDE_AS_REASON);
	closed = closed_in(c, r);
	FINDING(c, call, "vmm-noaccess-used", closed,
		PARTS(part_address("address", r->address), part_block("reserved range", range.block),
			part_block("mapping", closed)),
		"The memory was mapped without access, and aclrtMemSetAccess was not called for it.");
}

static void virtual_memory_use_enter(struct checks *c, struct acl_call_record *call)
{
	struct used_memory m;
	const struct op_access *r;

	/* What was reserved is released again: no address lies there. */
	if (!map_live(reserved_ranges(c)))
		return;
	used_memory_each(c, call, &m, r) virtual_use_check(c, call, r);
}

/* Programs that never reserve addresses pay nothing. */
static void virtual_memory_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	used_memory_bind(add, binder, MEMORY_USED, ACL_ENTER | ACL_WHEN(RESERVED) | ACL_UNLESS_PLAIN,
		virtual_memory_use_enter);
}

/* Device of a side of a copy, -1 = unknown or none; *virtual: it is mapped memory. */
static int device_of(struct checks *c, const struct op_access *a, bool *virtual)
{
	if (a && a->block.block && a->block.kind == MEM_MAPPED)
		*virtual = true;
	return a ? memory_device(c, &a->block) : -1;
}

/* True when the entry goes from device to device and is reported. */
static bool check_crossing(struct checks *c, struct acl_call_record *call, const struct op_entry *e)
{
	bool virtual = false;
	int from = device_of(c, e->src, &virtual), to = device_of(c, e->dst, &virtual);

	return virtual && from >= 0 && to >= 0 &&
	       FINDING(c, call, "vmm-cross-device-sync-copy", from != to,
		       PARTS(part_address("src", e->src->address), part_address("dst", e->dst->address),
			       part_int("source device", from), part_int("destination device", to)),
		       "The copy goes from device %d to device %d, and mapped memory takes part.", from, to);
}

/* Every copy but the plain asynchronous one. */
static void crossing_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (op->async && op->kind == ACL_OP_COPY_LINEAR)
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (check_crossing(c, call, &e))
			return;
	}
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(RESERVED) | ACL_UNLESS_PLAIN, crossing_enter},
};

const struct check_module module_virtual_memory_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = virtual_memory_bind,
};
