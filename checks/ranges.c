/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ranges: every copy and set against the memory it names.  Interior addresses
 * are normal, blocks of a caching allocator are large, and an address that no
 * table knows may be memory of a library: only what is tracked is judged.
 */
#include "checks/freed.h"
#include "checks/legs.h"
#include "checks/report.h"

struct range {
	const char *name; /* "dst", "src", "devPtr" */
	const void *address;
	uint64_t span;
	unsigned param;
	bool writes;
	struct acl_place place; /* when found */
};

static bool two_dimensional(const struct acl_event *ev)
{
	return ev->api == ACL_API_aclrtMemcpy2d || ev->api == ACL_API_aclrtMemcpy2dAsync;
}

static bool is_async(const struct acl_event *ev)
{
	return acl_apis[ev->api].mode == ACL_MODE_ASYNC;
}

static uint64_t up32(uint64_t size)
{
	return (size + 31) & ~UINT64_C(31);
}

/* Bytes the runtime really has behind the base: sizes are rounded up. */
static uint64_t rounded(const struct acl_place *place)
{
	switch (ld(&place->block->created.api)) {
	case ACL_API_aclrtMalloc:
	case ACL_API_aclrtMallocCached:
		return up32(place->size) + 32;
	case ACL_API_aclrtMallocAlign32:
	case ACL_API_aclrtMallocWithCfg:
	case ACL_API_aclrtMallocForTaskScheduler:
	case ACL_API_aclrtMallocHost:
	case ACL_API_aclrtMallocHostWithCfg:
		return up32(place->size);
	case ACL_API_aclrtMemAllocManaged:
		return (place->size + (2u << 20) - 1) & ~((UINT64_C(2) << 20) - 1);
	default:
		return place->size;
	}
}

/* --- beyond the end --------------------------------------------------------------------- */

static void say_bounds(struct checks *c, struct acl_event *ev, const struct range *r,
	const struct acl_rule *rule, bool slack)
{
	uint64_t offset = (uintptr_t)r->address - r->place.base;
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	if (slack)
		grade.severity = ACL_SEV_WARNING;
	f = finding_begin_as(c, ev, rule, grade, &room);
	if (!f)
		return;
	finding_detail(f, "%s %s %llu bytes from offset %llu on, %llu past the end of %s of %s%s.", r->name,
		r->writes ? "takes" : "gives", (unsigned long long)r->span, (unsigned long long)offset,
		(unsigned long long)(offset + r->span - r->place.size), memory_kind_name(r->place.kind),
		human_bytes(r->place.size, size), slack ? "; only rounding up saves it" : "");
	finding_address(f, r->name, r->address);
	finding_bytes(f, "bytes touched", r->span);
	finding_bytes(f, "bytes left", r->place.size - offset);
	finding_block(c, f, r->writes ? "destination memory" : "source memory", r->place.block);
	finding_show(c, f);
}

static const struct acl_rule *bounds_rule(const struct acl_event *ev, bool writes)
{
	if (two_dimensional(ev))
		return RULE("memcpy2d-out-of-bounds");
	return writes ? RULE("memcpy-dest-out-of-bounds") : RULE("memcpy-source-out-of-bounds");
}

static bool check_bounds(struct checks *c, struct acl_event *ev, const struct range *r)
{
	uint64_t offset = (uintptr_t)r->address - r->place.base;

	/* Mappings inside a reservation and imported memory have ends we do not know. */
	if (r->place.kind == MEM_MAPPED || r->place.kind == MEM_IMPORTED ||
		!rule_broken(ev, bounds_rule(ev, r->writes), r->span > r->place.size - offset))
		return false;
	say_bounds(c, ev, r, bounds_rule(ev, r->writes), r->span <= rounded(&r->place) - offset);
	return true;
}

/* --- gone memory ------------------------------------------------------------------------- */

/* Memory that is, or was, the runtime's. */
static void ask_of_gone(struct acl_event *ev, unsigned kind)
{
	rule_asked(ev, RULE("use-after-device-reset"));
	rule_asked(ev, kind == MEM_POOL ? RULE("pool-use-after-async-free") : RULE("use-after-free"));
}

