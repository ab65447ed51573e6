/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies: alignment, host to host, page-locked memory while capturing.  One
 * call gives one finding about an address, the most specific.
 */
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/sides.h"
#include "checks/state.h"

#define ALIGNMENT 64

static struct side look(
	struct checks *c, struct acl_event *ev, const char *name, const void *address, unsigned param)
{
	struct side s = {.name = name, .address = address};

	if (!address) {
		/* A symbol of a binary: the device's. */
		s.location = PLACE_DEVICE;
	} else if (place_find(c, ev, address, param == 0 ? 0 : 1, &s.place)) {
		s.location = kind_is_host(s.place.kind) ? PLACE_HOST : PLACE_DEVICE;
	} else {
		s.location = PLACE_UNKNOWN;
	}
	return s;
}

/* Asks what an address is that no table knows. */
static void classify(struct checks *c, struct acl_event *ev, struct side *s, unsigned param)
{
	if (s->location != PLACE_UNKNOWN)
		return;
	s->class = host_class(c, ev, param, s->address);
	if (s->class > ACL_HOST_UNKNOWN)
		s->location = PLACE_PAGEABLE;
}

static const char *class_name(enum acl_host_class class)
{
	static const char *const names[] = {"memory of unknown origin", "memory of unknown origin",
		"a thread's stack", "the heap", "a mapped file or program data"};

	return names[class];
}

/* "src 0x… is 12 bytes into the 1 MiB page-locked host memory at 0x…" */
void side_describe(struct acl_finding *f, const struct side *s)
{
	char size[24];

	if (!s->address)
		finding_more(f, "%s is a device symbol", s->name);
	else if (s->place.block && (uintptr_t)s->address == s->place.base)
		finding_more(f, "%s %p is the start of the %s %s", s->name, s->address,
			human_bytes(s->place.size, size), memory_kind_name(s->place.kind));
	else if (s->place.block)
		finding_more(f, "%s %p is %llu bytes into the %s %s at 0x%llx", s->name, s->address,
			(unsigned long long)((uintptr_t)s->address - s->place.base),
			human_bytes(s->place.size, size), memory_kind_name(s->place.kind),
			(unsigned long long)s->place.base);
	else
		finding_more(f, "%s %p is in %s", s->name, s->address, class_name(s->class));
}

void side_add(struct checks *c, struct acl_finding *f, const struct side *s)
{
	finding_address(f, s->name, s->address);
	if (s->place.block)
		finding_block(
			c, f, s->name[0] == 's' ? "source memory" : "destination memory", s->place.block);
}

void leg_add(struct acl_event *ev, struct acl_finding *f, const struct copy_leg *leg)
{
	finding_bytes(f, "bytes", leg->src_span);
	finding_enum(f, "kind", "aclrtMemcpyKind", leg->kind);
	if (legs_count(ev) > 1)
		finding_uint(f, "batch entry", leg->index);
}

/* Runs everything as device to device: the rules of host memory do not apply. */
static bool unified(struct checks *c)
{
	return ld(&c->run_mode) == ACL_DEVICE;
}

/* --- async-copy-h2h ------------------------------------------------------------- */

static bool is_h2h(
	struct checks *c, const struct copy_leg *leg, const struct side *src, const struct side *dst)
{
	if (unified(c) || leg->src == leg->dst || leg->kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE ||
		leg->kind < 0)
		return false;
	if (src->location == PLACE_DEVICE || dst->location == PLACE_DEVICE)
		return false;
	/* The program says so itself, or both addresses are proven to be the host's. */
	return leg->kind == ACL_MEMCPY_HOST_TO_HOST ||
	       (src->location != PLACE_UNKNOWN && dst->location != PLACE_UNKNOWN);
}

static void report_h2h(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *src, const struct side *dst)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("async-copy-h2h"), &room);

	if (!f)
		return;
	finding_detail(f, "%s would copy %llu bytes inside the host: ", acl_apis[ev->api].name,
		(unsigned long long)leg->src_span);
	side_describe(f, src);
	finding_more(f, ", ");
	side_describe(f, dst);
	leg_add(ev, f, leg);
	side_add(c, f, src);
	side_add(c, f, dst);
	finding_show(c, f);
}

