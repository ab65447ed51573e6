/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about what may be released, and with which function. */
#include "checks/freed.h"
#include "checks/report.h"

static const void *address_of(const struct acl_event *ev)
{
	/* All release functions begin with the address. */
	return ACL_ARGS(ev, aclrtFree)->devPtr;
}

static void say_place(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	const struct acl_place *place, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, detail, memory_kind_name(place->kind));
	finding_address(f, "address", address_of(ev));
	if ((uintptr_t)address_of(ev) != place->base)
		finding_bytes(f, "offset into the block", (uintptr_t)address_of(ev) - place->base);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

static void say_freed(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	const struct freed_block *b, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_address(f, "address", address_of(ev));
	finding_freed(f, "memory", b);
	finding_show(c, f);
}

static void say_unknown(struct checks *c, struct acl_event *ev, const struct acl_rule *rule)
{
	static const char *const where[] = {[ACL_HOST_STACK] = "on a thread's stack",
		[ACL_HOST_HEAP] = "in the heap",
		[ACL_HOST_FILE] = "in a mapped file or the program's data"};
	enum acl_host_class class = host_class(c, ev, 0, address_of(ev));
	struct finding_buffer room;
	struct acl_finding *f;

	/* Libraries allocate below us: only what is provably no memory of the runtime counts. */
	if (class < ACL_HOST_STACK || class > ACL_HOST_FILE)
		return;
	rule_asked(ev, rule);
	f = finding_begin(c, ev, rule, &room);
	if (!f)
		return;
	finding_detail(f, "The address lies %s: the runtime never allocated it.", where[class]);
	finding_address(f, "address", address_of(ev));
	finding_show(c, f);
}

/* The address is known: it is, or was, a block of the runtime. */
static void ask_of_released(struct acl_event *ev)
{
	rule_asked(ev, RULE("use-after-device-reset"));
	if (ev->api == ACL_API_aclrtMemPoolFreeAsync) {
		rule_asked(ev, RULE("pool-free-invalid"));
		return;
	}
	rule_asked(ev, RULE("free-unknown-pointer"));
	rule_asked(ev, RULE("free-double"));
}

/* An address that no live block covers. */
static void release_unknown(struct checks *c, struct acl_event *ev)
{
	struct freed_block b;

	if (!freed_find(c, address_of(ev), false, &b)) {
		say_unknown(c, ev,
			ev->api == ACL_API_aclrtMemPoolFreeAsync ? RULE("pool-free-invalid")
								 : RULE("free-unknown-pointer"));
		return;
	}
	if (b.base != (uintptr_t)address_of(ev))
		return;
	ask_of_released(ev);
	if (b.by_reset)
		say_freed(c, ev, RULE("use-after-device-reset"), &b,
			"The memory went with its device at the reset.");
	else if (ev->api == ACL_API_aclrtMemPoolFreeAsync)
		say_freed(c, ev, RULE("pool-free-invalid"), &b, "The memory was released before.");
	else
		say_freed(c, ev, RULE("free-double"), &b, "The memory was released before.");
}

/* The kind of block a function is for, as far as rules of other files do not say it. */
static void release_kind(struct checks *c, struct acl_event *ev, const struct acl_place *place)
{
	bool plain = ev->api == ACL_API_aclrtFree || ev->api == ACL_API_aclrtFreeWithDevSync;

	if (plain)
		rule_asked(ev, RULE("pool-sync-free"));
	if (plain || ev->api == ACL_API_aclrtReleaseMemAddress)
		rule_asked(ev, RULE("free-managed-wrong-api"));
	if (plain && place->kind == MEM_RESERVED)
		say_place(c, ev, RULE("free-managed-wrong-api"), place,
			"This is a %s: aclrtReleaseMemAddress releases it.");
	else if (plain && place->kind == MEM_POOL)
		say_place(c, ev, RULE("pool-sync-free"), place,
			"This is %s: aclrtMemPoolFreeAsync releases it.");
	else if (ev->api == ACL_API_aclrtReleaseMemAddress && place->kind != MEM_RESERVED)
		say_place(c, ev, RULE("free-managed-wrong-api"), place,
			"This is %s, no reserved address range.");
}

/* Reserved addresses and the memory mapped into them are two things at one address. */
static bool place_of_release(struct checks *c, const struct acl_event *ev, struct acl_place *place)
{
	bool addresses = ev->api == ACL_API_aclrtReleaseMemAddress;
	uintptr_t address = (uintptr_t)address_of(ev);

	return map_find(addresses ? c->reserved : c->memory, address, place) ||
	       map_find(addresses ? c->memory : c->reserved, address, place);
}

static void releasing(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;

	if (!address_of(ev) || ev->carry[CARRY_FINDING])
		return;
	if (!place_of_release(c, ev, &place)) {
		release_unknown(c, ev);
		return;
	}
	ask_of_released(ev);
	if (ev->api != ACL_API_aclrtMemPoolFreeAsync)
		rule_asked(ev, RULE("free-interior-pointer"));
	if (place.base == (uintptr_t)address_of(ev))
		release_kind(c, ev, &place);
	else if (place.kind != MEM_RESERVED && place.kind != MEM_MAPPED && place.kind != MEM_IMPORTED)
		say_place(c, ev,
			ev->api == ACL_API_aclrtMemPoolFreeAsync ? RULE("pool-free-invalid")
								 : RULE("free-interior-pointer"),
			&place, "The address lies inside %s, it is not its beginning.");
}

/* A live registration that touches [base, base + size). */
static struct acl_block *registration_in(struct checks *c, uint64_t base, uint64_t size)
{
	struct acl_block *b;

