/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are copied to the host, and for which nobody waits. */
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/state.h"

static void note(struct acl_event *ev, const struct acl_place *src, const struct acl_place *dst)
{
	struct acl_object *s = stream_of(ev);

	/* A copy into pageable memory waits by itself. */
	if (!dst->block || !kind_is_host(dst->kind) || !src->block || kind_is_host(src->kind) || !s ||
		!ev->carry[CARRY_POSITION] || ev->carry[CARRY_CAPTURE])
		return;
	rule_asked(ev, RULE("async-copy-never-synchronized"));
	st(&stream_state(s)->to_host, ev->carry[CARRY_POSITION]);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpyAsync *a = ev->args;

	if (a->count && a->kind != ACL_MEMCPY_HOST_TO_DEVICE && a->kind != ACL_MEMCPY_DEVICE_TO_DEVICE)
		note(ev, place_of(c, ev, a->src, 1), place_of(c, ev, a->dst, 0));
}

static void copying_form(struct checks *c, struct acl_event *ev)
{
	for (uint64_t i = 0, n = legs_count(ev); i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);
		struct acl_place src = {0}, dst = {0};

		if (leg.dst && leg.src && map_find(c->memory, (uintptr_t)leg.src, &src) &&
			map_find(c->memory, (uintptr_t)leg.dst, &dst))
			note(ev, &src, &dst);
	}
}

/* Nothing was queued. */
static void failed(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);
	uint64_t position = ev->carry[CARRY_POSITION];

	(void)c;
	if (s && position)
		atomic_compare_exchange_strong(&stream_state(s)->to_host, &position, 0);
}

static bool waits(struct checks *c, struct acl_object *s)
{
	uint64_t position = ld(&stream_state(s)->to_host);

	if (!position || !object_usable(s) || ld(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED) ||
		!stream_pending(s, position) || ld(&stream_state(s)->suspect))
		return false;
	/* A callback behind the copy may have told the program. */
	return !ld(&c->callbacks_ran) || ld(&stream_state(s)->callback) < position;
}

static void result_finish(struct checks *c, enum checks_end kind)
{
	struct finding_grade grade = {.severity = -1, .relaxed_to = -1, .site = 1};
	struct acl_object *s, *left[ACL_FINDING_OBJECTS];
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned n = 0;

	if (kind != CHECKS_END_EXIT)
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!waits(c, s))
			continue;
		if (n < ACL_FINDING_OBJECTS)
			left[n] = s;
		n++;
	}
	if (!n)
		return;
	rule_asked_at_end(c, RULE("async-copy-never-synchronized"));
	grade.caller = ld(&left[0]->last_used.caller);
	f = finding_begin_as(c, NULL, RULE("async-copy-never-synchronized"), grade, &room);
	if (!f)
		return;
	finding_detail(f,
		"%u stream%s copied data to the host, and nothing the program did shows that the copies were "
		"done: whether they failed was never known.",
		n, n == 1 ? "" : "s");
	finding_uint(f, "streams", n);
	for (unsigned i = 0; i < n && i < ACL_FINDING_OBJECTS; i++)
		finding_object(c, f, "stream", left[i]);
	finding_show(c, f);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_FAILED, failed},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_FAILED, failed},
	{ACL_API_aclrtMemcpy2dAsync, ACL_ENTER, copying_form},
	{ACL_API_aclrtMemcpy2dAsync, ACL_FAILED, failed},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_ENTER, copying_form},
	{ACL_API_aclrtMemcpyBatchAsync, ACL_FAILED, failed},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_ENTER, copying_form},
	{ACL_API_aclrtMemcpyBatchAsyncV2, ACL_FAILED, failed},
};

const struct acl_topic topic_result = {
	.name = "results for the host",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.finish = result_finish,
};
