/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of contexts, devices, groups and streams: asked before they are set, set too late, read too early.
 */
#include "checks/kernel.h"
#include "checks/pairs.h"
#include "checks/report.h"

#define OPTION_NOT_SET 107021
#define GROUP_NOT_CREATED 107014
#define INVALID_PARAM 100000
#define OUTPUTS 8 /* overflow reads remembered */
#define INTERVALS 254 /* an operator's time limit has no more of them */

struct output {
	_Atomic uint64_t address, size, stream, position; /* address 0 = none */
};

struct modes_state {
	struct pairs options; /* key of a context's acl_ref and an option -> 1 */
	struct pairs groups; /* 1 + group id the runtime told -> 1 */
	struct pairs overflow; /* acl_ref of a stream -> 1 + switch */
	_Atomic uint64_t n_groups; /* 1 + what aclrtGetGroupCount told, 0 = not asked */
	_Atomic uint64_t interval; /* microseconds, 0 = not asked */
	_Atomic uint8_t saturation[ACL_DEVICES]; /* 1 + mode set or told */
	struct output outputs[OUTPUTS];
	_Atomic uint32_t n_outputs;
};

static struct modes_state *modes(struct checks *c)
{
	return c->topic[TOPIC_MODES];
}

/* --- options of contexts ---------------------------------------------------------------------- */

static uint64_t option_key(struct checks *c, const struct acl_event *ev, unsigned option)
{
	bool known;
	struct acl_object *context = context_current(c, thread_of(ev), &known);

	return context ? key_of_two(object_ref(context), option) : 0;
}

static void option_set(struct checks *c, struct acl_event *ev)
{
	uint64_t key = option_key(c, ev, ACL_ARGS(ev, aclrtCtxSetSysParamOpt)->opt);

	if (key && succeeded(ev))
		pairs_set(&modes(c)->options, key, 1);
}

static void option_asked(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtCtxGetSysParamOpt *a = ev->args;
	uint64_t key = option_key(c, ev, a->opt);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!key || ev->carry[CARRY_FINDING] || ld(&modes(c)->options.full))
		return;
	rule_asked(ev, RULE("ctx-sys-param-not-set"));
	if (error_of(ev) != OPTION_NOT_SET || pairs_value(&modes(c)->options, key))
		return;
	f = finding_first(c, ev, RULE("ctx-sys-param-not-set"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "aclrtCtxSetSysParamOpt was not called for this option in the current context.");
	finding_enum(f, "opt", "aclSysParamOpt", a->opt);
	finding_show(c, f);
}

/* --- groups ------------------------------------------------------------------------------------- */

static void groups_counted(struct checks *c, struct acl_event *ev)
{
	const uint32_t *count = ACL_ARGS(ev, aclrtGetGroupCount)->count;

	if (count && succeeded(ev))
		st(&modes(c)->n_groups, 1 + (uint64_t)*count);
}

static void say_group(
	struct checks *c, struct acl_event *ev, const char *name, int64_t value, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, RULE("group-order"), &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%s", detail);
	finding_int(f, name, value);
	if (ld(&modes(c)->n_groups))
		finding_uint(f, "groups", ld(&modes(c)->n_groups) - 1);
	finding_show(c, f);
}

/* Without any group there is nothing the program could have asked for. */
static void group_described(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetGroupInfoDetail *a = ev->args;
	uint64_t n = ld(&modes(c)->n_groups);
	int32_t id;

	if (succeeded(ev) && a->attr == ACL_GROUP_GROUPID_INT && a->attrValue && a->valueLen >= sizeof(id)) {
		memcpy(&id, a->attrValue, sizeof(id));
		pairs_set(&modes(c)->groups, 1 + (uint64_t)(uint32_t)id, 1);
	}
	if (n < 2 || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("group-order"));
	if (error_of(ev) == INVALID_PARAM && (a->groupIndex < 0 || (uint64_t)a->groupIndex >= n - 1))
		say_group(c, ev, "groupIndex", a->groupIndex, "There is no group of this index.");
}

static void group_set(struct checks *c, struct acl_event *ev)
{
	int32_t id = ACL_ARGS(ev, aclrtSetGroup)->groupId;

	if (ld(&modes(c)->n_groups) == 1 || ld(&modes(c)->groups.full))
		return;
	rule_asked(ev, RULE("group-order"));
	if (error_of(ev) == GROUP_NOT_CREATED && !pairs_value(&modes(c)->groups, 1 + (uint64_t)(uint32_t)id))
		say_group(c, ev, "groupId", id, "aclrtGetGroupInfoDetail has told of no group with this id.");
}

