/* SPDX-License-Identifier: Apache-2.0 */
/* Variables of device code, by symbol and by address. */
#include "checks/state/variable_state.h"
#include "checks/engine/value_table.h"
#include "checks/state/access_place.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"

#define SIZE_UNKNOWN (UINT64_C(1) << 48) /* no access leaves such a variable */

struct variable_state {
	struct value_table size; /* symbol -> bytes */
	struct value_table number; /* symbol and device -> number of its block + 1 */
	struct value_table devices; /* address -> bit n: the runtime gave it out for device n */
	struct value_table
		symbol; /* address and device -> symbol; of a binary's variable the address itself */
	struct value_table binary; /* address and device -> acl_ref of the binary, of its variables */
	struct pointer_map *addresses;
	struct acl_lock lock;
	uint32_t n;
	_Atomic uint64_t address[VARIABLES]; /* that the runtime gave out, 0 = none */
	struct acl_block block[VARIABLES];
};

static struct variable_state *variables(struct checks *c)
{
	return module_state(c, variable);
}

bool variable_size(struct checks *c, const void *symbol, uint64_t *size)
{
	return value_table_get(&variables(c)->size, (uintptr_t)symbol, size);
}

/* --- blocks -------------------------------------------------------------------------------------- */

/* Under the lock; NULL: there are too many. */
static struct acl_block *block_create(struct checks *c, const void *symbol, int device, uint64_t key)
{
	struct variable_state *v = variables(c);
	struct acl_block *b = &v->block[v->n];

	if (v->n == VARIABLES || !value_table_set(c, &v->number, key, v->n + 1))
		return NULL;
	b->index = v->n++;
	store_relaxed(&b->base, (uintptr_t)symbol);
	store_relaxed(&b->size, value_table_value(&v->size, (uintptr_t)symbol));
	store_relaxed(&b->serial, counter_inc(&c->serials) + 1);
	store_relaxed(&b->kind, MEM_VARIABLE);
	store_relaxed(&b->device, (int8_t)device);
	store_relaxed(&b->generation, 1);
	store_release(&b->state, ACL_OBJECT_LIVE);
	return b;
}

static struct acl_block *block_of_symbol(struct checks *c, const void *symbol, int device)
{
	struct variable_state *v = variables(c);
	uint64_t key = key_of_two((uintptr_t)symbol, (uint64_t)device);
	struct acl_block *b;
	uint64_t number;

	if (value_table_get(&v->number, key, &number))
		return &v->block[number - 1];
	lock(&v->lock);
	b = value_table_get(&v->number, key, &number) ? &v->block[number - 1]
						      : block_create(c, symbol, device, key);
	unlock(&v->lock);
	return b;
}

/* --- accesses --------------------------------------------------------------------------------------- */

static bool is_device(int device)
{
	return device >= 0 && device < ACL_DEVICES;
}

static bool is_variable(struct checks *c, const void *address, struct block_lookup *place)
{
	struct pointer_map *map = variables(c)->addresses;
	struct block_lookup live;

	/* Memory that was allocated there since is no variable any more. */
	return map_live(map) && address && map_find(map, (uintptr_t)address, place) &&
	       !map_find(memory_blocks(c), (uintptr_t)address, &live);
}

uint64_t variable_devices(struct checks *c, const void *address, struct block_lookup *place)
{
	return is_variable(c, address, place) ? value_table_value(&variables(c)->devices, place->base) : 0;
}

bool variables_have_addresses(struct checks *c)
{
	return map_live(variables(c)->addresses);
}

static bool binary_is_gone(struct checks *c, uint64_t address_and_device)
{
	acl_ref ref = value_table_value(&variables(c)->binary, address_and_device);
	struct acl_object *binary = object_of(c, ref);

	return ref && (!binary || !object_usable(binary));
}

/* The symbol whose address it is on the device, and how far behind it; NULL: none. */
static const void *symbol_at(struct checks *c, const void *address, int device, uint64_t *offset)
{
	struct block_lookup place;
	uint64_t key;

	if (!is_variable(c, address, &place))
		return NULL;
	*offset = (uintptr_t)address - place.base;
	key = key_of_two(place.base, (uint64_t)device);
	if (binary_is_gone(c, key))
		return NULL;
	return (const void *)(uintptr_t)value_table_value(&variables(c)->symbol, key);
}

bool is_address_of_variable(struct checks *c, const void *address)
{
	struct block_lookup place;

	return is_variable(c, address, &place) &&
	       !binary_is_gone(c, key_of_two(place.base, (uint64_t)load_relaxed(&place.block->device)));
}

static const void *symbol_of_access(struct checks *c, const struct acl_call_record *call,
	const struct op_access *a, int device, uint64_t *offset)
{
	if (a->info->extent != ACL_EXTENT_SYMBOL)
		return symbol_at(c, a->address, device, offset);
	*offset = a->info->offset == ACL_ARG_NONE ? 0 : acl_slot_value(call->args, a->info->offset);
	return acl_slot_pointer(call->args, a->info->base);
}

bool variable_of_access(struct checks *c, const struct acl_call_record *call, const struct op_access *a,
	struct block_lookup *place, uint64_t *start)
{
	int device = a->info->extent == ACL_EXTENT_SYMBOL || variables_have_addresses(c)
			     ? device_used(c, call)
			     : -1;
	const void *symbol;
	struct acl_block *b;
	uint64_t offset;

	symbol = is_device(device) ? symbol_of_access(c, call, a, device, &offset) : NULL;
	b = symbol ? block_of_symbol(c, symbol, device) : NULL;
	if (!b)
		return false;
	*place = block_found(b, load_relaxed(&b->generation));
	if (!variable_size(c, symbol, &place->size))
		place->size = SIZE_UNKNOWN;
	*start = (uintptr_t)symbol + offset;
	return offset < place->size && a->span <= place->size - offset;
}