/* --- capture-unpinned-host ------------------------------------------------------- */

/* The pageable host side of the leg, NULL = none that we can prove. */
static const struct side *unpinned(
	const struct copy_leg *leg, const struct side *src, const struct side *dst, bool refused)
{
	bool reads_host = leg->kind == ACL_MEMCPY_HOST_TO_DEVICE || leg->kind == ACL_MEMCPY_HOST_TO_HOST;
	bool writes_host = leg->kind == ACL_MEMCPY_DEVICE_TO_HOST || leg->kind == ACL_MEMCPY_HOST_TO_HOST;

	if (src->location == PLACE_PAGEABLE || (refused && reads_host && src->location == PLACE_UNKNOWN))
		return src;
	if (dst->location == PLACE_PAGEABLE || (refused && writes_host && dst->location == PLACE_UNKNOWN))
		return dst;
	return NULL;
}

static void report_unpinned(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *host, const struct side *other)
{
	struct acl_object *model = capture_of(c, stream_of(ev));
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("capture-unpinned-host"), &room);

	if (!f)
		return;
	finding_detail(f, "the stream is being captured, and ");
	side_describe(f, host);
	finding_more(f, ", neither page-locked nor registered; ");
	side_describe(f, other);
	leg_add(ev, f, leg);
	side_add(c, f, host);
	side_add(c, f, other);
	finding_object(c, f, "stream", stream_of(ev));
	finding_object(c, f, "capture", model);
	finding_show(c, f);
}

static bool check_unpinned(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *src, const struct side *dst, bool refused)
{
	const struct side *host;

	if (leg->src == leg->dst || unified(c))
		return false;
	host = unpinned(leg, src, dst, refused);
	if (!host)
		return false;
	if (refused)
		rule_asked(ev, RULE("capture-unpinned-host"));
	report_unpinned(c, ev, leg, host, host == src ? dst : src);
	return true;
}

/* --- async-copy-alignment ----------------------------------------------------------- */

static void report_alignment(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *src, const struct side *dst)
{
	bool inside = src->location == PLACE_DEVICE && dst->location == PLACE_DEVICE && src->place.block &&
		      dst->place.block && ld(&src->place.block->device) == ld(&dst->place.block->device);
	struct finding_grade grade = GRADE_TABLE;
	const struct side *bad = (uintptr_t)src->address % ALIGNMENT ? src : dst;
	struct finding_buffer room;
	struct acl_finding *f;

	grade.relaxed_to = inside ? ACL_SEV_WARNING : ACL_RELAXED_OFF;
	f = finding_begin_as(c, ev, RULE("async-copy-alignment"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "%s %p is %u bytes past a 64-byte boundary: ", bad->name, bad->address,
		(unsigned)((uintptr_t)bad->address % ALIGNMENT));
	side_describe(f, bad);
	if (bad == src && (uintptr_t)dst->address % ALIGNMENT) {
		finding_more(f, "; so is dst, by %u: ", (unsigned)((uintptr_t)dst->address % ALIGNMENT));
		side_describe(f, dst);
	}
	finding_uint(f, "src mod 64", (uintptr_t)src->address % ALIGNMENT);
	finding_uint(f, "dst mod 64", (uintptr_t)dst->address % ALIGNMENT);
	leg_add(ev, f, leg);
	side_add(c, f, src);
	side_add(c, f, dst);
	finding_object(c, f, "stream", stream_of(ev));
	finding_show(c, f);
}

static bool is_pageable(const struct side *s)
{
	return s->location == PLACE_PAGEABLE || s->location == PLACE_UNKNOWN;
}

static void check_alignment(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *src, const struct side *dst)
{
	if (leg->kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE || leg->src == leg->dst)
		return;
	/* From 8.5 on a pageable side makes the copy synchronous, which needs no alignment. */
	if (target_at_least(c, ACL_CANN_8_5) && (is_pageable(src) || is_pageable(dst)))
		return;
	report_alignment(c, ev, leg, src, dst);
}

/* --- rc-mode-host-copy ------------------------------------------------------------------- */

static void report_unified(struct checks *c, struct acl_event *ev, const char *what)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("rc-mode-host-copy"), &room);

	if (!f)
		return;
	finding_detail(
		f, "aclrtGetRunMode answered ACL_DEVICE: host and device memory are one here, and %s", what);
	finding_enum(f, "run mode", "aclrtRunMode", ACL_DEVICE);
	finding_show(c, f);
}

