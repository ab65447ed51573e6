/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges: every copy and set against the memory it names.  Interior addresses
 * are normal, blocks of a caching allocator are large, and an address that no
 * table knows may be memory of a library: only what is tracked is checked.
 */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/rules/copy/gone_memory.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/operation.h"
#include "checks/state/task_range.h"
#include "checks/state/variable_state.h"

#define MAPPINGS 256 /* side by side that are looked at */

/* --- beyond the end --------------------------------------------------------------------- */

/* What a descriptor says is written, too: the copy comes later. */
static bool is_destination(const struct operation *op, const struct op_access *r)
{
	return r->writes || (op->group == ACL_OP_GROUP_DESCRIBE && &op->first[1] == r);
}

static const char *role_of(bool takes)
{
	return takes ? "destination memory" : "source memory";
}

static const char *memory_role(const struct op_access *r)
{
	return role_of(r->writes);
}

/* A function of its own, so that ranges that are short enough need no stack for it. */
static __attribute__((noinline)) void room_is_too_small(struct checks *c, struct acl_call_record *call,
	const struct op_access *r, const struct acl_rule *rule, bool slack)
{
	bool takes = r->writes || rule == RULE("memcpy-dest-out-of-bounds");
	uint64_t offset = (uintptr_t)r->address - r->block.base;
	char size[24];

	FINDING_BROKEN(c, call, rule,
		PARTS(slack ? part_severity(ACL_SEV_WARNING) : part_none(), part_address(r->name, r->address),
			part_bytes("bytes touched", r->span),
			part_bytes("bytes left", offset < r->block.size ? r->block.size - offset : 0),
			part_block(role_of(takes), r->block.block)),
		"%s %s %llu bytes from offset %llu on, %llu past the end of %s of %s%s.", r->name,
		takes ? "takes" : "gives", (unsigned long long)r->span, (unsigned long long)offset,
		(unsigned long long)(offset + r->span - r->block.size), memory_kind_name(r->block.kind),
		human_bytes(r->block.size, size), slack ? "; only rounding up saves it" : "");
}

/* slack: rounding up saves it. */
static inline bool check_room(struct checks *c, struct acl_call_record *call, const struct op_access *r,
	const struct acl_rule *rule, bool slack)
{
	bool broken = r->span > access_room(r);

	if (finding_condition(c, call, rule, broken))
		room_is_too_small(c, call, r, rule, slack);
	return broken;
}

/* Which rule says that a range is too long; NULL: none does for this operation. */
static const struct acl_rule *bounds_rule(const struct operation *op, const struct op_access *r)
{
	switch (op->group) {
	case ACL_OP_GROUP_COPY:
		if (op->kind == ACL_OP_COPY_ROWS)
			return RULE("memcpy2d-out-of-bounds");
		break;
	case ACL_OP_GROUP_SET:
	case ACL_OP_GROUP_REDUCE:
	case ACL_OP_GROUP_DESCRIBE:
		break;
	case ACL_OP_GROUP_OVERFLOW:
		return RULE("overflow-output-size");
	default:
		return NULL;
	}
	return is_destination(op, r) ? RULE("memcpy-dest-out-of-bounds")
				     : RULE("memcpy-source-out-of-bounds");
}

/* Where the memory ends for the program: what is mapped side by side is one range. 0: that is not known,
 * there are more mappings than are looked at. */
static uint64_t copy_range_end(struct checks *c, const struct op_access *r)
{
	uint64_t end = r->block.base + r->block.size;
	struct block_lookup next;

	if (r->block.kind != MEM_MAPPED)
		return end;
	for (unsigned i = 0; i < MAPPINGS; i++) {
		if (end - (uintptr_t)r->address >= r->span || !map_find(memory_blocks(c), end, &next) ||
			next.kind != MEM_MAPPED)
			return end;
		end = next.base + next.size;
	}
	return 0;
}

static bool check_bounds(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_access *r)
{
	const struct acl_rule *rule = bounds_rule(op, r);
	struct op_access whole;
	uint64_t end;

	/* Imported memory has an end that we do not know. */
	if (!rule || r->block.kind == MEM_IMPORTED)
		return false;
	if (__builtin_expect(r->span <= access_room(r), 1)) {
		rule_evaluated(call, rule);
		return false;
	}
	end = copy_range_end(c, r);
	if (!end)
		return false;
	whole = *r;
	whole.block.size = end - r->block.base;
	return check_room(c, call, &whole, rule,
		r->span <= memory_rounded(&whole.block) - (whole.block.size - access_room(&whole)));
}

