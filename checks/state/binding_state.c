/* SPDX-License-Identifier: Apache-2.0 */
/* Streams bound to models that are built task by task, and how far the building is. */
#include "checks/state/binding_state.h"

#include "checks/engine/program_memory.h"
#include "checks/engine/value_table.h"
#include "checks/state/capture_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

#define UNBOUND 0

struct bindings {
	struct value_table model; /* acl_ref of a stream -> acl_ref of its model */
	struct value_table built; /* acl_ref of a model -> MODEL_HAS_STREAM, … */
	struct value_table
		answered; /* stream handle that aclmdlRIGetStreams answered -> acl_ref of its model */
	_Atomic bool any;
};

enum { MODEL_HAS_STREAM = 1, MODEL_IS_BUILT = 2, MODEL_HAS_END_TASK = 4 };

static struct bindings *bindings(struct checks *c)
{
	return module_state(c, binding);
}

struct acl_object *binding_of(struct checks *c, struct acl_object *stream)
{
	struct acl_object *model;
	uint64_t ref;

	if (!stream || !load_relaxed(&bindings(c)->any) ||
		!value_table_get(&bindings(c)->model, object_ref(stream), &ref) || ref == UNBOUND)
		return NULL;
	model = object_of(c, ref);
	return model && object_usable(model) ? model : NULL;
}

/* stream: NULL = it is none of the live ones. */
static struct acl_object *model_with(struct checks *c, struct acl_object *stream, uint64_t handle)
{
	struct acl_object *model = binding_of(c, stream);

	if (!model && !value_table_empty(&bindings(c)->answered))
		model = object_of(c, value_table_value(&bindings(c)->answered, handle));
	return model && object_usable(model) ? model : NULL;
}

struct acl_object *stream_model(struct checks *c, const void *stream)
{
	return stream ? model_with(c, object_live(c, ACL_HANDLE_STREAM, stream), (uintptr_t)stream) : NULL;
}

struct acl_object *live_stream_model(struct checks *c, struct acl_object *stream)
{
	return model_with(c, stream, load_relaxed(&stream->value));
}

struct acl_object *stream_owner(struct checks *c, const void *stream)
{
	struct acl_object *m =
		value_table_empty(&bindings(c)->answered)
			? NULL
			: object_of(c, value_table_value(&bindings(c)->answered, (uintptr_t)stream));

	return m && model_was_captured(m) ? m : NULL;
}

bool binding_was(struct checks *c, struct acl_object *stream)
{
	uint64_t ref;

	return load_relaxed(&bindings(c)->any) &&
	       value_table_get(&bindings(c)->model, object_ref(stream), &ref);
}

static bool is_captured(struct acl_object *model)
{
	return model && load_relaxed(&model_state(model)->status) != MODEL_BUILT;
}

static struct acl_object *live(struct checks *c, unsigned kind, const void *value)
{
	return value ? object_live(c, kind, value) : NULL;
}

static void mark(struct checks *c, struct acl_object *model, uint64_t bit)
{
	uint64_t now = 0;

	value_table_get(&bindings(c)->built, object_ref(model), &now);
	value_table_set_object(c, &bindings(c)->built, model, now | bit);
}

static bool marked(struct checks *c, struct acl_object *model, uint64_t bit)
{
	uint64_t now = 0;

	return value_table_get(&bindings(c)->built, object_ref(model), &now) && now & bit;
}

bool model_has_stream(struct checks *c, struct acl_object *m)
{
	return marked(c, m, MODEL_HAS_STREAM);
}

bool model_build_ended(struct checks *c, struct acl_object *m)
{
	return marked(c, m, MODEL_IS_BUILT);
}

bool model_has_end_task(struct checks *c, struct acl_object *m)
{
	return marked(c, m, MODEL_HAS_END_TASK);
}

static void binding_bound_leave(struct checks *c, struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIBindStream *a = call->args;
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, a->stream),
			  *m = live(c, ACL_HANDLE_MODEL, a->modelRI);

	if (!succeeded(call) || !m)
		return;
	mark(c, m, MODEL_HAS_STREAM);
	if (!s || !value_table_set_object(c, &bindings(c)->model, s, object_ref(m)))
		return;
	store_relaxed(&stream_state(s)->bound, true);
	stream_special_renew(s);
	checks_when(c, WHEN_BOUND);
	store_relaxed(&bindings(c)->any, true);
}

