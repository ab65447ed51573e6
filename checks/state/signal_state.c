/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tasks that may show a stream's progress on ways the checker does not see:
 * shared notifies and events reach other processes, a written word is polled, a
 * callback is the program itself.  A word in memory of the device alone shows
 * nothing to a host that never reads there.
 */
#include "checks/state/signal_state.h"
#include "checks/engine/instance.h"
#include "checks/state/binding_state.h"
#include "checks/state/capture_state.h"
#include "checks/state/device_state.h"
#include "checks/state/event_state.h"
#include "checks/state/launch_words.h"
#include "checks/state/memory_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/notify_state.h"
#include "checks/state/operation.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

struct signals {
	_Atomic bool words_read; /* at any time, or they may be: by a task, another process … */
	_Atomic bool kernels_unseen; /* a kernel was launched of whose arguments nothing is known; where they
					lie on the device and no model is there: WHEN_ARGUMENTS */
};

static struct signals *signals(struct checks *c)
{
	return module_state(c, signal);
}

/* The model that the call has added a task to, NULL = none. */
static struct acl_object *model_of_task(struct checks *c, const struct acl_call_record *call)
{
	struct acl_object *m =
		call->state.capture ? object_of(c, call->state.capture) : binding_of(c, stream_of(call));

	return m ? model_root(c, m) : NULL;
}

/* Who reads words is seen. */
static bool words_are_followed(struct checks *c)
{
	return !load_relaxed(&signals(c)->words_read) && !checks_happened(c, WHEN_BOUND) &&
	       !runs_on_device(c) && !other_submitters_possible(c, CHECKS_OTHER_WORK);
}

/* What is part of a model informs whenever that is executed. */
static void signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model;

	if (!s || !succeeded(call))
		return;
	model = model_of_task(c, call);
	if (model)
		atomic_fetch_or(&model_state(model)->informs, INFORMS_ALWAYS);
	if (call->state.position)
		stream_signals_host(c, s, call->state.position);
}

/* By words only where something may read them unseen: a kernel of whose arguments nothing is known. */
static bool execution_informs(struct checks *c, unsigned informs)
{
	return informs & INFORMS_ALWAYS || checks_happened(c, WHEN_ARGUMENTS) ||
	       load_relaxed(&signals(c)->kernels_unseen) || !words_are_followed(c);
}

/* Of a call while its stream counts it. */
static const char launching_note;
enum { LAUNCH_COUNTED = 1, LAUNCH_FOLLOWED = 2 };

/* The callback may run, and inform another thread, before the call that launches it is back. */
static void launching_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct stream_rare *r = s && call->state.position ? stream_rare_make(c, s) : NULL;

	if (!r)
		return;
	counter_inc(&r->launching);
	call_note_set(call, &launching_note, LAUNCH_COUNTED);
}

static void launching_leave(struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call);
	struct stream_rare *r = s && call_note(call, &launching_note) ? object_rare(s) : NULL;

	if (r)
		counter_dec(&r->launching);
}

/* A callback whose begin is seen informs from then on, others once they are launched or executed. */
static void launch_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = stream_of(call) && succeeded(call) ? model_of_task(c, call) : NULL;

	if (model)
		store_relaxed(&model_state(model)->callbacks, true);
	if (call_note(call, &launching_note) != LAUNCH_FOLLOWED)
		signalled(c, call);
	launching_leave(call);
}

struct checks_callback_place checks_callback_follow(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *model;

	if (!s || !call->state.position || !call_note(call, &launching_note))
		return (struct checks_callback_place){0, 0};
	model = model_of_task(c, call);
	if (!model && checks_task_model(c, call) != CHECKS_RUNS_ONCE)
		return (struct checks_callback_place){0, 0};
	call_note_set(call, &launching_note, LAUNCH_FOLLOWED);
	return model ? (struct checks_callback_place){object_ref(model), CHECKS_IN_MODEL}
		     : (struct checks_callback_place){object_ref(s), call->state.position};
}

/* With which of the model's executions it runs is not known: the last one of each stream, and what comes
 * before that, may be done. */
static void model_signals_host(struct checks *c, struct acl_object *model)
{
	struct model_execution e;

	/* First, and under the lock of the list: an execution that is not in it sees that in its leave. */
	lock(&model_state(model)->lock);
	counter_inc(&model_state(model)->callbacks_begun);
	unlock(&model_state(model)->lock);
	for (unsigned at = 0; model_execution_next(c, model, &at, &e);)
		stream_signals_host(c, e.stream, e.position);
	if (load_relaxed(&model_state(model)->n_execution) == MODEL_EXECUTIONS)
		streams_signal_host(c); /* others may be forgotten */
}

