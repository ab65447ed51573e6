/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools: larger than the device, many small pieces, destroyed with memory in use, trimmed beyond what
 * they hold. */
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/device_state.h"
#include "checks/state/memory_state.h"
#include "checks/state/pool_state.h"
#include "checks/state/signal_state.h"
#include "checks/state/stream_state.h"

#define SMALL (256u << 10) /* the runtime rounds up to 2 MiB */
#define MANY 32

struct pool_use {
	struct value_table advised; /* acl_ref of a pool -> 1: that its pieces are small was said */
};

static struct acl_object *pool_argument(struct checks *c, const struct acl_call_record *call)
{
	const void *value = acl_arg_pointer(call->api, call->args, ACL_ROLE_POOL);

	return value ? object_live(c, ACL_HANDLE_POOL, value) : NULL;
}

/* --- what a pool holds ------------------------------------------------------------- */

struct holding {
	uint64_t count, bytes;
	struct acl_block *first;
	bool captured; /* a captured model uses some of it: another rule's subject */
};

static struct holding holding_of(struct checks *c, struct acl_object *pool)
{
	acl_ref ref = object_ref(pool);
	struct holding h = {0};
	struct acl_block *b;

	map_each(memory_blocks(c), b)
	{
		if (load_relaxed(&b->kind) != MEM_POOL || load_relaxed(&b->owner) != ref)
			continue;
		if (!h.count++)
			h.first = b;
		h.bytes += load_relaxed(&b->size);
		h.captured = h.captured || load_relaxed(&b->captured);
	}
	return h;
}

/* Before the state counts the new piece. */
static void pool_allocate_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemPoolMallocAsync *a = call->args;
	struct acl_object *pool = pool_argument(c, call);
	struct pool_use *use = module_state(c, pool_use);
	uint64_t pieces, bytes;

	if (!pool || !succeeded(call) || !a->ptr || !*a->ptr)
		return;
	pieces = load_relaxed(&pool_state(pool)->live) + 1;
	bytes = load_relaxed(&pool_state(pool)->bytes) + a->size;
	if (value_table_value(&use->advised, object_ref(pool))) {
		rule_evaluated(call, RULE("pool-small-allocations"));
		return;
	}
	if (FINDING(c, call, "pool-small-allocations", pieces > MANY && bytes / pieces < SMALL,
		    PARTS(part_uint("pieces", pieces), part_bytes("bytes", bytes),
			    part_object("memory pool", pool)),
		    "%llu pieces of together %llu bytes are in use; each takes 2 MiB of the pool.",
		    (unsigned long long)pieces, (unsigned long long)bytes))
		value_table_set_object(c, &use->advised, pool, 1);
}

/* --- destroyed -------------------------------------------------------------------------- */

/* A stream on which memory was given back and whose end since the host cannot know of. */
static struct acl_object *still_running(struct checks *c, struct pool_state *p)
{
	struct acl_object *found = NULL;

	lock(&p->lock);
	for (unsigned i = 0; i < POOL_STREAMS && !found; i++) {
		struct acl_object *s = object_of(c, p->freed[i].stream);

		if (s && object_usable(s) && stream_pending(s, p->freed[i].position) &&
			!host_may_be_informed(c, s, p->freed[i].position))
			found = s;
	}
	unlock(&p->lock);
	return found;
}

static void pool_destroy_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *pool = pool_argument(c, call), *busy;
	struct holding held;

	if (!pool || load_relaxed(&pool_state(pool)->captured))
		return;
	held = holding_of(c, pool);
	if (held.captured)
		return;
	busy = held.count ? NULL : still_running(c, pool_state(pool));
	if (held.count)
		FINDING(c, call, "pool-destroy-live", true,
			PARTS(part_object("memory pool", pool), part_block("not given back", held.first)),
			"%llu pieces of the pool, %llu bytes, were not given back.",
			(unsigned long long)held.count, (unsigned long long)held.bytes);
	else
		FINDING(c, call, "pool-destroy-live", busy != NULL,
			PARTS(part_object("memory pool", pool), part_object("stream", busy)),
			"Memory was given back on a stream that was not waited for since.");
}

/* --- created and configured --------------------------------------------------------------- */

