/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that mean something only on one side: symbols of device code,
 * device addresses of registered host memory, arguments of kernels, locations
 * of batches; notifies of other processes and labels.
 */
#include "checks/legs.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct far_state {
	struct pairs symbols; /* symbol -> its size */
	struct pairs labels; /* acl_ref of a label -> 1: it was set */
	struct pairs imported; /* notify -> 1: made by another process */
	struct pointer_map *windows; /* device addresses of registered host memory */
};

static struct far_state *far(struct checks *c)
{
	return c->topic[TOPIC_FAR];
}

/* --- symbols ------------------------------------------------------------------------- */

static void symbol_sized(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetSymbolSize *a = ev->args;

	if (succeeded(ev) && a->symbol && a->size)
		pairs_set(&far(c)->symbols, (uintptr_t)a->symbol, *a->size);
}

static void symbol_copy(
	struct checks *c, struct acl_event *ev, const void *symbol, uint64_t offset, uint64_t count)
{
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t size, end;

	if (!symbol || !count || !pairs_get(&far(c)->symbols, (uintptr_t)symbol, &size))
		return;
	if (!rule_broken(
		    ev, RULE("symbol-copy-range"), __builtin_add_overflow(offset, count, &end) || end > size))
		return;
	f = finding_first(c, ev, RULE("symbol-copy-range"), &room);
	if (!f)
		return;
	finding_detail(f, "The symbol has %llu bytes.", (unsigned long long)size);
	finding_address(f, "symbol", symbol);
	finding_bytes(f, "offset", offset);
	finding_bytes(f, "count", count);
	finding_show(c, f);
}

static void to_symbol(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyToSymbol *a = ev->args;

	symbol_copy(c, ev, a->symbol, a->offset, a->count);
}

static void from_symbol(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyFromSymbol *a = ev->args;

	symbol_copy(c, ev, a->symbol, a->offset, a->count);
}

/* --- device addresses of host memory ------------------------------------------------------ */

static void window_registered(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtHostRegister *a = ev->args;

	if (succeeded(ev) && a->devPtr && *a->devPtr && *a->devPtr != a->ptr && a->size)
		map_insert(c, far(c)->windows, ev, (uintptr_t)*a->devPtr, a->size, MEM_REGISTERED, -1);
}

static void window_asked(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtHostGetDevicePointer *a = ev->args;
	struct acl_place place;

	if (!succeeded(ev) || !a->pDevice || !*a->pDevice || *a->pDevice == a->pHost ||
		!map_find(c->registered, (uintptr_t)a->pHost, &place))
		return;
	map_insert(c, far(c)->windows, ev, (uintptr_t)*a->pDevice,
		place.base + place.size - (uintptr_t)a->pHost, MEM_REGISTERED, -1);
}

