/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about what may be released, and with which function. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/freed_memory.h"
#include "checks/state/memory_state.h"

static const void *released_address(const struct acl_call_record *call)
{
	/* All release functions begin with the address. */
	return ACL_ARGS(call, aclrtFree)->devPtr;
}

static bool is_of(const struct acl_call_record *call, unsigned operation)
{
	return acl_apis[call->api].operation == operation;
}

static void say_place(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct block_lookup *place, const char *detail)
{
	const void *address = released_address(call);
	uint64_t offset = (uintptr_t)address - place->base;

	FINDING_BROKEN(c, call, rule,
		PARTS(part_address("address", address),
			offset ? part_bytes("offset into the block", offset) : part_none(),
			part_block("memory", place->block)),
		detail, memory_kind_name(place->kind));
}

/* The stream releases it all the same. */
static void say_no_pool(struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	FINDING_BROKEN(c, call, RULE("pool-free-invalid"),
		PARTS(part_severity(ACL_SEV_WARNING), part_address("address", released_address(call)),
			part_block("memory", place->block)),
		"This is %s, which belongs to no pool.", memory_kind_name(place->kind));
}

static void say_freed(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct freed_block *b, bool advice, const char *detail)
{
	FINDING_BROKEN(c, call, rule,
		PARTS(part_advice(advice), b->by_reset ? part_late(call) : part_none(),
			part_address("address", released_address(call)),
			part_history("memory", freed_history, b)),
		"%s", detail);
}

/* Of a call: others may have got the address since it was released; the runtime's answer decides. */
static const char answer_decides_note;

/* An address that the runtime has again: a release that it refuses had no allocation there. */
static bool answer_is_awaited(struct checks *c, struct acl_call_record *call)
{
	if (!freed_maybe_reused(c))
		return false;
	call_note_set(call, &answer_decides_note, true);
	return true;
}

/* Where the program's own memory is registered. */
static bool is_registration(struct checks *c, const struct acl_call_record *call)
{
	struct block_lookup place;

	return map_live(registered_ranges(c)) &&
	       map_find(registered_ranges(c), (uintptr_t)released_address(call), &place) &&
	       place.base == (uintptr_t)released_address(call);
}

static void say_unknown(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule)
{
	static const char *const where[] = {[ACL_HOST_STACK] = "on a thread's stack",
		[ACL_HOST_HEAP] = "in the heap",
		[ACL_HOST_FILE] = "in a mapped file or the program's data"};
	enum acl_host_class class = host_class(c, call, 0, released_address(call));

	/* Its allocation may be what there was no memory to remember. */
	if (load_relaxed(&c->degraded))
		return;
	/* Libraries allocate below us: only what is provably no memory of the runtime counts. */
	if (class >= ACL_HOST_STACK && class <= ACL_HOST_FILE)
		FINDING_OF(c, call, rule, true, PARTS(part_address("address", released_address(call))),
			"The address lies %s: the runtime never allocated it.", where[class]);
	else if (is_registration(c, call))
		FINDING_OF(c, call, rule, true, PARTS(part_address("address", released_address(call))),
			"The program registered this memory of its own: aclrtHostUnregister ends that.");
}

/* The address is known: it is, or was, a block of the runtime. */
static void known_released(struct acl_call_record *call)
{
	rule_evaluated(call, RULE("use-after-device-reset"));
	if (is_of(call, ACL_OP_FREE_POOL)) {
		rule_evaluated(call, RULE("pool-free-invalid"));
		return;
	}
	rule_evaluated(call, RULE("free-unknown-pointer"));
	rule_evaluated(call, RULE("free-double"));
}

static void released_again(
	struct checks *c, struct acl_call_record *call, const struct freed_block *b, bool advice)
{
	known_released(call);
	if (b->by_reset)
		say_freed(c, call, RULE("use-after-device-reset"), b, advice,
			"The memory went with its device at the reset.");
	else if (is_of(call, ACL_OP_FREE_POOL))
		say_freed(c, call, RULE("pool-free-invalid"), b, advice, "The memory was released before.");
	else
		say_freed(c, call, RULE("free-double"), b, advice, "The memory was released before.");
}

/* The block that this is the lower half of the address of. */
static struct acl_block *whole_block(struct checks *c, uint64_t address)
{
	struct acl_block *b;

	if (is_half_address(address))
		map_each(memory_blocks(c),
			b) if ((uint32_t)load_relaxed(&b->base) == (uint32_t)address) return b;
	return NULL;
}