static bool check_gone(struct checks *c, struct acl_event *ev, const struct range *r)
{
	struct finding_buffer room;
	struct acl_finding *f;
	struct freed_block b;

	/* libc may have mapped a host range again. */
	if (!freed_find(c, r->address, false, &b) || b.kind == MEM_HOST)
		return false;
	ask_of_gone(ev, b.kind);
	f = finding_begin(c, ev,
		b.by_reset           ? RULE("use-after-device-reset")
		: b.kind == MEM_POOL ? RULE("pool-use-after-async-free")
				     : RULE("use-after-free"),
		&room);
	if (!f)
		return true;
	finding_detail(f, "%s lies in memory that %s.", r->name,
		b.by_reset ? "went with its device at the reset" : "was released before");
	finding_address(f, r->name, r->address);
	finding_bytes(f, "offset into the block", (uintptr_t)r->address - b.base);
	finding_freed(f, r->writes ? "destination memory" : "source memory", &b);
	finding_show(c, f);
	return true;
}

/* Finds the block and judges the range; true when a finding was made. */
static bool check_range(struct checks *c, struct acl_event *ev, struct range *r)
{
	if (!r->address || !r->span)
		return false;
	if (place_find(c, ev, r->address, r->writes ? 0 : 1, &r->place)) {
		ask_of_gone(ev, r->place.kind);
		return r->place.kind != MEM_REGISTERED && check_bounds(c, ev, r);
	}
	return check_gone(c, ev, r);
}

/* --- direction ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	bool from_host, to_host;
} directions[] = {{"host to host", true, true}, {"host to device", true, false},
	{"device to host", false, true}, {"device to device", false, false}};

/* Host or device beyond doubt. */
static bool certain(const struct range *r)
{
	return r->place.block &&
	       (kind_is_host(r->place.kind) || r->place.kind == MEM_DEVICE || r->place.kind == MEM_POOL);
}

static void check_direction(
	struct checks *c, struct acl_event *ev, int kind, const struct range *src, const struct range *dst)
{
	struct finding_buffer room;
	struct acl_finding *f;
	bool from_host, to_host;

	if (kind < 0 || kind > ACL_MEMCPY_DEVICE_TO_DEVICE || !certain(src) || !certain(dst))
		return;
	from_host = kind_is_host(src->place.kind);
	to_host = kind_is_host(dst->place.kind);
	if (!rule_broken(ev, RULE("memcpy-kind-location-mismatch"),
		    directions[kind].from_host != from_host || directions[kind].to_host != to_host))
		return;
	/* Inside the host: async-copy-h2h says it. */
	if (is_async(ev) && from_host && to_host)
		return;
	f = finding_begin(c, ev, RULE("memcpy-kind-location-mismatch"), &room);
	if (!f)
		return;
	finding_detail(f, "The call says %s, but src is %s and dst is %s.", directions[kind].name,
		memory_kind_name(src->place.kind), memory_kind_name(dst->place.kind));
	finding_enum(f, "kind", "aclrtMemcpyKind", kind);
	finding_block(c, f, "source memory", src->place.block);
	finding_block(c, f, "destination memory", dst->place.block);
	finding_show(c, f);
}

/* kind HOST_TO_BUF_TO_DEVICE copies the source into a buffer first: it must be the host's. */
static bool check_buffered(
	struct checks *c, struct acl_event *ev, const struct range *src, const struct range *dst)
{
	const struct range *bad = certain(src) && !kind_is_host(src->place.kind)  ? src
				  : certain(dst) && kind_is_host(dst->place.kind) ? dst
										  : NULL;
	struct finding_buffer room;
	struct acl_finding *f;

	if (!bad && (!certain(src) || !certain(dst)))
		return false;
	if (!rule_broken(ev, RULE("memcpy-buffered-kind-location"), bad))
		return false;
	f = finding_begin(c, ev, RULE("memcpy-buffered-kind-location"), &room);
	if (!f)
		return true;
	finding_detail(f, "The source must be host memory and the destination device memory; %s is %s.",
		bad->name, memory_kind_name(bad->place.kind));
	finding_address(f, bad->name, bad->address);
	finding_block(c, f, bad->writes ? "destination memory" : "source memory", bad->place.block);
	finding_show(c, f);
	return true;
}

/* A direction that cannot be: host memory proven pageable on one side, tracked device memory on the other. */
static void check_pageable(
	struct checks *c, struct acl_event *ev, int kind, struct range *src, struct range *dst)
{
	struct range *host = src->place.block ? dst : src, *device = src->place.block ? src : dst;
	struct finding_buffer room;
	struct acl_finding *f;

