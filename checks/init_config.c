/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration file given to aclInit: one for the whole process, and the default device it may name. */
#include "checks/report.h"
#include "checks/state.h"

#define NO_CONFIG 1 /* stands for the hash of a configuration that says nothing */
#define INVALID_PARAM 100000

struct init_config_state {
	_Atomic uint64_t first; /* hash of the configuration that counts, 0 = not known */
	struct moment first_init;
};

static struct init_config_state *state(struct checks *c)
{
	return c->topic[TOPIC_INIT_CONFIG];
}

/* false: what the call configures is not known. */
static bool configuration(struct checks *c, const struct acl_event *ev, struct checks_init_config *out)
{
	const char *path = ACL_ARGS(ev, aclInit)->configPath;

	memset(out, 0, sizeof(*out));
	out->trivial = true;
	return !path || !path[0] || (c->host.init_config && c->host.init_config(c->host.context, path, out));
}

static bool other_module(struct checks *c, const struct acl_event *ev)
{
	uint32_t module = ev->module       ? ev->module
			  : c->host.module ? c->host.module(c->host.context, ev->caller)
					   : 0;

	return module != ld(&c->init_module);
}

static void say_ignored(struct checks *c, struct acl_event *ev)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_biography *b;

	/* A library that brings a configuration of its own cannot know who was first. */
	grade.advice = other_module(c, ev);
	/* That the repeated call does not read its file is said already. */
	grade.secondary = ev->carry[CARRY_FINDING] != 0;
	grade.cause = ev->carry[CARRY_FINDING];
	f = finding_begin_as(c, ev, RULE("init-config-mismatch"), grade, &room);
	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "the configuration differs from the first one of this process%s%s",
		ld(&state(c)->first) == NO_CONFIG ? ", which was none" : "",
		error_of(ev) == ACL_ERROR_REPEAT_INIT ? ", and is not read" : ", and is refused");
	finding_error(f, "result", error_of(ev));
	b = &f->objects[f->n_objects++];
	b->role = "first aclInit";
	b->kind = "initialisation";
	b->device = -1;
	moment_copy(&b->created, &state(c)->first_init);
	finding_show(c, f);
}

/* Only what the runtime's answer confirms: to give none the second time is usual and harms nothing. */
static void again(struct checks *c, struct acl_event *ev, const struct checks_init_config *now)
{
	int32_t error = error_of(ev);

	if (error != ACL_ERROR_REPEAT_INIT && error != INVALID_PARAM)
		return;
	rule_asked(ev, RULE("init-config-mismatch"));
	if (!now->trivial && now->hash != ld(&state(c)->first))
		say_ignored(c, ev);
}

static void initialised(struct checks *c, struct acl_event *ev)
{
	struct checks_init_config now;
	bool known = configuration(c, ev, &now);

	if (known && ld(&state(c)->first)) {
		again(c, ev, &now);
	} else if (known && succeeded(ev) && ld(&c->init_count) <= 0) {
		moment_take(c, &state(c)->first_init, ev, true);
		st(&state(c)->first, now.trivial ? NO_CONFIG : now.hash);
	}
	if (known)
		limits_configured(c, ev, &now);
	if (succeeded(ev) && known)
		st(&c->default_device, now.default_device);
}

/* --- default-device-explicit-context ------------------------------------------------- */

static void creating(struct checks *c, struct acl_event *ev)
{
	int device = ACL_ARGS(ev, aclrtCreateContext)->deviceId;
	struct acl_device *d = device_at(c, device);
	struct finding_buffer room;
	struct acl_finding *f;

	if (!ld(&c->default_device) || !d)
		return;
	rule_asked(ev, RULE("default-device-explicit-context"));
	if (ld(&d->ever_set))
		return;
	f = finding_begin(c, ev, RULE("default-device-explicit-context"), &room);
	if (!f)
		return;
	finding_detail(
		f, "aclrtSetDevice(%d) was not called; the configuration names a default device", device);
	finding_int(f, "device", device);
	finding_show(c, f);
}

static bool init_config_create(struct checks *c)
{
	c->topic[TOPIC_INIT_CONFIG] = checks_alloc(c, sizeof(struct init_config_state));
	return c->topic[TOPIC_INIT_CONFIG] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclInit, ACL_LEAVE, initialised},
	{ACL_API_aclrtCreateContext, ACL_ENTER, creating},
};

const struct acl_topic topic_init_config = {
	.name = "configuration of aclInit",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = init_config_create,
};