static void window_use(struct checks *c, struct acl_event *ev, const char *name, const void *address)
{
	struct acl_place place, live;
	struct finding_buffer room;
	struct acl_finding *f;

	/* Memory that was allocated there since is no window any more. */
	if (!address)
		return;
	rule_asked(ev, RULE("mapped-pointer-in-memory-op"));
	if (!map_find(far(c)->windows, (uintptr_t)address, &place) ||
		map_find(c->memory, (uintptr_t)address, &live))
		return;
	f = finding_first(c, ev, RULE("mapped-pointer-in-memory-op"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is the device address of registered host memory.", name);
	finding_address(f, name, address);
	finding_block(c, f, "device address", place.block);
	finding_show(c, f);
}

static void window_copy(struct checks *c, struct acl_event *ev)
{
	uint64_t n;

	if (__builtin_expect(!map_live(far(c)->windows), 1))
		return;
	n = legs_count(ev);
	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++) {
		struct copy_leg leg = legs_at(ev, i);

		window_use(c, ev, "src", leg.src);
		window_use(c, ev, "dst", leg.dst);
	}
}

static void window_set(struct checks *c, struct acl_event *ev)
{
	if (__builtin_expect(map_live(far(c)->windows) != 0, 0))
		window_use(c, ev, "devPtr", ACL_ARGS(ev, aclrtMemset)->devPtr);
}

/* --- arguments of kernels ------------------------------------------------------------------- */

static void wrong_side(
	struct checks *c, struct acl_event *ev, const char *name, const void *address, bool host)
{
	struct finding_buffer room;
	struct acl_place place;
	struct acl_finding *f;

	if (!address || ld(&c->run_mode) == ACL_DEVICE || !map_find(c->memory, (uintptr_t)address, &place))
		return;
	if (!rule_broken(ev, RULE("kernel-args-location"),
		    host ? place.kind == MEM_DEVICE || place.kind == MEM_POOL : place.kind == MEM_HOST))
		return;
	f = finding_first(c, ev, RULE("kernel-args-location"), &room);
	if (!f)
		return;
	finding_detail(f, "%s must be %s memory, this is %s.", name, host ? "host" : "device",
		memory_kind_name(place.kind));
	finding_address(f, name, address);
	finding_block(c, f, "arguments", place.block);
	finding_show(c, f);
}

static void launch_device_args(struct checks *c, struct acl_event *ev)
{
	/* aclrtLaunchKernelV2 begins alike. */
	wrong_side(c, ev, "argsData", ACL_ARGS(ev, aclrtLaunchKernel)->argsData, false);
}

static void launch_host_args(struct checks *c, struct acl_event *ev)
{
	bool simt = ev->api == ACL_API_aclrtLaunchSIMTKernelWithHostArgs;

	wrong_side(c, ev, "hostArgs",
		simt ? ACL_ARGS(ev, aclrtLaunchSIMTKernelWithHostArgs)->hostArgs
		     : ACL_ARGS(ev, aclrtLaunchKernelWithHostArgs)->hostArgs,
		true);
}

/* --- batches --------------------------------------------------------------------------------- */

enum side { SIDE_UNKNOWN, SIDE_HOST, SIDE_DEVICE };

static enum side side_of(struct checks *c, struct acl_event *ev, const void *address, struct acl_place *place)
{
	if (!address)
		return SIDE_UNKNOWN;
	if (place_find(c, ev, address, 2, place)) {
		if (kind_is_host(place->kind))
			return SIDE_HOST;
		return place->kind == MEM_DEVICE || place->kind == MEM_POOL ? SIDE_DEVICE : SIDE_UNKNOWN;
	}
	return host_class(c, ev, ACL_EVENT_PARAMS, address) > ACL_HOST_UNKNOWN ? SIDE_HOST : SIDE_UNKNOWN;
}

static void say_entry(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, uint64_t entry,
	const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_uint(f, "entry", entry);
	finding_show(c, f);
}

/* Attribute that applies to an entry: the last one that begins at or before it. */
static const aclrtMemcpyBatchAttr *attribute_of(const struct acl_args_aclrtMemcpyBatch *a, uint64_t entry)
{
	const aclrtMemcpyBatchAttr *found = NULL;

	for (size_t i = 0; a->attrs && a->attrsIndexes && i < a->numAttrs && a->attrsIndexes[i] <= entry; i++)
		found = &a->attrs[i];
	return found;
}

static bool location_fits(const aclrtMemLocation *l, enum side side, const struct acl_place *place)
{
	bool host = l->type == ACL_MEM_LOCATION_TYPE_HOST || l->type == ACL_MEM_LOCATION_TYPE_HOST_NUMA;
	int device;

	if (side == SIDE_UNKNOWN || (!host && l->type != ACL_MEM_LOCATION_TYPE_DEVICE))
		return true;
	if (host || side == SIDE_HOST)
		return host == (side == SIDE_HOST);
	device = place->block ? ld(&place->block->device) : -1;
	return device < 0 || (int)l->id == device;
}

static void ask_of_batch(struct acl_event *ev, enum side from, enum side to, const aclrtMemcpyBatchAttr *attr)
{
	if (from == SIDE_UNKNOWN || to == SIDE_UNKNOWN)
		return;
	rule_asked(ev, RULE("batch-direction"));
	if (attr)
		rule_asked(ev, RULE("batch-attr-location-mismatch"));
}

static void check_batch(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyBatch *a = ev->args;
	uint64_t n = ev->carry[CARRY_FINDING] ? 0 : legs_count(ev);
	enum side first_from = SIDE_UNKNOWN;

	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++) {
		const aclrtMemcpyBatchAttr *attr = attribute_of(a, i);
		struct acl_place src = {0}, dst = {0};
		enum side from = side_of(c, ev, a->srcs[i], &src), to = side_of(c, ev, a->dsts[i], &dst);

		if (i == 0)
			ask_of_batch(ev, from, to, attr);
		if (from != SIDE_UNKNOWN && from == to)
			say_entry(c, ev, RULE("batch-direction"), i,
				from == SIDE_HOST ? "The entry copies inside the host."
						  : "The entry copies inside the device.");
		else if (from != SIDE_UNKNOWN && to != SIDE_UNKNOWN && first_from != SIDE_UNKNOWN &&
			 from != first_from)
			say_entry(c, ev, RULE("batch-direction"), i,
				"The entries of the batch go in both directions.");
		else if (attr && (!location_fits(&attr->srcLoc, from, &src) ||
					 !location_fits(&attr->dstLoc, to, &dst)))
			say_entry(c, ev, RULE("batch-attr-location-mismatch"), i,
				"The attribute of the entry says another place than its addresses.");
		if (to != SIDE_UNKNOWN && from != SIDE_UNKNOWN)
			first_from = from;
	}
}

/* --- notifies and labels ------------------------------------------------------------------------ */