/* No block has, or had, this address. */
static void release_foreign(struct checks *c, struct acl_call_record *call)
{
	const struct acl_rule *rule;
	struct block_lookup place;
	struct acl_block *whole;

	if ((is_of(call, ACL_OP_FREE_DEVICE) || is_of(call, ACL_OP_FREE_HOST)) &&
		memory_behind(c, (uintptr_t)released_address(call), &place)) {
		rule_evaluated(call, RULE("free-interior-pointer"));
		say_place(c, call, RULE("free-interior-pointer"), &place,
			"The address is behind the end of %s, not its beginning.");
		return;
	}
	rule = is_of(call, ACL_OP_FREE_POOL) ? RULE("pool-free-invalid") : RULE("free-unknown-pointer");
	whole = whole_block(c, (uintptr_t)released_address(call));
	if (whole)
		FINDING_OF(c, call, rule, true,
			PARTS(part_address("address", released_address(call)), part_block("memory", whole)),
			"The address is the lower half of one that was allocated: it was passed as a number "
			"of "
			"32 bits.");
	else
		say_unknown(c, call, rule);
}

/* An address that no live block covers. */
static void release_unknown(struct checks *c, struct acl_call_record *call)
{
	struct freed_block b;

	/* A double free of what libc has in use by now is a free of foreign memory. */
	if (!freed_find(c, released_address(call), false, &b) ||
		freed_taken_again(c, call, released_address(call))) {
		release_foreign(c, call);
		return;
	}
	if (b.base != (uintptr_t)released_address(call))
		return;
	if (answer_is_awaited(c, call))
		return;
	released_again(c, call, &b, false);
}

/* By now it is known whether something was allocated there. */
static void released_leave(struct checks *c, struct acl_call_record *call)
{
	struct freed_block b;

	if (call_note(call, &answer_decides_note) && freed_find(c, released_address(call), false, &b))
		released_again(c, call, &b, error_of(call) != ACL_ERROR_RT_PARAM_INVALID);
}

/* The kind of block a function is for, as far as rules of other files do not say it. */
static void release_kind(struct checks *c, struct acl_call_record *call, const struct block_lookup *place)
{
	bool plain = is_of(call, ACL_OP_FREE_DEVICE);

	if (plain)
		rule_evaluated(call, RULE("pool-sync-free"));
	if (plain || is_of(call, ACL_OP_RELEASE_ADDRESS))
		rule_evaluated(call, RULE("free-managed-wrong-api"));
	if (plain && place->kind == MEM_RESERVED)
		say_place(c, call, RULE("free-managed-wrong-api"), place,
			"This is a %s: aclrtReleaseMemAddress releases it.");
	else if (plain && place->kind == MEM_MAPPED)
		say_place(c, call, RULE("free-managed-wrong-api"), place,
			"This is %s: aclrtUnmapMem takes it away from its addresses, aclrtFreePhysical "
			"releases it.");
	else if (plain && place->kind == MEM_POOL)
		say_place(c, call, RULE("pool-sync-free"), place,
			"This is %s: aclrtMemPoolFreeAsync releases it.");
	else if (is_of(call, ACL_OP_RELEASE_ADDRESS) && place->kind != MEM_RESERVED)
		say_place(c, call, RULE("free-managed-wrong-api"), place,
			"This is %s, no reserved address range.");
	else if (is_of(call, ACL_OP_FREE_POOL) && place->kind == MEM_DEVICE)
		say_no_pool(c, call, place);
}

/* Reserved addresses and the memory mapped into them are two things at one address. */
static bool place_of_release(struct checks *c, const struct acl_call_record *call, struct block_lookup *place)
{
	bool addresses = is_of(call, ACL_OP_RELEASE_ADDRESS);
	uintptr_t address = (uintptr_t)released_address(call);

	return map_find(addresses ? reserved_ranges(c) : memory_blocks(c), address, place) ||
	       map_find(addresses ? memory_blocks(c) : reserved_ranges(c), address, place);
}

static void releasing(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;

	if (!released_address(call))
		return;
	if (!place_of_release(c, call, &place)) {
		release_unknown(c, call);
		return;
	}
	known_released(call);
	if (!is_of(call, ACL_OP_FREE_POOL))
		rule_evaluated(call, RULE("free-interior-pointer"));
	if (place.base == (uintptr_t)released_address(call))
		release_kind(c, call, &place);
	else if (place.kind != MEM_RESERVED && place.kind != MEM_MAPPED && place.kind != MEM_IMPORTED)
		say_place(c, call,
			is_of(call, ACL_OP_FREE_POOL) ? RULE("pool-free-invalid")
						      : RULE("free-interior-pointer"),
			&place, "The address lies inside %s, it is not its beginning.");
}