static void check_unified(struct checks *c, struct acl_event *ev, int kind)
{
	if (__builtin_expect(unified(c), 0) &&
		rule_broken(ev, RULE("rc-mode-host-copy"),
			kind >= ACL_MEMCPY_HOST_TO_HOST && kind <= ACL_MEMCPY_DEVICE_TO_HOST))
		report_unified(c, ev, "this copy between them is wasted work");
}

static void host_allocation(struct checks *c, struct acl_event *ev)
{
	if (unified(c)) {
		rule_asked(ev, RULE("rc-mode-host-copy"));
		report_unified(c, ev, "memory for transfers is not needed");
	}
}

/* ---------------------------------------------------------------------------------------- */

/* True when the leg gave a finding that covers whatever else is wrong with it. */
static bool check_leg(struct checks *c, struct acl_event *ev, const struct copy_leg *leg,
	const struct side *src, const struct side *dst)
{
	if (src->location != PLACE_UNKNOWN || dst->location != PLACE_UNKNOWN ||
		leg->kind == ACL_MEMCPY_HOST_TO_HOST)
		rule_asked(ev, RULE("async-copy-h2h"));
	if (ev->carry[CARRY_CAPTURE] && src->location != PLACE_UNKNOWN && dst->location != PLACE_UNKNOWN)
		rule_asked(ev, RULE("capture-unpinned-host"));
	if (is_h2h(c, leg, src, dst)) {
		report_h2h(c, ev, leg, src, dst);
		return true;
	}
	return ev->carry[CARRY_CAPTURE] && check_unpinned(c, ev, leg, src, dst, false);
}

/*
 * The class of an address no table knows costs a search of the process' maps:
 * it is asked only where the answer decides.
 */
static bool class_matters(const struct acl_event *ev, const struct side *src, const struct side *dst)
{
	if (src->location == PLACE_DEVICE || dst->location == PLACE_DEVICE)
		return ev->carry[CARRY_CAPTURE] != 0;
	return src->location == PLACE_UNKNOWN || dst->location == PLACE_UNKNOWN;
}

static void look_both(struct checks *c, struct acl_event *ev, const struct copy_leg *leg, struct side *src,
	struct side *dst)
{
	*src = look(c, ev, "src", leg->src, leg->src_param);
	*dst = look(c, ev, "dst", leg->dst, leg->dst_param);
	if (class_matters(ev, src, dst)) {
		classify(c, ev, src, leg->src_param);
		classify(c, ev, dst, leg->dst_param);
	}
}

/* Aligned, known on both sides, one of them the device's, no capture, one device: nothing to ask. */
static inline bool plainly_right(struct checks *c, const struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyAsync *a = ev->args;
	const struct acl_place *src, *dst;

	if (((uintptr_t)a->src | (uintptr_t)a->dst) & (ALIGNMENT - 1) || ev->carry[CARRY_CAPTURE] ||
		unified(c) || ld(&c->many_devices))
		return false;
	src = place_of(c, ev, a->src, 1);
	dst = place_of(c, ev, a->dst, 0);
	return src->block && dst->block && !(kind_is_host(src->kind) && kind_is_host(dst->kind));
}