/* By value: in leave the object is not there yet. */
static void notify_imported(struct checks *c, struct acl_event *ev)
{
	const aclrtNotify *out = ACL_ARGS(ev, aclrtNotifyImportByKey)->notify;

	if (succeeded(ev) && out && *out)
		pairs_set(&far(c)->imported, (uintptr_t)*out, 1);
}

static void notify_created(struct checks *c, struct acl_event *ev)
{
	const aclrtNotify *out = ACL_ARGS(ev, aclrtCreateNotify)->notify;

	if (succeeded(ev) && out && *out && ld(&far(c)->imported.used))
		pairs_set(&far(c)->imported, (uintptr_t)*out, 0);
}

static void notify_waiting(struct checks *c, struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtWaitAndResetNotify)->notify;
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t imported = 0;

	if (!value)
		return;
	pairs_get(&far(c)->imported, (uintptr_t)value, &imported);
	if (!rule_broken(ev, RULE("notify-wait-imported"), imported))
		return;
	f = finding_first(c, ev, RULE("notify-wait-imported"), &room);
	if (!f)
		return;
	finding_detail(f, "The notify was imported: only the process that made it may wait for it.");
	finding_object(c, f, "notify", object_find(c, ACL_HANDLE_NOTIFY, value));
	finding_show(c, f);
}

static struct acl_object *label_of(struct checks *c, const struct acl_event *ev)
{
	const void *value = ACL_ARGS(ev, aclrtSetLabel)->label;

	return value ? object_live(c, ACL_HANDLE_LABEL, value) : NULL;
}

static void label_setting(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = label_of(c, ev);
	struct finding_buffer room;
	struct acl_finding *f;
	uint64_t set = 0;

	if (!o)
		return;
	pairs_get(&far(c)->labels, object_ref(o), &set);
	if (!rule_broken(ev, RULE("label-set-twice"), set))
		return;
	f = finding_first(c, ev, RULE("label-set-twice"), &room);
	if (!f)
		return;
	finding_detail(f, "The label marks a place in a stream already.");
	finding_object(c, f, "label", o);
	finding_show(c, f);
}

static void label_set(struct checks *c, struct acl_event *ev)
{
	struct acl_object *o = label_of(c, ev);

	if (o && succeeded(ev))
		pairs_set(&far(c)->labels, object_ref(o), 1);
}

static bool far_create(struct checks *c)
{
	c->topic[TOPIC_FAR] = checks_alloc(c, sizeof(struct far_state));
	if (!c->topic[TOPIC_FAR])
		return false;
	far(c)->windows = map_create(c);
	return far(c)->windows != NULL;
}

static void far_forked(struct checks *c)
{
	map_forked(far(c)->windows);
	st(&far(c)->symbols.lock.held, 0);
	st(&far(c)->labels.lock.held, 0);
	st(&far(c)->imported.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetSymbolSize, ACL_LEAVE, symbol_sized},
	{ACL_API_aclrtMemcpyToSymbol, ACL_ENTER, to_symbol},
	{ACL_API_aclrtMemcpyToSymbolAsync, ACL_ENTER, to_symbol},
	{ACL_API_aclrtMemcpyFromSymbol, ACL_ENTER, from_symbol},
	{ACL_API_aclrtMemcpyFromSymbolAsync, ACL_ENTER, from_symbol},
	{ACL_API_aclrtHostRegister, ACL_LEAVE, window_registered},
	{ACL_API_aclrtHostGetDevicePointer, ACL_LEAVE, window_asked},
	{ACL_API_aclrtMemcpy, ACL_ENTER, window_copy},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, window_copy},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER, window_copy},
	{ACL_API_aclrtMemset, ACL_ENTER, window_set},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER, window_set},
	{ACL_API_aclrtLaunchKernel, ACL_ENTER, launch_device_args},
	{ACL_API_aclrtLaunchKernelV2, ACL_ENTER, launch_device_args},
	{ACL_API_aclrtLaunchKernelWithHostArgs, ACL_ENTER, launch_host_args},
	{ACL_API_aclrtLaunchSIMTKernelWithHostArgs, ACL_ENTER, launch_host_args},
	{ACL_API_aclrtMemcpyBatch, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchV2, ACL_ENTER, check_batch},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, check_batch},
	{ACL_API_aclrtNotifyImportByKey, ACL_LEAVE, notify_imported},
	{ACL_API_aclrtCreateNotify, ACL_LEAVE, notify_created},
	{ACL_API_aclrtWaitAndResetNotify, ACL_ENTER, notify_waiting},
	{ACL_API_aclrtSetLabel, ACL_ENTER, label_setting},
	{ACL_API_aclrtSetLabel, ACL_LEAVE, label_set},
};

const struct acl_topic topic_far = {
	.name = "one-sided addresses",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = far_create,
	.forked = far_forked,
};