static void pool_create_enter(struct checks *c, struct acl_call_record *call)
{
	aclrtMemPoolProps props;
	uint64_t most;

	if (!program_read(
		    c, acl_arg_pointer(call->api, call->args, ACL_ROLE_PROPERTIES), &props, sizeof(props)) ||
		props.location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
		return;
	most = device_memory_bytes(c, (int)props.location.id);
	if (most)
		FINDING(c, call, "pool-create-props", props.maxSize > most,
			PARTS(part_bytes("maxSize", props.maxSize), part_bytes("memory of the device", most)),
			"The pool may take %llu bytes, and device %u has %llu.",
			(unsigned long long)props.maxSize, props.location.id, (unsigned long long)most);
}

static void check_attribute(struct checks *c, struct acl_call_record *call, struct acl_object *pool,
	bool wrong, uint64_t value, const char *detail)
{
	FINDING(c, call, "pool-attr-invalid", wrong,
		PARTS(part_enum("attr", "aclrtMemPoolAttr", ACL_ARGS(call, aclrtMemPoolSetAttr)->attr),
			part_uint("value", value), part_object("memory pool", pool)),
		"%s", detail);
}

static void pool_attribute_enter(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclrtMemPoolSetAttr *a = call->args;
	struct acl_object *pool = pool_argument(c, call);
	uint64_t value, limit = pool ? load_relaxed(&pool_state(pool)->limit) : 0;

	switch ((int)a->attr) {
	case ACL_RT_MEM_POOL_ATTR_RESERVED_MEM_HIGH:
	case ACL_RT_MEM_POOL_ATTR_USED_MEM_HIGH:
		if (program_read(c, a->value, &value, sizeof(value)))
			check_attribute(c, call, pool, value != 0, value,
				"A highest mark can be set back to 0, to no other value.");
		break;
	case ACL_RT_MEM_POOL_ATTR_RELEASE_THRESHOLD:
		if (limit && program_read(c, a->value, &value, sizeof(value)))
			check_attribute(c, call, pool, value > limit, value,
				"The threshold is larger than the pool can become.");
		break;
	}
}

/* --- trimmed ------------------------------------------------------------------------------ */

static void check_trim(struct checks *c, struct acl_call_record *call, struct acl_object *pool, bool wrong,
	const char *what, uint64_t bytes)
{
	uint64_t keep = ACL_ARGS(call, aclrtMemPoolTrimTo)->minBytesToKeep;

	FINDING(c, call, "pool-trim-range", wrong,
		PARTS(part_bytes("minBytesToKeep", keep), part_bytes(what, bytes),
			part_object("memory pool", pool)),
		"%llu bytes are to stay, and the pool %s %llu.", (unsigned long long)keep, what,
		(unsigned long long)bytes);
}

static void pool_trim_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *pool = pool_argument(c, call);
	uint64_t limit = pool ? load_relaxed(&pool_state(pool)->limit) : 0;

	if (limit)
		check_trim(c, call, pool, ACL_ARGS(call, aclrtMemPoolTrimTo)->minBytesToKeep > limit,
			"can hold", limit);
}

/* Whether the pool has memory in reserve only the runtime knows: its refusal is the proof. */
static void pool_trim_failed(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *pool = pool_argument(c, call);
	struct holding held;

	if (!pool || error_of(call) != ACL_ERROR_RT_INTERNAL_ERROR)
		return;
	held = holding_of(c, pool);
	check_trim(c, call, pool, ACL_ARGS(call, aclrtMemPoolTrimTo)->minBytesToKeep < held.bytes,
		"has in use", held.bytes);
}

static const struct check_hook hooks[] = {
	{ON_OP(ALLOCATE_POOL), ACL_LEAVE, pool_allocate_leave},
	{ON_OP(DESTROY_POOL), ACL_ENTER, pool_destroy_enter},
	{ON_OP(CREATE_POOL), ACL_ENTER, pool_create_enter},
	{ON_OP(CONFIGURE_POOL_ATTRIBUTE), ACL_ENTER, pool_attribute_enter},
	{ON_OP(POOL_TRIM), ACL_ENTER, pool_trim_enter},
	{ON_OP(POOL_TRIM), ACL_FAILED, pool_trim_failed},
};

const struct check_module module_pool_use = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct pool_use),
};