/* Of a stream or a model that is gone, what it waited for is not known any more. */
void checks_callback_begins(struct checks *c, const struct checks_callback_place *place)
{
	struct acl_object *o = place->position ? object_of(c, place->stream) : NULL;

	if (o && place->position == CHECKS_IN_MODEL) {
		model_signals_host(c, o);
	} else if (o) {
		stream_callback_begins(c, o, place->position);
		stream_signals_host(c, o, place->position);
	} else if (place->stream) {
		streams_signal_host(c);
	}
}

/* Of an execution of a model with callbacks: 1 + how many of them had begun before. */
static const char begun_note;

/* In its leave: a callback of the model began meanwhile, when the execution was not listed yet. */
static bool callback_came(struct acl_object *model, const struct acl_call_record *call)
{
	return call_note(call, &begun_note) !=
	       1 + (uint64_t)load_acquire(&model_state(model)->callbacks_begun);
}

static void execution_signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call);
	bool callbacks = model && load_relaxed(&model_state(model)->callbacks);
	unsigned informs = model ? load_relaxed(&model_state(model)->informs) : 0;

	if (!model || !s || !call->state.position || !succeeded(call))
		return;
	if (callbacks)
		stream_has_callback(c, s, call->state.position);
	if ((informs && execution_informs(c, informs)) || (callbacks && callback_came(model, call)))
		stream_signals_host(c, s, call->state.position);
}

static void executing_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call);

	if (!model || !load_relaxed(&model_state(model)->callbacks))
		return;
	launching_enter(c, call);
	call_note_set(call, &begun_note, 1 + (uint64_t)load_acquire(&model_state(model)->callbacks_begun));
}

static void execution_leave(struct checks *c, struct acl_call_record *call)
{
	execution_signalled(c, call);
	launching_leave(call);
}

/* Only streams of this process wait for it, and their waits are followed. */
static void notify_signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *n = notify_of(c, call);

	if (!n || !notify_is_followed(n))
		signalled(c, call);
}

/* What waits for it in another process may inform this one. */
static void shared_event_signalled(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *e = event_of(call);

	if (e && event_reaches_others(event_state(e)))
		signalled(c, call);
}

/* --- words -------------------------------------------------------------------------------------------- */

/* A task that may run again, or later, may read the block. */
static bool tasks_may_read(struct checks *c, const struct block_lookup *at)
{
	uint64_t what = block_ref(at->block, at->generation, false);
	struct launch_given given;
	struct model_use use;

	if (launch_was_given(c, at->block, &given))
		return true;
	if (!load_relaxed(&at->block->captured))
		return false;
	for (uint32_t i = 0; model_using_next(c, what, &i, &use);)
		if (acl_apis[use.api].operation != ACL_OP_WRITE_VALUE &&
			acl_apis[use.api].operation != ACL_OP_WAIT_VALUE)
			return true;
	return false;
}

/* In memory that only the device reads, as far as was seen; who reads there is looked at from now on. */
static bool word_is_hidden(struct checks *c, const void *word)
{
	struct block_lookup at;

	if (!words_are_followed(c) || !map_find(memory_blocks(c), (uintptr_t)word, &at) ||
		at.kind != MEM_DEVICE)
		return false;
	if (load_relaxed(&at.block->marks) & BLOCK_WORDS)
		return true;
	if (tasks_may_read(c, &at))
		return false;
	block_marked(at.block, BLOCK_WORDS);
	checks_when(c, WHEN_WORDS);
	return true;
}

void model_writes_word(struct checks *c, struct acl_object *model, const void *word)
{
	atomic_fetch_or(
		&model_state(model)->informs, word_is_hidden(c, word) ? INFORMS_BY_WORDS : INFORMS_ALWAYS);
}

static void word_signalled(struct checks *c, struct acl_call_record *call)
{
	const void *word = acl_arg_pointer(call->api, call->args, ACL_ROLE_ADDRESS);
	struct acl_object *model = model_of_task(c, call);

	/* Where there are captures it has to be certain that the task runs with that model. */
	if ((!model && checks_happened(c, WHEN_CAPTURES)) || !word_is_hidden(c, word))
		signalled(c, call);
	else if (model && succeeded(call))
		atomic_fetch_or(&model_state(model)->informs, INFORMS_BY_WORDS);
}

/* What the words say of all tasks so far may be known from now on, and of later ones whenever they run. */
static void words_shown(struct checks *c)
{
	store_relaxed(&signals(c)->words_read, true);
	streams_signal_host(c);
}

static void words_shown_enter(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	if (!load_relaxed(&signals(c)->words_read))
		words_shown(c);
}

/* Words are known by the allocation they lie in. */
static bool has_words(struct checks *c, const struct op_access *a)
{
	struct block_lookup at = a->block;

	if (load_acquire(&c->declared))
		map_find(memory_blocks(c), (uintptr_t)a->address, &at);
	return at.block && load_relaxed(&at.block->marks) & BLOCK_WORDS;
}