bool variable_around(
	struct checks *c, const struct acl_call_record *call, const void *address, struct block_lookup *place)
{
	int device = variables_have_addresses(c) ? device_used(c, call) : -1;
	const void *symbol;
	struct acl_block *b;
	uint64_t offset;

	symbol = is_device(device) ? symbol_at(c, address, device, &offset) : NULL;
	b = symbol ? block_of_symbol(c, symbol, device) : NULL;
	if (!b)
		return false;
	*place = block_found(b, load_relaxed(&b->generation));
	place->base = (uintptr_t)address - offset;
	return variable_size(c, symbol, &place->size) && offset < place->size;
}

bool variable_of_condition(
	struct checks *c, const void *handle, uint64_t size, int device, struct block_lookup *place)
{
	struct acl_block *b = is_device(device) ? block_of_symbol(c, handle, device) : NULL;

	if (!b)
		return false;
	store_relaxed(&b->kind, MEM_CONDITION);
	store_relaxed(&b->size, size);
	*place = block_found(b, load_relaxed(&b->generation));
	return true;
}

/* --- what the program asks for ------------------------------------------------------------------------ */

/* Behind its first byte an address is the variable's where the size is known. */
static void address_add(
	struct checks *c, struct acl_call_record *call, uint64_t base, uint64_t size, int device)
{
	struct pointer_map *map = variables(c)->addresses;
	struct block_lookup place;

	checks_when(c, WHEN_VARIABLES);
	if (!map_find(map, base, &place) || place.base != base || place.size < size)
		map_insert(c, map, call, base, size ? size : 1, MEM_DEVICE, device);
}

static void sized_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetSymbolSize *a = call->args;
	struct variable_state *v = variables(c);
	int device = device_current(c, thread_of(call));
	uint64_t number, base;

	if (!succeeded(call) || !a->symbol || !a->size)
		return;
	value_table_set(c, &v->size, (uintptr_t)a->symbol, *a->size);
	if (!is_device(device) ||
		!value_table_get(&v->number, key_of_two((uintptr_t)a->symbol, (uint64_t)device), &number))
		return;
	store_relaxed(&v->block[number - 1].size, *a->size);
	base = load_relaxed(&v->address[number - 1]);
	if (base)
		address_add(c, call, base, *a->size, device);
}

static void located_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtGetSymbolAddress *a = call->args;
	struct variable_state *v = variables(c);
	int device = device_current(c, thread_of(call));
	struct acl_block *b;
	uint64_t base;

	if (!succeeded(call) || !a->devPtr || !*a->devPtr || !is_device(device))
		return;
	base = (uintptr_t)*a->devPtr;
	value_table_set(c, &v->devices, base, value_table_value(&v->devices, base) | UINT64_C(1) << device);
	value_table_set(c, &v->symbol, key_of_two(base, (uint64_t)device), (uintptr_t)a->symbol);
	if (value_table_value(&v->binary, key_of_two(base, (uint64_t)device)))
		value_table_set(c, &v->binary, key_of_two(base, (uint64_t)device), 0);
	address_add(c, call, base, value_table_value(&v->size, (uintptr_t)a->symbol), device);
	b = a->symbol ? block_of_symbol(c, a->symbol, device) : NULL;
	if (b)
		store_relaxed(&v->address[b->index], base);
}

/* What was known of the place was of another binary's variable. */
static void variable_replaced(struct checks *c, uint64_t base, int device)
{
	uint64_t number;

	if (!value_table_get(&variables(c)->number, key_of_two(base, (uint64_t)device), &number))
		return;
	counter_inc(&variables(c)->block[number - 1].generation);
	store_relaxed(&variables(c)->block[number - 1].size, value_table_value(&variables(c)->size, base));
}

/* A variable of a binary has no symbol: its address stands for it, as long as the binary is loaded. */
static void global_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtBinaryGetGlobal *a = call->args;
	struct variable_state *v = variables(c);
	struct acl_object *binary = object_live(c, ACL_HANDLE_BINARY, a->binHandle);
	int device = device_current(c, thread_of(call));
	uint64_t base, key, before, symbol;

	if (!succeeded(call) || !binary || !is_device(device) || !a->dptr || !*a->dptr || !a->size)
		return;
	base = (uintptr_t)*a->dptr;
	key = key_of_two(base, (uint64_t)device);
	before = value_table_value(&v->binary, key);
	symbol = before ? 0 : value_table_value(&v->symbol, key);
	/* The program has asked for it by its symbol; of another size it is another one in its place. */
	if (symbol && value_table_value(&v->size, symbol) == *a->size)
		return;
	value_table_set(c, &v->size, base, *a->size);
	value_table_set(c, &v->symbol, key, base);
	value_table_set(c, &v->binary, key, object_ref(binary));
	if (before && before != object_ref(binary))
		variable_replaced(c, base, device);
	address_add(c, call, base, *a->size, device);
}

static bool variables_create(struct checks *c)
{
	c->variables = variables(c)->block;
	variables(c)->addresses = map_create(c);
	return variables(c)->addresses != NULL;
}

static const struct check_hook hooks[] = {
	{ON_OP(INFO_SYMBOL_SIZE), ACL_LEAVE, sized_leave},
	{ON_OP(INFO_SYMBOL_ADDRESS), ACL_LEAVE, located_leave},
	{ON_OP(INFO_BINARY_GLOBAL), ACL_LEAVE, global_leave},
};

const struct check_module module_variable = {
	.order = 40,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct variable_state),
	.create = variables_create,
};