static void releasing_host(struct checks *c, struct acl_call_record *call)
{
	struct block_lookup place;
	struct acl_block *r;

	releasing(c, call);
	if (!released_address(call) ||
		!map_find(memory_blocks(c), (uintptr_t)released_address(call), &place) ||
		place.base != (uintptr_t)released_address(call))
		return;
	r = map_first_in(registered_ranges(c), place.base, place.size);
	/* One that is older is of memory that was there before, and was said when that was freed. */
	FINDING(c, call, "host-free-while-registered",
		r && load_relaxed(&r->serial) > load_relaxed(&place.block->serial),
		PARTS(part_block("memory", place.block), part_block("registration", r)),
		"The memory is still registered; aclrtHostUnregister comes first.");
}

/* --- registrations -------------------------------------------------------------------- */

/* Registered on another device than the current one: only the documents of some releases allow it. */
static bool of_other_device(struct checks *c, const struct acl_call_record *call, struct acl_block *r)
{
	struct acl_object *context = r ? object_of(c, load_relaxed(&r->owner)) : NULL;
	int device = device_current(c, thread_of(call));

	return context && device >= 0 && load_relaxed(&context->device) >= 0 &&
	       load_relaxed(&context->device) != device;
}

static void release_register_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtHostRegister *a = call->args;
	struct acl_block *r;

	if (!a->ptr || !a->size)
		return;
	r = map_first_in(registered_ranges(c), (uintptr_t)a->ptr, a->size);
	FINDING(c, call, "host-register-overlap", r,
		PARTS(of_other_device(c, call, r) ? part_severity(ACL_SEV_WARNING) : part_none(),
			part_address("ptr", a->ptr), part_bytes("size", a->size),
			part_block("registration", r)),
		"Part of the range is registered already.");
}

/* Page-locked memory that any part of the range lies in; NULL = none. */
static struct acl_block *locked_in(struct checks *c, uint64_t from, uint64_t size)
{
	struct acl_block *b;

	while (size && (b = map_first_in(memory_blocks(c), from, size)) != NULL) {
		uint64_t end = load_relaxed(&b->base) + load_relaxed(&b->size);

		if (load_relaxed(&b->kind) == MEM_HOST)
			return b;
		size = end - from < size ? size - (end - from) : 0;
		from = end;
	}
	return NULL;
}

static void registering_v2(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtHostRegisterV2 *a = call->args;
	struct acl_block *b;

	release_register_enter(c, call);
	if (!a->ptr || a->size > UINT64_MAX - (uintptr_t)a->ptr)
		return;
	b = locked_in(c, (uintptr_t)a->ptr, a->size);
	if (b)
		FINDING(c, call, "host-register-pinned-on-locked", a->flag & ACL_HOST_REG_PINNED,
			PARTS(part_address("ptr", a->ptr), part_block("memory", b)),
			"The memory was allocated page-locked.");
}

static void unregistering(struct checks *c, struct acl_call_record *call)
{
	struct freed_block b;
	struct block_lookup place;

	if (!released_address(call))
		return;
	if (map_find(registered_ranges(c), (uintptr_t)released_address(call), &place)) {
		rule_evaluated(call, RULE("host-unregister-not-registered"));
		if (place.base != (uintptr_t)released_address(call))
			say_place(c, call, RULE("host-unregister-not-registered"), &place,
				"The address lies inside %s, it is not its beginning.");
	} else if (freed_find(c, released_address(call), true, &b) &&
		   b.base == (uintptr_t)released_address(call)) {
		rule_evaluated(call, RULE("host-unregister-not-registered"));
		if (!answer_is_awaited(c, call))
			say_freed(c, call, RULE("host-unregister-not-registered"), &b, false,
				"The memory was unregistered before.");
	} else if (map_find(memory_blocks(c), (uintptr_t)released_address(call), &place)) {
		rule_evaluated(call, RULE("host-unregister-not-registered"));
		say_place(c, call, RULE("host-unregister-not-registered"), &place,
			"This is %s and was never registered.");
	}
}

/* Of memory that no table knows, or no longer as a whole, the runtime's answer decides. */
static void unregistering_failed(struct checks *c, struct acl_call_record *call)
{
	const void *host = released_address(call);
	struct block_lookup place;
	struct freed_block gone;

	if (!host || error_of(call) != ACL_ERROR_HOST_MEMORY_NOT_REGISTERED ||
		map_find(registered_ranges(c), (uintptr_t)host, &place) ||
		map_find(memory_blocks(c), (uintptr_t)host, &place))
		return;
	rule_evaluated(call, RULE("host-unregister-not-registered"));
	if (!freed_find(c, host, true, &gone))
		FINDING_BROKEN(c, call, RULE("host-unregister-not-registered"),
			PARTS(part_address("address", host)),
			"Neither this process nor, as it answered, the runtime has registered this memory.");
	else if (gone.base != (uintptr_t)host || call_note(call, &answer_decides_note))
		say_freed(c, call, RULE("host-unregister-not-registered"), &gone, false,
			"The memory was unregistered before.");
}

