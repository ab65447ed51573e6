/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Asynchronous copies that are none: large ones, again and again, between the
 * device and host memory that is not page-locked.
 */
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/state.h"

#define LARGE (64u << 10)
#define TIMES 4 /* of one call site: less is initialisation */
#define UNKNOWN 8 /* addresses nobody can place, then the site is not asked any more */
#define SITES 256

struct site {
	_Atomic uint64_t caller;
	_Atomic uint32_t pageable, unknown;
};

static struct site *site_of(struct checks *c, uint64_t caller)
{
	struct site *s = (struct site *)c->topic[TOPIC_PAGEABLE] + mix64(caller) % SITES;

	if (ld(&s->caller) != caller) {
		st(&s->caller, caller);
		st(&s->pageable, 0);
		st(&s->unknown, 0);
	}
	return s;
}

static bool of_device(const struct acl_place *p)
{
	return p->block && (p->kind == MEM_DEVICE || p->kind == MEM_POOL || p->kind == MEM_MAPPED);
}

static void say(struct checks *c, struct acl_event *ev, const char *name, const void *host, uint64_t bytes)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("async-copy-pageable-host"), &room);

	if (!f)
		return;
	finding_detail(f,
		"%s is the program's own memory, not page-locked: for the %uth time here the call waits "
		"for the stream and for the copy.",
		name, TIMES);
	finding_address(f, name, host);
	finding_bytes(f, "bytes", bytes);
	finding_object(c, f, "stream", stream_of(ev));
	finding_show(c, f);
}

static void host_side(struct checks *c, struct acl_event *ev, const char *name, const void *host,
	unsigned param, uint64_t bytes)
{
	struct site *s = site_of(c, ev->caller);

	if (ld(&s->pageable) >= TIMES || ld(&s->unknown) >= UNKNOWN)
		return;
	if (host_class(c, ev, param, host) <= ACL_HOST_UNKNOWN) {
		st(&s->unknown, ld(&s->unknown) + 1);
		return;
	}
	st(&s->pageable, ld(&s->pageable) + 1);
	if (ld(&s->pageable) == TIMES)
		say(c, ev, name, host, bytes);
}

static void check_leg(struct checks *c, struct acl_event *ev, const struct copy_leg *leg)
{
	const struct acl_place *src = place_of(c, ev, leg->src, 1), *dst = place_of(c, ev, leg->dst, 0);

	if (leg->kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE || (!of_device(src) && !of_device(dst)))
		return;
	rule_asked(ev, RULE("async-copy-pageable-host"));
	if (!src->block && leg->src)
		host_side(c, ev, "src", leg->src, leg->src_param, leg->src_span);
	else if (!dst->block && leg->dst)
		host_side(c, ev, "dst", leg->dst, leg->dst_param, leg->dst_span);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyAsync *a = ev->args;
	struct copy_leg leg = {a->dst, a->src, a->count, a->count, a->kind, 0, 2, 0};

	if (__builtin_expect(a->count < LARGE, 1) || ev->carry[CARRY_CAPTURE] ||
		ld(&c->run_mode) == ACL_DEVICE)
		return;
	check_leg(c, ev, &leg);
}

static void copying_form(struct checks *c, struct acl_event *ev)
{
	uint64_t n = ev->carry[CARRY_CAPTURE] || ld(&c->run_mode) == ACL_DEVICE ? 0 : legs_count(ev);

	for (uint64_t i = 0; i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);

		if (leg.src_span >= LARGE && leg.src && leg.dst)
			check_leg(c, ev, &leg);
	}
}

static bool pageable_create(struct checks *c)
{
	c->topic[TOPIC_PAGEABLE] = checks_alloc(c, SITES * sizeof(struct site));
	return c->topic[TOPIC_PAGEABLE] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, copying_form},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, copying_form},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, copying_form},
};

const struct acl_topic topic_pageable = {
	.name = "pageable copies",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = pageable_create,
};