/* --- time limits of operators ---------------------------------------------------------------------- */

static void interval_told(struct checks *c, struct acl_event *ev)
{
	const uint64_t *interval = ACL_ARGS(ev, aclrtGetOpTimeOutInterval)->interval;

	if (interval && succeeded(ev))
		st(&modes(c)->interval, *interval);
}

/* 0 asks for no limit. */
static void limiting_time(struct checks *c, struct acl_event *ev)
{
	uint64_t timeout = ACL_ARGS(ev, aclrtSetOpExecuteTimeOutV2)->timeout,
		 interval = ld(&modes(c)->interval);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!interval || !timeout)
		return;
	rule_asked(ev, RULE("op-timeout-units"));
	if (timeout >= interval && timeout / INTERVALS <= interval)
		return;
	f = finding_first(c, ev, RULE("op-timeout-units"), &room);
	if (!f)
		return;
	finding_detail(f, "%llu microseconds: the runtime takes %llu to %llu, in steps of the former.",
		(unsigned long long)timeout, (unsigned long long)interval,
		(unsigned long long)interval * INTERVALS);
	finding_uint(f, "timeout", timeout);
	finding_uint(f, "interval", interval);
	finding_show(c, f);
}

/* --- saturation --------------------------------------------------------------------------------------- */

static void saturation_told(struct checks *c, struct acl_event *ev)
{
	const aclrtFloatOverflowMode *mode = ACL_ARGS(ev, aclrtGetDeviceSatMode)->mode;
	int device = device_current(c, thread_of(ev));

	if (mode && succeeded(ev) && device_at(c, device))
		st(&modes(c)->saturation[device], (uint8_t)(1 + *mode));
}

static unsigned streams_on(struct checks *c, int device, struct acl_object **sample)
{
	struct acl_object *o;
	unsigned n = 0;

	object_each(c, ACL_HANDLE_STREAM, o)
	{
		if (!object_usable(o) || ld(&o->device) != device ||
			ld(&o->flags) & (ACL_OBJECT_DEFAULT | ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED))
			continue;
		*sample = o;
		n++;
	}
	return n;
}

static void saturation_set(struct checks *c, struct acl_event *ev)
{
	uint8_t now = (uint8_t)(1 + ACL_ARGS(ev, aclrtSetDeviceSatMode)->mode), before;
	int device = device_current(c, thread_of(ev));
	struct acl_object *sample = NULL;
	struct finding_buffer room;
	struct acl_finding *f;
	unsigned n;

	if (!succeeded(ev) || !device_at(c, device))
		return;
	before = atomic_exchange(&modes(c)->saturation[device], now);
	n = streams_on(c, device, &sample);
	rule_asked(ev, RULE("satmode-existing-streams"));
	if (!n || before == now)
		return;
	f = finding_first(c, ev, RULE("satmode-existing-streams"), &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%u stream%s of device %d exist%s already and keep%s the former mode.", n,
		n == 1 ? "" : "s", device, n == 1 ? "s" : "", n == 1 ? "s" : "");
	finding_uint(f, "streams", n);
	finding_object(c, f, "for example", sample);
	finding_show(c, f);
}

/* --- overflow ------------------------------------------------------------------------------------------- */

static bool made(struct acl_object *s)
{
	return s && object_usable(s) && !(ld(&s->flags) & ACL_OBJECT_LEARNED);
}

static void switching(struct checks *c, struct acl_event *ev)
{
	uint64_t flag = ACL_ARGS(ev, aclrtSetStreamOverflowSwitch)->flag;
	struct acl_object *s = stream_of(ev);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!made(s) || ev->carry[CARRY_CAPTURE] || ev->carry[CARRY_FINDING])
		return;
	rule_asked(ev, RULE("stream-overflow-switch-existing-tasks"));
	if (pairs_value(&modes(c)->overflow, object_ref(s)) == 1 + flag ||
		!task_surely_pending(c, s, ld_acquire(&stream_state(s)->work)))
		return;
	f = finding_first(c, ev, RULE("stream-overflow-switch-existing-tasks"), &room);
	if (!f)
		return;
	finding_detail(f, "Tasks are on the stream that the host has not waited for: they keep the former "
			  "setting.");
	finding_uint(f, "flag", flag);
	finding_object(c, f, "stream", s);
	finding_show(c, f);
}

