/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors of copies and cache operations in device memory: where they lie, what they say, whether they
 * say it. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/described_copy.h"
#include "checks/state/descriptor_state.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/written_state.h"

enum desc_kind { DESC_COPY, DESC_CMO };

struct descriptor_state {
	struct value_table filled; /* key of kind and address -> serial of the block */
};

static struct descriptor_state *descriptors(struct checks *c)
{
	return module_state(c, descriptor);
}

static enum desc_kind kind_of(const struct acl_call_record *call)
{
	switch (acl_apis[call->api].operation) {
	case ACL_OP_DESCRIBE_COPY:
	case ACL_OP_COPY_DESCRIBED:
		return DESC_COPY;
	default:
		return DESC_CMO;
	}
}

/* All four begin with the descriptor. */
static const void *desc_of(const struct acl_call_record *call)
{
	return ACL_ARGS(call, aclrtSetMemcpyDesc)->desc;
}

/* --- where it lies ---------------------------------------------------------------------- */

static void say_buffer(
	struct checks *c, struct acl_call_record *call, const struct block_lookup *place, const char *what)
{
	uint64_t size = descriptor_bytes(c, call);

	FINDING_BROKEN(c, call, RULE("desc-buffer-invalid"),
		PARTS(part_address("descriptor", desc_of(call)),
			size ? part_bytes("size of a descriptor", size) : part_none(),
			part_block("memory", place->block)),
		"The descriptor %s.", what);
}

/* Whether the descriptor lies in device memory we know. */
static bool check_buffer(struct checks *c, struct acl_call_record *call, struct block_lookup *place)
{
	const void *desc = desc_of(call);
	uint64_t size = descriptor_bytes(c, call);

	place->block = NULL;
	if (!desc || runs_on_device(c))
		return false;
	if (!map_find(memory_blocks(c), (uintptr_t)desc, place) &&
		!(map_live(registered_ranges(c)) && map_find(registered_ranges(c), (uintptr_t)desc, place))) {
		if (host_class(c, call, 0, desc) > ACL_HOST_UNKNOWN)
			say_buffer(c, call, place, "lies in the program's own host memory");
		return false;
	}
	if (kind_is_host(place->kind))
		say_buffer(c, call, place, "lies in host memory");
	else if ((place->kind == MEM_DEVICE || place->kind == MEM_POOL) &&
		 size > place->size - ((uintptr_t)desc - place->base))
		say_buffer(c, call, place, "goes beyond the end of its memory");
	return place->kind == MEM_DEVICE;
}

/* --- what it says ------------------------------------------------------------------------ */

static void filling(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtSetMemcpyDesc *a = call->args;
	struct block_lookup desc, src = {0}, dst = {0};
	bool on_host, on_two;
	int from, to;

	check_buffer(c, call, &desc);
	if (runs_on_device(c))
		return;
	map_find(memory_blocks(c), (uintptr_t)a->srcAddr, &src);
	map_find(memory_blocks(c), (uintptr_t)a->dstAddr, &dst);
	if (!src.block && !dst.block)
		return;
	on_host = (src.block && kind_is_host(src.kind)) || (dst.block && kind_is_host(dst.kind));
	from = memory_device(c, &src);
	to = memory_device(c, &dst);
	on_two = from >= 0 && to >= 0 && from != to;
	FINDING(c, call, "desc-cross-device", on_host || on_two,
		PARTS(part_address("srcAddr", a->srcAddr), part_address("dstAddr", a->dstAddr),
			on_two ? part_int("source device", from) : part_none(),
			on_two ? part_int("destination device", to) : part_none(),
			part_block("source memory", src.block), part_block("destination memory", dst.block)),
		"%s",
		on_host ? "One side of the copy lies on the host."
			: "The two sides of the copy lie on two devices.");
}

static void cmo_filling(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup desc;

	check_buffer(c, call, &desc);
}

static void filled(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	if (!succeeded(call) || !map_find(memory_blocks(c), (uintptr_t)desc_of(call), &place))
		return;
	value_table_set_of(c, &descriptors(c)->filled, block_ref(place.block, place.generation, false),
		key_of_two((uintptr_t)desc_of(call), kind_of(call)), load_relaxed(&place.block->serial));
}

/* --- whether it was filled ----------------------------------------------------------------- */

static void using(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;
	uint64_t serial;
	bool cleared, only_set;

	if (!check_buffer(c, call, &place))
		return;
	serial = value_table_value(
		&descriptors(c)->filled, key_of_two((uintptr_t)desc_of(call), kind_of(call)));
	cleared = kind_of(call) == DESC_COPY && descriptor_is_cleared(c, call);
	only_set = block_only_set(c, place.block);
	FINDING(c, call, "desc-not-set",
		cleared || (serial != load_relaxed(&place.block->serial) &&
				   (only_set || !block_maybe_written(c, place.block))),
		PARTS(part_address("descriptor", desc_of(call)), part_block("memory", place.block)),
		cleared    ? "A set went over the descriptor, and %s was not called for it since."
		: only_set ? "%s was not called for this descriptor, and nothing but a set wrote its memory."
			   : "%s was not called for this descriptor, and nothing else wrote its memory.",
		kind_of(call) == DESC_COPY ? "aclrtSetMemcpyDesc" : "aclrtCmoSetDesc");
}

static const struct check_hook hooks[] = {
	{ON_OP(DESCRIBE_COPY), ACL_ENTER, filling},
	{ON_GROUP(DESCRIBE), ACL_LEAVE, filled},
	{ON_OP(DESCRIBE_CACHE), ACL_ENTER, cmo_filling},
	{ON_OP(CACHE_DESCRIBED), ACL_ENTER, using},
	{ON_OP(COPY_DESCRIBED), ACL_ENTER, using},
};

const struct check_module module_descriptor = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct descriptor_state),
};