static void binding_unbound_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = live(c, ACL_HANDLE_STREAM, ACL_ARGS(call, aclmdlRIUnbindStream)->stream);

	if (succeeded(call) && s)
		value_table_set_object(c, &bindings(c)->model, s, UNBOUND);
}

static void binding_build_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(call, aclmdlRIBuildEnd)->modelRI);

	if (succeeded(call) && m)
		mark(c, m, MODEL_IS_BUILT);
}

static void binding_end_task_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *m = live(c, ACL_HANDLE_MODEL, ACL_ARGS(call, aclmdlRIEndTask)->modelRI);

	if (succeeded(call) && m)
		mark(c, m, MODEL_HAS_END_TASK);
}

/* Of a call: 1 + the streams that the array has room for. */
static const char room_note;

static void model_streams_room(struct checks *c, struct acl_call_record *call)
{
	uint32_t room;

	if (program_read(c, acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER), &room, sizeof(room)))
		call_note_set(call, &room_note, 1 + (uint64_t)room);
}

/* The runtime says that it is a stream of the model, 0 = none that is known. */
static void stream_answered(struct checks *c, aclrtStream stream, acl_ref model)
{
	struct value_table *answered = &bindings(c)->answered;

	if (model || value_table_value(answered, (uintptr_t)stream))
		value_table_set_of(c, answered, model, (uintptr_t)stream, model);
	object_answered(c, ACL_HANDLE_STREAM, stream);
}

/* The streams that a captured model has are its own; the program learns of them here only. */
static void model_streams_answered(struct checks *c, struct acl_call_record *call)
{
	uint64_t room = call_note(call, &room_note);
	struct acl_object *m =
		live(c, ACL_HANDLE_MODEL, acl_arg_pointer(call->api, call->args, ACL_ROLE_MODEL));
	struct program_array streams;
	aclrtStream const *at;
	uint32_t n;

	if (!room || !succeeded(call) ||
		!program_output(
			c, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_NUMBER), &n, sizeof(n)))
		return;
	program_array_open(&streams, c, acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAMS), sizeof(*at),
		n < room - 1 ? n : room - 1);
	for (uint64_t i = 0; (at = program_array_at(&streams, i)) != NULL; i++)
		if (*at)
			stream_answered(c, *at, m ? object_ref(m) : 0);
}

/* Whatever had its handle before: it is no model's, and alive. */
static void default_stream_answered(struct checks *c, struct acl_call_record *call)
{
	const aclrtStream *out = acl_arg_pointer(call->api, call->args, ACL_ROLE_STREAM);

	if (succeeded(call) && out && *out)
		stream_answered(c, *out, 0);
}

bool model_is_built(struct checks *c, struct acl_object *m)
{
	return object_usable(m) && !is_captured(m) && marked(c, m, MODEL_IS_BUILT);
}

bool model_is_followed(struct checks *c, struct acl_object *m)
{
	return load_relaxed(&model_state(m)->status) == MODEL_READY ||
	       (model_is_built(c, m) &&
		       !(load_relaxed(&m->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED)));
}

bool model_unfinished(struct checks *c, struct acl_object *m)
{
	return object_usable(m) && !is_captured(m) && !marked(c, m, MODEL_IS_BUILT) &&
	       !(load_relaxed(&m->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED));
}

static const struct check_hook hooks[] = {
	{ON_OP(MODEL_BIND_STREAM), ACL_LEAVE, binding_bound_leave},
	{ON_OP(MODEL_UNBIND_STREAM), ACL_LEAVE, binding_unbound_leave},
	{ON_OP(MODEL_END_TASK), ACL_LEAVE, binding_end_task_leave},
	{ON_OP(MODEL_BUILD_END), ACL_LEAVE, binding_build_leave},
	{ON_OP(INFO_MODEL_STREAMS), ACL_ENTER, model_streams_room},
	{ON_OP(INFO_MODEL_STREAMS), ACL_LEAVE, model_streams_answered},
	{ON_OP(INFO_DEFAULT_STREAM), ACL_LEAVE, default_stream_answered},
};

/* After the models, whose end it must not see before them. */
const struct check_module module_binding = {
	.order = 20,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct bindings),
};