static void switched(struct checks *c, struct acl_event *ev)
{
	struct acl_object *s = stream_of(ev);

	if (s && succeeded(ev))
		pairs_set(&modes(c)->overflow, object_ref(s),
			1 + (uint64_t)ACL_ARGS(ev, aclrtSetStreamOverflowSwitch)->flag);
}

static void switch_told(struct checks *c, struct acl_event *ev)
{
	const uint32_t *flag = ACL_ARGS(ev, aclrtGetStreamOverflowSwitch)->flag;

	if (stream_of(ev) && flag && succeeded(ev))
		pairs_set(&modes(c)->overflow, object_ref(stream_of(ev)), 1 + (uint64_t)*flag);
}

/* The status is under way to its buffer. */
static void status_asked(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtGetOverflowStatus *a = ev->args;
	struct acl_object *s = stream_of(ev);
	struct output *o;

	if (!s || !succeeded(ev) || !a->outputAddr || ev->carry[CARRY_CAPTURE] || !ev->carry[CARRY_POSITION])
		return;
	checks_unusual(c);
	o = &modes(c)->outputs[bump(&modes(c)->n_outputs) % OUTPUTS];
	st_release(&o->address, 0);
	st(&o->size, a->outputSize);
	st(&o->stream, object_ref(s));
	st(&o->position, ev->carry[CARRY_POSITION]);
	st_release(&o->address, (uintptr_t)a->outputAddr);
}

static void reading(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtMemcpy *a = ev->args;
	struct modes_state *m = modes(c);
	struct finding_buffer room;
	struct acl_finding *f;

	if (__builtin_expect(!ld(&m->n_outputs), 1) || ev->carry[CARRY_FINDING] || !a->count)
		return;
	for (unsigned i = 0; i < OUTPUTS; i++) {
		uint64_t address = ld_acquire(&m->outputs[i].address), position = ld(&m->outputs[i].position);
		struct acl_object *s = address ? object_of(c, ld(&m->outputs[i].stream)) : NULL;

		if (!s || (uintptr_t)a->src >= address + ld(&m->outputs[i].size) ||
			(uintptr_t)a->src + a->count <= address)
			continue;
		rule_asked(ev, RULE("overflow-status-not-synchronised"));
		if (!task_surely_pending(c, s, position))
			continue;
		f = finding_first(c, ev, RULE("overflow-status-not-synchronised"), &room);
		if (!f)
			return;
		finding_detail(f,
			"aclrtGetOverflowStatus writes src on a stream that the host has not waited "
			"for since.");
		finding_address(f, "src", a->src);
		finding_object(c, f, "stream", s);
		finding_show(c, f);
		return;
	}
}

/* -----------------------------------------------------------------------------------------------------------
 */

static bool modes_create(struct checks *c)
{
	c->topic[TOPIC_MODES] = checks_alloc(c, sizeof(struct modes_state));
	return c->topic[TOPIC_MODES] != NULL;
}

static void modes_forked(struct checks *c)
{
	st(&modes(c)->options.lock.held, 0);
	st(&modes(c)->groups.lock.held, 0);
	st(&modes(c)->overflow.lock.held, 0);
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtCtxSetSysParamOpt, ACL_LEAVE, option_set},
	{ACL_API_aclrtCtxGetSysParamOpt, ACL_LEAVE, option_asked},
	{ACL_API_aclrtGetGroupCount, ACL_LEAVE, groups_counted},
	{ACL_API_aclrtGetGroupInfoDetail, ACL_LEAVE, group_described},
	{ACL_API_aclrtSetGroup, ACL_LEAVE, group_set},
	{ACL_API_aclrtGetOpTimeOutInterval, ACL_LEAVE, interval_told},
	{ACL_API_aclrtSetOpExecuteTimeOutV2, ACL_ENTER, limiting_time},
	{ACL_API_aclrtGetDeviceSatMode, ACL_LEAVE, saturation_told},
	{ACL_API_aclrtSetDeviceSatMode, ACL_LEAVE, saturation_set},
	{ACL_API_aclrtSetStreamOverflowSwitch, ACL_ENTER, switching},
	{ACL_API_aclrtSetStreamOverflowSwitch, ACL_LEAVE, switched},
	{ACL_API_aclrtGetStreamOverflowSwitch, ACL_LEAVE, switch_told},
	{ACL_API_aclrtGetOverflowStatus, ACL_LEAVE, status_asked},
	{ACL_API_aclrtMemcpy, ACL_ENTER | ACL_UNUSUAL, reading},
};

const struct acl_topic topic_modes = {
	.name = "modes",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = modes_create,
	.forked = modes_forked,
};
