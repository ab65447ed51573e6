/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of device variables: each device has its own. */
#include "checks/legs.h"
#include "checks/pairs.h"
#include "checks/report.h"
#include "checks/state.h"

struct symbol_state {
	struct pairs size; /* symbol -> bytes */
	struct pairs devices; /* address -> bit n: the runtime gave it out for device n */
	struct pointer_map *places;
};

static struct symbol_state *symbols(struct checks *c)
{
	return c->topic[TOPIC_SYMBOLS];
}

static void sized(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetSymbolSize *a = ev->args;

	if (succeeded(ev) && a->symbol && a->size)
		pairs_set(&symbols(c)->size, (uintptr_t)a->symbol, *a->size);
}

static void located(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetSymbolAddress *a = ev->args;
	int device = device_current(c, thread_of(ev));
	uint64_t base, size;
	struct acl_place place;

	if (!succeeded(ev) || !a->devPtr || !*a->devPtr || device < 0 || device >= ACL_DEVICES)
		return;
	base = (uintptr_t)*a->devPtr;
	size = pairs_value(&symbols(c)->size, (uintptr_t)a->symbol);
	pairs_set(
		&symbols(c)->devices, base, pairs_value(&symbols(c)->devices, base) | UINT64_C(1) << device);
	if (!map_find(symbols(c)->places, base, &place) || place.base != base)
		map_insert(c, symbols(c)->places, ev, base, size ? size : 1, MEM_DEVICE, device);
	checks_unusual(c);
}

static void check_use(struct checks *c, struct acl_event *ev, const char *name, const void *address)
{
	int device = device_current(c, thread_of(ev));
	struct finding_buffer room;
	struct acl_place place, live;
	struct acl_finding *f;
	uint64_t devices;

	/* Memory that was allocated there since is no variable any more. */
	if (device < 0 || device >= ACL_DEVICES || !address ||
		!map_find(symbols(c)->places, (uintptr_t)address, &place) ||
		map_find(c->memory, (uintptr_t)address, &live))
		return;
	devices = pairs_value(&symbols(c)->devices, place.base);
	if (!devices || ev->carry[CARRY_FINDING] ||
		!rule_broken(ev, RULE("symbol-address-other-device"), !(devices >> device & 1)))
		return;
	f = finding_begin(c, ev, RULE("symbol-address-other-device"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is the address of a variable of device %d, and device %d is current.", name,
		ld(&place.block->device), device);
	finding_address(f, name, address);
	finding_int(f, "current device", device);
	finding_block(c, f, "device variable", place.block);
	finding_show(c, f);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;

	if (!map_live(symbols(c)->places) || !a->count)
		return;
	check_use(c, ev, "src", a->src);
	check_use(c, ev, "dst", a->dst);
}

static bool symbols_create(struct checks *c)
{
	c->topic[TOPIC_SYMBOLS] = checks_alloc(c, sizeof(struct symbol_state));
	if (!c->topic[TOPIC_SYMBOLS])
		return false;
	symbols(c)->places = map_create(c);
	return symbols(c)->places != NULL;
}

static void symbols_forked(struct checks *c)
{
	map_forked(symbols(c)->places);
	st(&symbols(c)->size.lock.held, 0);
	st(&symbols(c)->devices.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtGetSymbolSize, ACL_LEAVE, sized},
	{ACL_API_aclrtGetSymbolAddress, ACL_LEAVE, located},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER | ACL_UNUSUAL, copying},
};

const struct acl_topic topic_symbol = {
	.name = "device variables",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = symbols_create,
	.forked = symbols_forked,
};