/* What it reads is not known. */
static bool reads_anything(const struct operation *op)
{
	return op->truncated ||
	       (!op->n_entries && (op->kind == ACL_OP_COPY_DESCRIBED || op->kind == ACL_OP_COPY_INDIRECT));
}

static bool reads_words(struct checks *c, const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++) {
		const struct op_access *src = operation_entry(op, i).src;

		if (src && has_words(c, src))
			return true;
	}
	return reads_anything(op);
}

/* It reads until the call is back, and what it has read is the host's alone. */
static bool reads_for_the_call(const struct operation *op)
{
	return !op->async && op->n_entries == 1 && op->direction == ACL_MEMCPY_DEVICE_TO_HOST &&
	       !access_is_device(operation_entry(op, 0).dst);
}

static void copy_of_words_enter(struct checks *c, struct acl_call_record *call)
{
	const struct operation *op;

	if (load_relaxed(&signals(c)->words_read))
		return;
	op = operation_of(c, call);
	if (!reads_words(c, op))
		return;
	if (reads_for_the_call(op))
		streams_signal_host(c);
	else
		words_shown(c);
}

/* Tasks that came meanwhile, too. */
static void copy_of_words_leave(struct checks *c, struct acl_call_record *call)
{
	if (!load_relaxed(&signals(c)->words_read) && reads_words(c, operation_of(c, call)))
		streams_signal_host(c);
}

/* It may read words whenever the model is executed, and no use of the model says so. */
static void captured_copy_enter(struct checks *c, struct acl_call_record *call)
{
	if (!load_relaxed(&signals(c)->words_read) && reads_anything(operation_of(c, call)))
		words_shown(c);
}

void words_given(struct checks *c, const uint64_t *words, unsigned n)
{
	struct block_lookup at;

	for (unsigned i = 0; i < n && !load_relaxed(&signals(c)->words_read); i++)
		if (map_find(memory_blocks(c), words[i], &at) && load_relaxed(&at.block->marks) & BLOCK_WORDS)
			words_shown(c);
}

static void array_of_arguments_enter(struct checks *c, struct acl_call_record *call)
{
	(void)call;
	store_relaxed(&signals(c)->kernels_unseen, true);
}

void kernel_joins_model(struct checks *c, const struct acl_call_record *call)
{
	if (acl_arg_has(call->api, ACL_ROLE_DEVICE_ARGUMENTS))
		store_relaxed(&signals(c)->kernels_unseen, true);
}

bool task_surely_pending(struct checks *c, struct acl_object *stream, uint64_t position)
{
	return position && stream && object_usable(stream) && stream_pending(stream, position) &&
	       stream_signalled(c, stream) < position && !stream_rarely(stream, may_fail);
}

bool host_may_be_informed(struct checks *c, struct acl_object *stream, uint64_t position)
{
	/* Callbacks that have not begun inform of nothing. */
	return stream_signalled(c, stream) >= position &&
	       (checks_happened(c, WHEN_CALLBACKS) || stream_rarely(stream, callback) < position);
}

static const struct check_hook hooks[] = {
	{ON_OP(RECORD_COUNT_NOTIFY), ACL_LEAVE, notify_signalled},
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, executing_enter},
	{ON_OP(EXECUTE_MODEL), ACL_LEAVE, execution_leave},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_ENTER, launching_enter},
	{ON_OP(LAUNCH_HOST_FUNCTION), ACL_LEAVE, launch_leave},
	{ON_OP(RECORD_NOTIFY), ACL_LEAVE, notify_signalled},
	{ON_OP(RECORD_EVENT), ACL_LEAVE | ACL_WHEN(EVENTS_SHARED), shared_event_signalled},
	{ON_OP(WRITE_VALUE), ACL_LEAVE, word_signalled},
	{ON_GROUP(COPY), ACL_ENTER | ACL_WHEN(WORDS), copy_of_words_enter},
	{ON_GROUP(COPY), ACL_LEAVE | ACL_IF_NOT_ASYNC | ACL_WHEN(WORDS), copy_of_words_leave},
	{ON_GROUP(REDUCE), ACL_ENTER | ACL_WHEN(WORDS), copy_of_words_enter},
	{ON_OP(COPY_DESCRIBED), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_copy_enter},
	{ON_OP(COPY_INDIRECT), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_copy_enter},
	{ON_OP(COPY_BATCH), ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, captured_copy_enter},
	{ON_OP_WITH(LAUNCH_KERNEL, ARGUMENT_ARRAY), ACL_ENTER, array_of_arguments_enter},
	{ON_OP(EXPORT_MEMORY), ACL_ENTER, words_shown_enter},
	{ON_OP(MAP_PEER), ACL_ENTER, words_shown_enter},
};

const struct check_module module_signal = {
	.order = 9,
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct signals),
};