/* What begins behind the end, where rounding up has a few bytes: they belong to no other memory. */
static bool check_behind(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_access *r)
{
	const struct acl_rule *rule = bounds_rule(op, r);
	struct op_access whole = *r;

	if (!rule || !memory_behind(c, (uintptr_t)r->address, &whole.block))
		return false;
	rule_evaluated(call, rule);
	room_is_too_small(c, call, &whole, rule,
		(uintptr_t)r->address - whole.block.base + r->span <= memory_rounded(&whole.block));
	return true;
}

/* A variable of device code, by the address that the runtime gave out. */
static bool check_variable(struct checks *c, struct acl_call_record *call, const struct operation *op,
	const struct op_access *r, const struct block_lookup *variable)
{
	const struct acl_rule *rule = bounds_rule(op, r);
	struct op_access whole = *r;

	whole.block = *variable;
	return rule && check_room(c, call, &whole, rule, false);
}

/* True when a finding was made about the range. */
static bool copy_range_check(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_access *r)
{
	struct block_lookup variable;

	if (!r || !r->address || !r->span)
		return false;
	if (!r->block.block && variable_around(c, call, r->address, &variable))
		return check_variable(c, call, op, r, &variable);
	if (!r->block.block)
		return (!gone_memory_overlaid(c, r->address) &&
			       gone_memory_used(
				       c, call, r->name, role_of(is_destination(op, r)), r->address)) ||
		       check_behind(c, call, op, r);
	gone_memory_evaluated(call, r->block.kind);
	return r->block.kind != MEM_REGISTERED && check_bounds(c, call, op, r);
}

/* --- direction ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool from_host, to_host;
} directions[] = {{"host to host", true, true}, {"host to device", true, false},
	{"device to host", false, true}, {"device to device", false, false}};

/* Certainly host or device. */
static bool certain(const struct op_access *r)
{
	return r->block.block &&
	       (kind_is_host(r->block.kind) || r->block.kind == MEM_DEVICE || r->block.kind == MEM_POOL);
}

static void check_direction(struct checks *c, struct acl_call_record *call, int kind,
	const struct op_access *src, const struct op_access *dst)
{
	bool from_host, to_host, inside_host;

	if (kind < 0 || kind > ACL_MEMCPY_DEVICE_TO_DEVICE || !certain(src) || !certain(dst))
		return;
	from_host = kind_is_host(src->block.kind);
	to_host = kind_is_host(dst->block.kind);
	/* async-copy-h2h says it. */
	inside_host = acl_apis[call->api].mode == ACL_MODE_ASYNC && from_host && to_host;
	FINDING(c, call, "memcpy-kind-location-mismatch",
		!inside_host &&
			(directions[kind].from_host != from_host || directions[kind].to_host != to_host),
		PARTS(part_enum("kind", "aclrtMemcpyKind", kind),
			part_block("source memory", src->block.block),
			part_block("destination memory", dst->block.block)),
		"The call says %s, but src is %s and dst is %s.", directions[kind].name,
		memory_kind_name(src->block.kind), memory_kind_name(dst->block.kind));
}

/* The call says device, and the address is that of the program's variable for such memory: a void * as well.
 */
static void check_variable_address(struct checks *c, struct acl_call_record *call, int kind,
	struct op_access *src, struct op_access *dst)
{
	struct op_access *r = kind == ACL_MEMCPY_HOST_TO_DEVICE   ? dst
			      : kind == ACL_MEMCPY_DEVICE_TO_HOST ? src
								  : NULL;
	struct block_lookup place;
	uint64_t held;

	if (!r || !r->address || r->block.block)
		return;
	access_classify(c, call, r);
	if (r->location != ACCESS_PAGEABLE)
		return;
	held = (uintptr_t)program_pointer(c, r->address);
	FINDING(c, call, "memcpy-kind-location-mismatch",
		map_find(memory_blocks(c), held, &place) && place.kind == MEM_DEVICE && place.base == held,
		PARTS(part_enum("kind", "aclrtMemcpyKind", kind), part_address(r->name, r->address),
			part_block(memory_role(r), place.block)),
		"%s is the address of a variable that holds the address of device memory.", r->name);
}