/* Plain asynchronous copies: the hot path. */
static void async_enter(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyAsync *a = ev->args;
	struct copy_leg leg = {a->dst, a->src, a->count, a->count, a->kind, 0, 2, 0};
	struct side src, dst;

	if (!a->count || !a->dst || !a->src)
		return;
	if (plainly_right(c, ev)) {
		called_again(thread_of(ev), ACL_CALLED_PLAIN_ASYNC);
		return;
	}
	rule_asked(ev, RULE("async-copy-alignment"));
	check_unified(c, ev, a->kind);
	look_both(c, ev, &leg, &src, &dst);
	if (!check_leg(c, ev, &leg, &src, &dst) &&
		(((uintptr_t)a->src | (uintptr_t)a->dst) & (ALIGNMENT - 1)))
		check_alignment(c, ev, &leg, &src, &dst);
	peer_copy(c, ev, &src, &dst);
}

static void sync_enter(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;
	struct copy_leg leg = {a->dst, a->src, a->count, a->count, a->kind, 0, 2, 0};
	struct side src, dst;

	if (!a->count || !a->dst || !a->src)
		return;
	check_unified(c, ev, a->kind);
	if (!ld(&c->many_devices))
		return;
	src = look(c, ev, "src", leg.src, leg.src_param);
	dst = look(c, ev, "dst", leg.dst, leg.dst_param);
	peer_copy(c, ev, &src, &dst);
}

/* Other asynchronous forms; alignment is asked of plain copies only. */
static void form_enter(struct checks *c, struct acl_event *ev)
{
	for (uint64_t i = 0, n = legs_count(ev); i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);
		struct side src, dst;

		if (!leg.src_span)
			continue;
		look_both(c, ev, &leg, &src, &dst);
		if (check_leg(c, ev, &leg, &src, &dst))
			return;
	}
}

/*
 * The runtime refused the copy, and no finding says why.  With addresses whose
 * origin nobody could prove, the refusal is the proof: 207000 is its answer to
 * a copy inside the host, 107000 or 107027 to a captured one of pageable memory.
 */
static void form_refused(struct checks *c, struct acl_event *ev)
{
	bool unpinned = ev->carry[CARRY_CAPTURE] && (error_of(ev) == 107000 || error_of(ev) == 107027);

	if (ev->carry[CARRY_FINDING] || (!unpinned && error_of(ev) != 207000) || unified(c))
		return;
	for (uint64_t i = 0, n = legs_count(ev); i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);
		struct side src, dst;

		look_both(c, ev, &leg, &src, &dst);
		if (unpinned && check_unpinned(c, ev, &leg, &src, &dst, true))
			return;
		if (!unpinned && src.location != PLACE_DEVICE && dst.location != PLACE_DEVICE) {
			rule_asked(ev, RULE("async-copy-h2h"));
			report_h2h(c, ev, &leg, &src, &dst);
			return;
		}
	}
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, async_enter},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_ENTER, async_enter},
	{ACL_API_aclrtMemcpy, ACL_ENTER, sync_enter},
	{ACL_API_aclrtMallocHost, ACL_ENTER, host_allocation},
	{ACL_API_aclrtMallocHostWithCfg, ACL_ENTER, host_allocation},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, form_enter},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, form_enter},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, form_enter},
	{ACL_API_aclrtMemcpyToSymbolAsync, ACL_ENTER, form_enter},
	{ACL_API_aclrtMemcpyFromSymbolAsync, ACL_ENTER, form_enter},
	{ACL_API_aclrtMemcpyAsync, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpy2dAsync, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpyToSymbolAsync, ACL_FAILED, form_refused},
	{ACL_API_aclrtMemcpyFromSymbolAsync, ACL_FAILED, form_refused},
};

static bool copy_create(struct checks *c)
{
	rule_asked_by(c, RULE("async-copy-alignment"), ACL_CALLED_PLAIN_ASYNC);
	rule_asked_by(c, RULE("async-copy-h2h"), ACL_CALLED_PLAIN_ASYNC);
	return true;
}

const struct acl_topic topic_copy = {
	.name = "copy", .create = copy_create, .hooks = hooks, .n_hooks = sizeof(hooks) / sizeof(hooks[0])};