	if (host->place.block || !certain(device) || kind_is_host(device->place.kind) ||
		ev->carry[CARRY_CAPTURE])
		return;
	/* The class is asked only where it decides: what the kind allows is right for any host memory. */
	if (!rule_broken(ev, RULE("memcpy-kind-unregistered-illegal"),
		    kind == (host == src ? ACL_MEMCPY_DEVICE_TO_HOST : ACL_MEMCPY_HOST_TO_DEVICE) ||
			    kind == ACL_MEMCPY_HOST_TO_HOST))
		return;
	if (host_class(c, ev, host->param, host->address) <= ACL_HOST_UNKNOWN)
		return;
	f = finding_begin(c, ev, RULE("memcpy-kind-unregistered-illegal"), &room);
	if (!f)
		return;
	finding_detail(f, "The call says %s, but %s is the program's own host memory and %s is %s.",
		directions[kind].name, host->name, device->name, memory_kind_name(device->place.kind));
	finding_enum(f, "kind", "aclrtMemcpyKind", kind);
	finding_address(f, host->name, host->address);
	finding_block(c, f, device->writes ? "destination memory" : "source memory", device->place.block);
	finding_show(c, f);
}

/* --- destMax --------------------------------------------------------------------------------- */

/* The declared size promises more than there is. An interior address with the size of its whole block is
 * common. */
static void check_limit(struct checks *c, struct acl_event *ev, const struct range *r, uint64_t limit)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (!certain(r) || r->place.kind == MEM_REGISTERED || r->place.kind == MEM_POOL ||
		(uintptr_t)r->address != r->place.base ||
		!rule_broken(ev, RULE("memcpy-destmax-exceeds-allocation"),
			limit != r->span && limit > rounded(&r->place)))
		return;
	f = finding_begin(c, ev, RULE("memcpy-destmax-exceeds-allocation"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is said to hold %llu bytes but holds %llu.", r->name, (unsigned long long)limit,
		(unsigned long long)r->place.size);
	finding_address(f, r->name, r->address);
	finding_block(c, f, "destination memory", r->place.block);
	finding_show(c, f);
}

/* --- the calls --------------------------------------------------------------------------------- */

static bool has_limit(const struct acl_event *ev)
{
	return ev->api == ACL_API_aclrtMemcpy || ev->api == ACL_API_aclrtMemcpyAsync ||
	       ev->api == ACL_API_aclrtMemcpyAsyncWithCondition;
}

static void check_leg(struct checks *c, struct acl_event *ev, uint64_t i)
{
	struct copy_leg leg = legs_at(ev, i);
	struct range src = {"src", leg.src, leg.src_span, leg.src_param, false, {0}};
	struct range dst = {"dst", leg.dst, leg.dst_span, leg.dst_param, true, {0}};
	bool said = check_range(c, ev, &src);

	if (check_range(c, ev, &dst) || said || leg.src_param == 99 || leg.dst_param == 99)
		return;
	if (leg.kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE && check_buffered(c, ev, &src, &dst))
		return;
	/* Where host and device are one the direction means nothing. */
	if (ld(&c->run_mode) == ACL_DEVICE)
		return;
	if (!ev->carry[CARRY_FINDING])
		check_direction(c, ev, leg.kind, &src, &dst);
	if (is_async(ev) && !ev->carry[CARRY_FINDING])
		check_pageable(c, ev, leg.kind, &src, &dst);
	if (has_limit(ev) && !ev->carry[CARRY_FINDING])
		check_limit(c, ev, &dst, ACL_ARGS(ev, aclrtMemcpy)->destMax);
}

static inline bool fits(const struct acl_place *place, const void *address, uint64_t span)
{
	return (place->kind == MEM_HOST || place->kind == MEM_DEVICE) && place->block &&
	       span <= place->size - ((uintptr_t)address - place->base);
}

/* Nearly every copy: both sides known and large enough, the direction as said. None of the rules below would
 * speak. */
static inline bool plainly_right(struct checks *c, const struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;
	const struct acl_place *src = place_of(c, ev, a->src, 1), *dst = place_of(c, ev, a->dst, 0);

	return fits(src, a->src, a->count) && fits(dst, a->dst, a->count) && a->destMax == a->count &&
	       (unsigned)a->kind <= ACL_MEMCPY_DEVICE_TO_DEVICE &&
	       directions[a->kind].from_host == (src->kind == MEM_HOST) &&
	       directions[a->kind].to_host == (dst->kind == MEM_HOST);
}

static void check_copy(struct checks *c, struct acl_event *ev)
{
	uint64_t n;

	if (ev->carry[CARRY_FINDING])
		return;
	if (has_limit(ev) && plainly_right(c, ev)) {
		called_again(thread_of(ev), ACL_CALLED_PLAIN_COPY);
		return;
	}
	n = legs_count(ev);
	for (uint64_t i = 0; i < n && !ev->carry[CARRY_FINDING]; i++)
		check_leg(c, ev, i);
}