static void device_pointer(struct checks *c, struct acl_call_record *call)
{
	const void *host = ACL_ARGS(call, aclrtHostGetDevicePointer)->pHost;
	struct block_lookup place;
	bool registered;

	if (!host)
		return;
	registered = map_find(registered_ranges(c), (uintptr_t)host, &place);
	/* Memory that no table knows may have been registered below us. */
	if (!registered && !map_find(memory_blocks(c), (uintptr_t)host, &place))
		return;
	if (registered && load_relaxed(&place.block->marks) & BLOCK_UNMAPPED) {
		FINDING(c, call, "host-device-pointer-unmapped", true,
			PARTS(part_severity(ACL_SEV_WARNING), part_address("pHost", host),
				part_block("memory", place.block)),
			"It was registered with ACL_HOST_REG_PINNED only, which maps nothing for a device.");
		return;
	}
	FINDING(c, call, "host-device-pointer-unmapped", !registered && place.kind != MEM_HOST,
		PARTS(part_address("pHost", host), part_block("memory", place.block)),
		"This is %s and was never registered for mapping.", memory_kind_name(place.kind));
}

static void inside_range(
	struct checks *c, struct acl_call_record *call, const void *host, const struct block_lookup *range)
{
	FINDING(c, call, "host-device-pointer-unmapped", true,
		PARTS(part_address("pHost", host),
			part_bytes("offset into the range", (uintptr_t)host - range->base),
			part_block("memory", range->block)),
		"It lies inside a registered range; only its beginning has a device address to ask for.");
}

/* Inside a range, and once it is unregistered, it is the runtime's answer that decides; memory of
 * aclrtMallocHost has an address everywhere. */
static void device_pointer_failed(struct checks *c, struct acl_call_record *call)
{
	const void *host = ACL_ARGS(call, aclrtHostGetDevicePointer)->pHost;
	struct block_lookup place, allocation;
	struct freed_block gone;

	if (!host ||
		(error_of(call) != ACL_ERROR_RT_PARAM_INVALID &&
			error_of(call) != ACL_ERROR_HOST_MEMORY_NOT_REGISTERED) ||
		map_find(memory_blocks(c), (uintptr_t)host, &allocation))
		return;
	if (map_find(registered_ranges(c), (uintptr_t)host, &place)) {
		if (place.base != (uintptr_t)host)
			inside_range(c, call, host, &place);
	} else if (freed_find(c, host, true, &gone)) {
		FINDING(c, call, "host-device-pointer-unmapped", true,
			PARTS(part_address("pHost", host), part_history("memory", freed_history, &gone)),
			"The memory was unregistered before.");
	} else if (!acl_arg_value(call->api, call->args, ACL_ROLE_FLAGS)) {
		FINDING(c, call, "host-device-pointer-unmapped", true, PARTS(part_address("pHost", host)),
			"Neither this process nor, as it answered, the runtime has registered this memory.");
	}
}

static const struct check_hook hooks[] = {
	{ON_OP(FREE_DEVICE), ACL_ENTER, releasing},
	{ON_OP(FREE_DEVICE), ACL_LEAVE, released_leave},
	{ON_OP(FREE_POOL), ACL_ENTER, releasing},
	{ON_OP(FREE_POOL), ACL_LEAVE, released_leave},
	{ON_OP(RELEASE_ADDRESS), ACL_ENTER, releasing},
	{ON_OP(RELEASE_ADDRESS), ACL_LEAVE, released_leave},
	{ON_OP(FREE_HOST), ACL_ENTER, releasing_host},
	{ON_OP(FREE_HOST), ACL_LEAVE, released_leave},
	{ON_OP_WITH(REGISTER_HOST, DEVICE_ADDRESS), ACL_ENTER, release_register_enter},
	{ON_OP_WITH(REGISTER_HOST, FLAGS), ACL_ENTER, registering_v2},
	{ON_OP(UNREGISTER_HOST), ACL_ENTER, unregistering},
	{ON_OP(UNREGISTER_HOST), ACL_FAILED, unregistering_failed},
	{ON_OP(INFO_DEVICE_POINTER), ACL_ENTER, device_pointer},
	{ON_OP(INFO_DEVICE_POINTER), ACL_FAILED, device_pointer_failed},
};

const struct check_module module_release = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
