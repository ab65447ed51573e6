/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that mean something only on one side: symbols of device code,
 * device addresses of registered host memory, locations of batches.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/plain_batch.h"
#include "checks/state/variable_state.h"

struct far_state {
	struct pointer_map *windows; /* device addresses of registered host memory; owner: its host address */
};

static struct far_state *far(struct checks *c)
{
	return module_state(c, far);
}

/* --- symbols ------------------------------------------------------------------------- */

/* The side of a copy that is a variable of the device. */
static void symbol_copy_enter(struct checks *c, struct acl_call_record *call)
{
	const void *symbol = acl_arg_pointer(call->api, call->args, ACL_ROLE_SYMBOL);
	uint64_t offset = acl_arg_value(call->api, call->args, ACL_ROLE_OFFSET);
	uint64_t count = acl_arg_value(call->api, call->args, ACL_ROLE_BYTES);
	uint64_t size, end;

	if (!symbol || !count || !variable_size(c, symbol, &size))
		return;
	FINDING(c, call, "symbol-copy-range", __builtin_add_overflow(offset, count, &end) || end > size,
		PARTS(part_address("symbol", symbol), part_bytes("offset", offset),
			part_bytes("count", count)),
		"The symbol has %llu bytes.", (unsigned long long)size);
}

/* --- device addresses of host memory ------------------------------------------------------ */

static void window_add(
	struct checks *c, struct acl_call_record *call, const void *device, const void *host, uint64_t size)
{
	struct acl_block *b =
		map_insert(c, far(c)->windows, call, (uintptr_t)device, size, MEM_REGISTERED, -1);

	if (b)
		block_owned(b, (uintptr_t)host);
}

static void window_registered(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtHostRegister *a = call->args;

	if (succeeded(call) && a->devPtr && *a->devPtr && *a->devPtr != a->ptr && a->size)
		window_add(c, call, *a->devPtr, a->ptr, a->size);
}

static void window_asked(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtHostGetDevicePointer *a = call->args;
	struct block_lookup place;

	if (!succeeded(call) || !a->pDevice || !*a->pDevice || *a->pDevice == a->pHost ||
		!map_find(registered_ranges(c), (uintptr_t)a->pHost, &place))
		return;
	window_add(c, call, *a->pDevice, a->pHost, place.base + place.size - (uintptr_t)a->pHost);
}

/* Memory that was allocated there since is no window any more, nor is one whose host memory was unregistered.
 */
static bool window_at(struct checks *c, const void *address, struct block_lookup *place)
{
	struct block_lookup live;

	return map_find(far(c)->windows, (uintptr_t)address, place) &&
	       !map_find(memory_blocks(c), (uintptr_t)address, &live) &&
	       map_find(registered_ranges(c), load_relaxed(&place->block->owner), &live);
}

static void window_use(struct checks *c, struct acl_call_record *call, const char *name, const void *address)
{
	struct block_lookup place;

	if (address)
		FINDING(c, call, "mapped-pointer-in-memory-op", window_at(c, address, &place),
			PARTS(part_address(name, address), part_block("device address", place.block)),
			"%s is the device address of registered host memory.", name);
}

/* Every operation that is given memory. */
static void window_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (__builtin_expect(!map_live(far(c)->windows), 1))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src)
			window_use(c, call, e.src->name, e.src->address);
		if (e.dst)
			window_use(c, call, e.dst->name, e.dst->address);
	}
}

static void window_query_enter(struct checks *c, struct acl_call_record *call)
{
	if (__builtin_expect(map_live(far(c)->windows) != 0, 0))
		window_use(c, call, "ptr", acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS));
}

/* --- batches --------------------------------------------------------------------------------- */

/* The attributes of a batch, as its entries go by. */
struct attribute_walk {
	struct batch_attributes *all; /* NULL: unknown */
	uint64_t next;
	aclrtMemcpyBatchAttr now;
};

/* Attribute that applies to an entry: the last one that begins at or before it. */
static const aclrtMemcpyBatchAttr *attribute_of(struct attribute_walk *w, uint64_t entry)
{
	const aclrtMemcpyBatchAttr *attr;
	const size_t *index;

	while (w->all && (index = program_array_at(&w->all->indexes, w->next)) != NULL && *index <= entry &&
		(attr = program_array_at(&w->all->attributes, w->next)) != NULL) {
		w->now = *attr;
		w->next++;
	}
	return w->next ? &w->now : NULL;
}