/* kind HOST_TO_BUF_TO_DEVICE: the host copies the source into a buffer, the device from there. */
static void check_buffered(struct checks *c, struct acl_call_record *call, const struct op_access *src,
	const struct op_access *dst)
{
	const struct op_access *bad = certain(src) && !kind_is_host(src->block.kind)  ? src
				      : certain(dst) && kind_is_host(dst->block.kind) ? dst
										      : NULL;

	if (!bad && (!certain(src) || !certain(dst)))
		return;
	FINDING(c, call, "memcpy-buffered-kind-location", bad,
		PARTS(part_address(bad->name, bad->address), part_block(memory_role(bad), bad->block.block)),
		"The source must be host memory and the destination device memory; %s is %s.", bad->name,
		memory_kind_name(bad->block.kind));
}

/* A direction that cannot be: host memory proven pageable on one side, tracked device memory on the other. */
static void check_pageable(struct checks *c, struct acl_call_record *call, int kind, struct op_access *src,
	struct op_access *dst)
{
	struct op_access *host = src->block.block ? dst : src, *device = src->block.block ? src : dst;
	bool impossible;

	if (host->block.block || !certain(device) || kind_is_host(device->block.kind) || call->state.capture)
		return;
	impossible = kind == (host == src ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE) ||
		     kind == ACL_MEMCPY_HOST_TO_HOST;
	/* The class is looked up only where it decides: what the kind allows is right for any host memory. */
	if (impossible)
		access_classify(c, call, host);
	FINDING(c, call, "memcpy-kind-unregistered-illegal", impossible && host->location == ACCESS_PAGEABLE,
		PARTS(part_enum("kind", "aclrtMemcpyKind", kind), part_address(host->name, host->address),
			part_block(memory_role(device), device->block.block)),
		"The call says %s, but %s is the program's own host memory and %s is %s.",
		directions[kind].name, host->name, device->name, memory_kind_name(device->block.kind));
}

/* --- destMax --------------------------------------------------------------------------------- */

/*
 * The declared size promises more than there is.  An interior address with the
 * size of its whole block is common: that is advice.
 */
static void check_limit(struct checks *c, struct acl_call_record *call, const struct op_access *r)
{
	uint64_t offset = (uintptr_t)r->address - r->block.base, whole;

	if (!certain(r) || r->block.kind == MEM_REGISTERED || r->block.kind == MEM_POOL)
		return;
	whole = r->limit != r->span ? memory_rounded(&r->block) : 0;
	FINDING(c, call, "memcpy-destmax-exceeds-allocation",
		r->limit != r->span && r->limit > whole - offset,
		PARTS(part_advice(offset && r->limit <= whole), part_address(r->name, r->address),
			part_block("destination memory", r->block.block)),
		"%s is said to hold %llu bytes but holds %llu.", r->name, (unsigned long long)r->limit,
		(unsigned long long)access_room(r));
}

/* --- the calls --------------------------------------------------------------------------------- */

static void check_copy_entry(
	struct checks *c, struct acl_call_record *call, const struct operation *op, const struct op_entry *e)
{
	/* Of both the one that destroys something is reported. */
	bool said = copy_range_check(c, call, op, e->dst);

	if (copy_range_check(c, call, op, e->src) || said)
		return;
	if (op->direction == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
		check_buffered(c, call, e->src, e->dst);
	/* Where host and device are one the direction means nothing. */
	if (runs_on_device(c))
		return;
	check_direction(c, call, op->direction, e->src, e->dst);
	check_variable_address(c, call, op->direction, e->src, e->dst);
	if (op->async)
		check_pageable(c, call, op->direction, e->src, e->dst);
	check_limit(c, call, e->dst);
}

static void copy_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		check_copy_entry(c, call, op, &e);
	}
}

static void check_set_pageable(struct checks *c, struct acl_call_record *call, struct op_access *r)
{
	access_classify(c, call, r);
	if (r->location == ACCESS_PAGEABLE && !runs_on_device(c))
		FINDING(c, call, "memset-pageable-host", true,
			PARTS(part_address(r->name, r->address), part_bytes("bytes", r->span)),
			"%s is the program's own host memory, which the device cannot reach.", r->name);
}

static void set_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;
	struct op_access *r;

	op = operation_of(c, call);
	r = op->n_entries ? operation_entry(op, 0).dst : NULL;
	if (!r || copy_range_check(c, call, op, r) || !r->address)
		return;
	if (!r->block.block) {
		check_set_pageable(c, call, r);
		return;
	}
	/* The documents ask for memory of the interface; the device reaches this all the same. */
	FINDING(c, call, "memset-pageable-host", r->block.kind == MEM_REGISTERED && !runs_on_device(c),
		PARTS(part_severity(ACL_SEV_WARNING), part_address(r->name, r->address),
			part_bytes("bytes", r->span), part_block("registered memory", r->block.block)),
		"%s is the program's own host memory, registered but not allocated by the interface.",
		r->name);
	if (op->kind == ACL_OP_SET_BYTES)
		check_limit(c, call, r);
}

