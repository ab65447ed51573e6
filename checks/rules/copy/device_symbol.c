/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of device variables: each device has its own. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/value_table.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"

struct symbol_state {
	struct value_table size; /* symbol -> bytes */
	struct value_table devices; /* address -> bit n: the runtime gave it out for device n */
	struct pointer_map *places;
};

static struct symbol_state *symbols(struct checks *c)
{
	return module_state(c, symbol);
}

static void sized(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetSymbolSize *a = call->args;

	if (succeeded(call) && a->symbol && a->size)
		value_table_set(c, &symbols(c)->size, (uintptr_t)a->symbol, *a->size);
}

static void located(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetSymbolAddress *a = call->args;
	int device = device_current(c, thread_of(call));
	uint64_t base, size;
	struct block_lookup place;

	if (!succeeded(call) || !a->devPtr || !*a->devPtr || device < 0 || device >= ACL_DEVICES)
		return;
	base = (uintptr_t)*a->devPtr;
	size = value_table_value(&symbols(c)->size, (uintptr_t)a->symbol);
	value_table_set(c, &symbols(c)->devices, base,
		value_table_value(&symbols(c)->devices, base) | UINT64_C(1) << device);
	if (!map_find(symbols(c)->places, base, &place) || place.base != base)
		map_insert(c, symbols(c)->places, call, base, size ? size : 1, MEM_DEVICE, device);
	checks_start_conditional(c);
}

static void check_use(struct checks *c, struct acl_call_record *call, const char *name, const void *address)
{
	int device = device_current(c, thread_of(call));
	struct block_lookup place, live;
	uint64_t devices;

	/* Memory that was allocated there since is no variable any more. */
	if (device < 0 || device >= ACL_DEVICES || !address ||
		!map_find(symbols(c)->places, (uintptr_t)address, &place) ||
		map_find(memory_blocks(c), (uintptr_t)address, &live))
		return;
	devices = value_table_value(&symbols(c)->devices, place.base);
	if (devices)
		FINDING(c, call, "symbol-address-other-device", !(devices >> device & 1),
			PARTS(part_address(name, address), part_int("current device", device),
				part_block("device variable", place.block)),
			"%s is the address of a variable of device %d, and device %d is current.", name,
			load_relaxed(&place.block->device), device);
}

/* Every operation that is given memory. */
static void device_symbol_use_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (!map_live(symbols(c)->places))
		return;
	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		if (e.src)
			check_use(c, call, e.src->name, e.src->address);
		if (e.dst)
			check_use(c, call, e.dst->name, e.dst->address);
	}
}

static bool symbols_create(struct checks *c)
{
	symbols(c)->places = map_create(c);
	return symbols(c)->places != NULL;
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_SYMBOL_SIZE), ACL_LEAVE, sized},
	{ON_OP(INFO_SYMBOL_ADDRESS), ACL_LEAVE, located},
	{ON_GROUP(COPY), ACL_ENTER | ACL_CONDITIONAL | ACL_UNLESS_PLAIN, device_symbol_use_enter},
	{ON_GROUP(SET), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
	{ON_OP(WAIT_VALUE), ACL_ENTER | ACL_CONDITIONAL, device_symbol_use_enter},
};

const struct check_module module_symbol = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct symbol_state),
	.create = symbols_create,
};
