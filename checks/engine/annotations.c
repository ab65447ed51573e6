/* SPDX-License-Identifier: Apache-2.0 */
/* The way of an annotation through the modules. */
#include "checks/engine/annotations.h"

#include "aclcheck/model.h"
#include "checks/engine/finding_collect.h"

#define ANNOTATIONS (ACL_NAMED_COUNT - ACL_API_COUNT)
#define HOOKS 16 /* of one annotation and phase */

struct annotations_state {
	check_hook_fn hooks[ANNOTATIONS][2][HOOKS]; /* in the order of the modules, ended by NULL */
	int16_t stream[ANNOTATIONS]; /* offset of the argument, -1 = none */
};

static const char refusal_note;

void annotation_refuse(struct acl_call_record *call, const char *why)
{
	call_note_set(call, &refusal_note, (uintptr_t)why);
	call->result.i = 1;
}

/* --- what the modules listen to ------------------------------------------------------------ */

static bool hook_add(struct annotations_state *s, const struct check_hook *hook)
{
	check_hook_fn *list;
	unsigned n = 0;

	if (hook->on < ACL_API_COUNT || hook->on >= ACL_NAMED_COUNT)
		return true;
	list = s->hooks[hook->on - ACL_API_COUNT][hook->phase & 3];
	while (list[n])
		n++;
	list[n] = hook->fn;
	return n + 1 < HOOKS;
}

static int16_t stream_argument_of(const struct acl_api_info *info)
{
	for (unsigned i = 0; i < info->n_params; i++)
		if (acl_params(info)[i].handle == ACL_HANDLE_STREAM)
			return (int16_t)acl_params(info)[i].offset;
	return -1;
}

static bool annotations_create(struct checks *c)
{
	struct annotations_state *s = module_state(c, annotations);

	for (unsigned i = 0; i < ANNOTATIONS; i++)
		s->stream[i] = stream_argument_of(&acl_apis[ACL_API_COUNT + i]);
	for (unsigned i = 0; i < MODULE_COUNT; i++)
		for (unsigned k = 0; k < check_modules[i]->n_hooks; k++)
			if (!hook_add(s, &check_modules[i]->hooks[k]))
				return false;
	return true;
}

/* --- the way of one ------------------------------------------------------------------------- */

static void stream_look(struct checks *c, struct acl_call_record *call, int16_t offset)
{
	const void *value;

	if (offset < 0)
		return;
	memcpy(&value, (const char *)call->args + offset, sizeof(value));
	call->state.stream = object_live(c, ACL_HANDLE_STREAM, value);
	if (!value)
		c->rare.default_stream(c, call);
}

const char *checks_annotate(struct checks *c, struct acl_call_record *call)
{
	const struct annotations_state *s = module_state(c, annotations);
	const check_hook_fn(*hooks)[HOOKS] = s->hooks[call->api - ACL_API_COUNT];
	unsigned n = 0;

	if (!checks_thread(c, call))
		return NULL;
	thread_of(call)->repeated.phase = 0; /* an annotation is no phase of its own */
	stream_look(c, call, s->stream[call->api - ACL_API_COUNT]);
	for (unsigned i = 0; hooks[ACL_ENTER][i]; i++)
		hooks[ACL_ENTER][i](c, call);
	call->state.phase = ACL_LEAVE;
	while (hooks[ACL_LEAVE][n])
		n++;
	while (n-- > 0)
		hooks[ACL_LEAVE][n](c, call);
	if (thread_of(call)->n_findings)
		findings_settle(c, call);
	return (const char *)(uintptr_t)call_note(call, &refusal_note);
}

const struct check_module module_annotations = {
	.state_size = sizeof(struct annotations_state),
	.create = annotations_create,
};