/* Value operations touch one word of 8 bytes. */
static void value_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);
	struct op_entry e = operation_entry(op, 0);
	struct op_access *r = e.src ? e.src : e.dst;

	if (!op->n_entries || copy_range_check(c, call, op, r) || !r->block.block)
		return;
	if (r->block.kind == MEM_DEVICE)
		check_room(c, call, r, RULE("value-write-alignment"), false);
	if (!runs_on_device(c))
		FINDING(c, call, "value-op-args", r->block.kind == MEM_HOST,
			PARTS(part_address(r->name, r->address), part_block("memory", r->block.block)),
			"%s is page-locked host memory, not device memory.", r->name);
}

/* Everything else that is given a range of memory. */
static void named_range_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	op = operation_of(c, call);
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);

		copy_range_check(c, call, op, e.dst);
		copy_range_check(c, call, op, e.src);
	}
}

/* Beside source and destination. */
static void task_ranges_enter(struct checks *c, struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);
	struct block_lookup place;

	for (unsigned i = 0; i < n; i++)
		if (map_find(memory_blocks(c), (uintptr_t)r[i].at, &place))
			gone_memory_evaluated(call, place.kind);
		else
			gone_memory_used(c, call, r[i].name,
				r[i].flags & ACCESS_DESCRIBES ? "memory of addresses"
							      : role_of(r[i].flags & ACCESS_WRITES),
				r[i].at);
}

static void task_ranges_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (task_ranges_possible(api) && acl_apis[api].mode == ACL_MODE_ASYNC)
			add(binder, api, ACL_ENTER, task_ranges_enter);
}

static const struct check_hook hooks[] = {
	{ON_GROUP(COPY), ACL_ENTER | ACL_UNLESS_PLAIN, copy_range_enter},
	{ON_GROUP(SET), ACL_ENTER, set_range_enter},
	{ON_OP(WAIT_VALUE), ACL_ENTER, value_range_enter},
	{ON_OP(WRITE_VALUE), ACL_ENTER, value_range_enter},
	{ON_GROUP(REDUCE), ACL_ENTER, named_range_enter},
	{ON_GROUP(DESCRIBE), ACL_ENTER, named_range_enter},
	{ON_GROUP(CACHE), ACL_ENTER, named_range_enter},
	{ON_GROUP(MANAGED), ACL_ENTER, named_range_enter},
	{ON_OP(OVERFLOW_READ), ACL_ENTER, named_range_enter},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, named_range_enter},
	{ON_OP(MAP_PEER), ACL_ENTER, named_range_enter},
	{ON_OP(LABEL_SWITCH), ACL_ENTER, named_range_enter},
	{ON_OP(STREAM_SWITCH), ACL_ENTER, named_range_enter},
};

/* What a plainly right copy has answered, each of these with no. */
static bool ranges_create(struct checks *c)
{
	rule_evaluated_by(c, RULE("memcpy-source-out-of-bounds"), ACL_CALLED_PLAIN_COPY);
	rule_evaluated_by(c, RULE("memcpy-dest-out-of-bounds"), ACL_CALLED_PLAIN_COPY);
	rule_evaluated_by(c, RULE("memcpy-destmax-exceeds-allocation"), ACL_CALLED_PLAIN_COPY);
	rule_evaluated_by(c, RULE("memcpy-kind-location-mismatch"), ACL_CALLED_PLAIN_COPY);
	rule_evaluated_by(c, RULE("memcpy-source-out-of-bounds"), ACL_CALLED_PLAIN_BATCH);
	rule_evaluated_by(c, RULE("memcpy-dest-out-of-bounds"), ACL_CALLED_PLAIN_BATCH);
	rule_evaluated_by(c, RULE("memcpy-destmax-exceeds-allocation"), ACL_CALLED_PLAIN_BATCH);
	rule_evaluated_by(c, RULE("use-after-free"), ACL_CALLED_PLAIN_BATCH);
	rule_evaluated_by(c, RULE("use-after-device-reset"), ACL_CALLED_PLAIN_BATCH);
	rule_evaluated_by(c, RULE("use-after-free"), ACL_CALLED_PLAIN_COPY);
	rule_evaluated_by(c, RULE("use-after-device-reset"), ACL_CALLED_PLAIN_COPY);
	return true;
}

const struct check_module module_ranges = {
	.create = ranges_create,
	.bind = task_ranges_bind,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