	if (!map_live(c->registered))
		return NULL;
	map_each(c->registered,
		b) if (ld(&b->base) < base + size && base < ld(&b->base) + ld(&b->size)) return b;
	return NULL;
}

static void releasing_host(struct checks *c, struct acl_event *ev)
{
	struct acl_place place;
	struct acl_block *r;
	struct finding_buffer room;
	struct acl_finding *f;

	releasing(c, ev);
	if (!address_of(ev) || ev->carry[CARRY_FINDING] ||
		!map_find(c->memory, (uintptr_t)address_of(ev), &place) ||
		place.base != (uintptr_t)address_of(ev))
		return;
	r = registration_in(c, place.base, place.size);
	rule_asked(ev, RULE("host-free-while-registered"));
	f = r ? finding_begin(c, ev, RULE("host-free-while-registered"), &room) : NULL;
	if (!f)
		return;
	finding_detail(f, "The memory is still registered; aclrtHostUnregister comes first.");
	finding_block(c, f, "memory", place.block);
	finding_block(c, f, "registration", r);
	finding_show(c, f);
}

/* --- registrations -------------------------------------------------------------------- */

static void registering(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtHostRegister *a = ev->args;
	struct finding_buffer room;
	struct acl_block *r;
	struct acl_finding *f;

	if (!a->ptr || !a->size || ev->carry[CARRY_FINDING])
		return;
	r = registration_in(c, (uintptr_t)a->ptr, a->size);
	rule_asked(ev, RULE("host-register-overlap"));
	f = r ? finding_begin(c, ev, RULE("host-register-overlap"), &room) : NULL;
	if (!f)
		return;
	finding_detail(f, "Part of the range is registered already.");
	finding_address(f, "ptr", a->ptr);
	finding_bytes(f, "size", a->size);
	finding_block(c, f, "registration", r);
	finding_show(c, f);
}

static void registering_v2(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtHostRegisterV2 *a = ev->args;
	struct finding_buffer room;
	struct acl_place place;
	struct acl_finding *f;

	registering(c, ev);
	if (ev->carry[CARRY_FINDING] || !map_find(c->memory, (uintptr_t)a->ptr, &place) ||
		place.kind != MEM_HOST ||
		!rule_broken(ev, RULE("host-register-pinned-on-locked"), a->flag & ACL_HOST_REG_PINNED))
		return;
	f = finding_begin(c, ev, RULE("host-register-pinned-on-locked"), &room);
	if (!f)
		return;
	finding_detail(f, "The memory comes from aclrtMallocHost and is page-locked already.");
	finding_address(f, "ptr", a->ptr);
	finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

static void unregistering(struct checks *c, struct acl_event *ev)
{
	struct freed_block b;
	struct acl_place place;

	if (!address_of(ev) || ev->carry[CARRY_FINDING])
		return;
	if (map_find(c->registered, (uintptr_t)address_of(ev), &place)) {
		rule_asked(ev, RULE("host-unregister-not-registered"));
		if (place.base != (uintptr_t)address_of(ev))
			say_place(c, ev, RULE("host-unregister-not-registered"), &place,
				"The address lies inside %s, it is not its beginning.");
	} else if (freed_find(c, address_of(ev), true, &b) && b.base == (uintptr_t)address_of(ev)) {
		rule_asked(ev, RULE("host-unregister-not-registered"));
		say_freed(c, ev, RULE("host-unregister-not-registered"), &b,
			"The memory was unregistered before.");
	} else if (map_find(c->memory, (uintptr_t)address_of(ev), &place)) {
		rule_asked(ev, RULE("host-unregister-not-registered"));
		say_place(c, ev, RULE("host-unregister-not-registered"), &place,
			"This is %s and was never registered.");
	}
}

static void device_pointer(struct checks *c, struct acl_event *ev)
{
	const void *host = ACL_ARGS(ev, aclrtHostGetDevicePointer)->pHost;
	struct finding_buffer room;
	struct acl_place place;
	struct acl_finding *f;

	/* Memory that no table knows may have been registered below us. */
	if (!host || ev->carry[CARRY_FINDING])
		return;
	if (map_find(c->registered, (uintptr_t)host, &place)) {
		rule_asked(ev, RULE("host-device-pointer-unmapped"));
		return;
	}
	if (!map_find(c->memory, (uintptr_t)host, &place) ||
		!rule_broken(ev, RULE("host-device-pointer-unmapped"), place.kind != MEM_HOST))
		return;
	f = finding_begin(c, ev, RULE("host-device-pointer-unmapped"), &room);
	if (!f)
		return;
	finding_detail(f, "This is %s and was never registered for mapping.", memory_kind_name(place.kind));
	finding_address(f, "pHost", host);
	finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtFree, ACL_ENTER, releasing},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, releasing},
	{ACL_API_aclrtFreeHost, ACL_ENTER, releasing_host},
	{ACL_API_aclrtFreeHostWithDevSync, ACL_ENTER, releasing_host},
	{ACL_API_aclrtMemPoolFreeAsync, ACL_ENTER, releasing},
	{ACL_API_aclrtReleaseMemAddress, ACL_ENTER, releasing},
	{ACL_API_aclrtHostRegister, ACL_ENTER, registering},
	{ACL_API_aclrtHostRegisterV2, ACL_ENTER, registering_v2},
	{ACL_API_aclrtHostUnregister, ACL_ENTER, unregistering},
	{ACL_API_aclrtHostGetDevicePointer, ACL_ENTER, device_pointer},
};

const struct acl_topic topic_release = {
	.name = "release",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