static void say_set_pageable(struct checks *c, struct acl_event *ev, const struct range *r)
{
	struct finding_buffer room;
	struct acl_finding *f;

	if (host_class(c, ev, r->param, r->address) <= ACL_HOST_UNKNOWN || ld(&c->run_mode) == ACL_DEVICE)
		return;
	rule_asked(ev, RULE("memset-pageable-host"));
	f = finding_begin(c, ev, RULE("memset-pageable-host"), &room);
	if (!f)
		return;
	finding_detail(f, "%s is the program's own host memory, which the device cannot reach.", r->name);
	finding_address(f, r->name, r->address);
	finding_bytes(f, "bytes", r->span);
	finding_show(c, f);
}

static void check_set(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemset *a = ev->args;
	struct range r = {"devPtr", a->devPtr, a->count, 0, true, {0}};

	if (ev->carry[CARRY_FINDING] || check_range(c, ev, &r) || !r.address || !r.span)
		return;
	if (!r.place.block) {
		say_set_pageable(c, ev, &r);
		return;
	}
	rule_asked(ev, RULE("memset-pageable-host"));
	check_limit(c, ev, &r, a->maxCount);
}

static void check_set_words(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemsetD32 *a = ev->args;
	struct range r = {"ptr", a->ptr, a->N * 4, 0, true, {0}};

	if (ev->carry[CARRY_FINDING] || check_range(c, ev, &r) || !r.address || !r.span || r.place.block)
		return;
	say_set_pageable(c, ev, &r);
}

/* Value operations touch one word of 8 bytes. */
static void check_value(struct checks *c, struct acl_event *ev)
{
	struct range r = {"devAddr", ACL_ARGS(ev, aclrtValueWrite)->devAddr, 8, 0,
		ev->api == ACL_API_aclrtValueWrite, {0}};
	struct finding_buffer room;
	struct acl_finding *f;

	if (ev->carry[CARRY_FINDING] || !r.address)
		return;
	if (!place_find(c, ev, r.address, 0, &r.place)) {
		check_gone(c, ev, &r);
		return;
	}
	ask_of_gone(ev, r.place.kind);
	if (r.place.kind == MEM_DEVICE && rule_broken(ev, RULE("value-write-alignment"),
						  (uintptr_t)r.address - r.place.base + 8 > r.place.size))
		say_bounds(c, ev, &r, RULE("value-write-alignment"), false);
	if (ld(&c->run_mode) == ACL_DEVICE ||
		!rule_broken(ev, RULE("value-op-args"), r.place.kind == MEM_HOST))
		return;
	f = finding_begin(c, ev, RULE("value-op-args"), &room);
	if (!f)
		return;
	finding_detail(f, "devAddr is page-locked host memory, not device memory.");
	finding_address(f, "devAddr", r.address);
	finding_block(c, f, "memory", r.place.block);
	finding_show(c, f);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpy, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpy2d, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyBatch, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyBatchV2, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyFromSymbol, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyFromSymbolAsync, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyToSymbol, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemcpyToSymbolAsync, ACL_ENTER, check_copy},
	{ACL_API_aclrtMemset, ACL_ENTER, check_set},
	{ACL_API_aclrtMemsetAsync, ACL_ENTER, check_set},
	{ACL_API_aclrtMemsetD32, ACL_ENTER, check_set_words},
	{ACL_API_aclrtMemsetD32Async, ACL_ENTER, check_set_words},
	{ACL_API_aclrtValueWrite, ACL_ENTER, check_value},
	{ACL_API_aclrtValueWait, ACL_ENTER, check_value},
};

/* What a plainly right copy has answered, each of these with no. */
static bool ranges_create(struct checks *c)
{
	rule_asked_by(c, RULE("memcpy-source-out-of-bounds"), ACL_CALLED_PLAIN_COPY);
	rule_asked_by(c, RULE("memcpy-dest-out-of-bounds"), ACL_CALLED_PLAIN_COPY);
	rule_asked_by(c, RULE("memcpy-destmax-exceeds-allocation"), ACL_CALLED_PLAIN_COPY);
	rule_asked_by(c, RULE("memcpy-kind-location-mismatch"), ACL_CALLED_PLAIN_COPY);
	rule_asked_by(c, RULE("use-after-free"), ACL_CALLED_PLAIN_COPY);
	rule_asked_by(c, RULE("use-after-device-reset"), ACL_CALLED_PLAIN_COPY);
	return true;
}

const struct acl_topic topic_ranges = {
	.name = "ranges",
	.create = ranges_create,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