/* device: where the memory is a device's, which; -1: unknown. */
static bool location_is(const aclrtMemLocation *l, bool on_device, int device)
{
	bool host = l->type == ACL_MEM_LOCATION_TYPE_HOST || l->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;

	if (!host && l->type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return true;
	if (host || !on_device)
		return host == !on_device;
	return device < 0 || (int)l->id == device;
}

static bool location_fits(struct checks *c, const aclrtMemLocation *l, const struct op_access *a)
{
	return location_is(l, access_is_device(a), memory_device(c, &a->block));
}

/* Certainly host or device; the program's own memory is looked up here. */
static bool side_is_known(struct checks *c, struct acl_call_record *call, struct op_access *a)
{
	if (!a || !a->address)
		return false;
	access_classify(c, call, a);
	if (access_is_device(a))
		return a->block.kind == MEM_DEVICE || a->block.kind == MEM_POOL ||
		       memory_device(c, &a->block) >= 0;
	return a->location != ACCESS_UNKNOWN;
}

/* *first: 1 when the entries before come from the device, 0 from the host, -1 = there is none known. */
static void check_batch_direction(
	struct checks *c, struct acl_call_record *call, const struct op_entry *e, int *first)
{
	bool from = access_is_device(e->src), inside = from == access_is_device(e->dst);

	FINDING(c, call, "batch-direction", inside || (*first >= 0 && from != *first),
		PARTS(part_uint("entry", e->index)), "%s",
		!inside ? "The entries of the batch go in both directions."
		: from  ? "The entry copies inside the device."
			: "The entry copies inside the host.");
	*first = from;
}

static void check_batch_entry(struct checks *c, struct acl_call_record *call, const struct op_entry *e,
	struct attribute_walk *attributes, int *first)
{
	bool from = side_is_known(c, call, e->src), to = side_is_known(c, call, e->dst);
	const aclrtMemcpyBatchAttr *attr = attribute_of(attributes, e->index);

	if (from && to)
		check_batch_direction(c, call, e, first);
	if (attr && (from || to))
		FINDING(c, call, "batch-attr-location-mismatch",
			(from && !location_fits(c, &attr->srcLoc, e->src)) ||
				(to && !location_fits(c, &attr->dstLoc, e->dst)),
			PARTS(part_uint("entry", e->index)),
			"The attribute of the entry says another place than its addresses.");
}

/* All entries of a plain batch lie alike: each attribute fits all of them. */
static bool plain_location_fits(
	struct checks *c, struct acl_call_record *call, const struct plain_batch *batch)
{
	bool up = batch->reads.kind == MEM_HOST;
	struct batch_attributes *all = batch_attributes_of(c, call);
	const aclrtMemcpyBatchAttr *attr;

	if (!all)
		return false;
	for (uint64_t i = 0; i < all->attributes.count; i++) {
		attr = program_array_at(&all->attributes, i);
		if (!attr || !location_is(&attr->srcLoc, !up, batch->device) ||
			!location_is(&attr->dstLoc, up, batch->device))
			return false;
	}
	rule_evaluated(call, RULE("batch-direction"));
	/* Without the indexes no attribute belongs to an entry. */
	if (all->attributes.count && all->indexes.count)
		rule_evaluated(call, RULE("batch-attr-location-mismatch"));
	return true;
}

static void batch_location_enter(struct checks *c, struct acl_call_record *call)
{
	const struct plain_batch *batch = plain_batch_of(call);
	struct attribute_walk attributes = {0};
	const struct operation *op;
	int first = -1;

	if (batch && plain_location_fits(c, call, batch))
		return;
	op = operation_of(c, call);
	if (operation_is_nothing(op))
		return;
	attributes.all = batch_attributes_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		check_batch_entry(c, call, &e, &attributes, &first);
	}
}

static bool far_create(struct checks *c)
{
	far(c)->windows = map_create(c);
	return far(c)->windows != NULL;
}

static const struct check_hook hooks[] = {
	{ON_OP(COPY_TO_SYMBOL), ACL_ENTER, symbol_copy_enter},
	{ON_OP(COPY_FROM_SYMBOL), ACL_ENTER, symbol_copy_enter},
	{ON_OP_WITH(REGISTER_HOST, DEVICE_ADDRESS), ACL_LEAVE, window_registered},
	{ON_OP(INFO_DEVICE_POINTER), ACL_LEAVE, window_asked},
	{ON_GROUP(COPY), ACL_ENTER | ACL_UNLESS_PLAIN, window_enter},
	{ON_GROUP(SET), ACL_ENTER, window_enter},
	{ON_GROUP(REDUCE), ACL_ENTER, window_enter},
	{ON_OP(INFO_POINTER), ACL_ENTER, window_query_enter},
	{ON_OP(COPY_BATCH), ACL_ENTER, batch_location_enter},
};

const struct check_module module_far = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct far_state),
	.create = far_create,
};
