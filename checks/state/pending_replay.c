/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executions of captured models among the accesses in flight.  What a model's tasks
 * do is known once (pending_model.c): an execution enters nothing into the blocks, the
 * model is noted as one that may run, and whoever works on its memory looks there.
 */
#include "checks/state/binding_state.h"
#include "checks/state/declared_pool.h"
#include "checks/state/model_execution.h"
#include "checks/state/model_regions.h"
#include "checks/state/order_state.h"
#include "checks/state/pending_change.h"
#include "checks/state/pending_inside.h"
#include "checks/state/signal_state.h"

#define REPLAYED 128 /* models that may run at once; of more, nothing is said */

struct replay_state {
	_Atomic uint32_t n; /* places that were ever used */
	_Atomic bool displaced; /* a model is not at its own place, which is that of its number */
	_Atomic uint64_t all_but; /* acl_ref: every stream but this one was told that models may run, and none
				     has found otherwise; 0 = not so */
	_Atomic uint64_t model[REPLAYED]; /* acl_ref, 0 = free; each at its own place if that was free */
};

/* An execution of a model that may run. */
struct replay {
	struct acl_object *model;
	struct model_execution at;
	bool waits_inside; /* as of struct entering */
};

struct replay_walk {
	unsigned place, execution;
	uint64_t models; /* only those of these bits (model_bit()); 0 = all */
};

static struct replay_state *replays(struct checks *c)
{
	return module_state(c, pending_replay);
}

/* Of a part its model is executed. */
static bool model_may_run(struct checks *c, struct acl_object *model)
{
	struct model_execution e;

	model = model_root(c, model);
	for (unsigned at = 0; model_execution_next(c, model, &at, &e);)
		if (stream_pending(e.stream, e.position))
			return true;
	return false;
}

/* From there on, the first place where a model that is wanted may be. */
static unsigned place_from(struct replay_state *s, const struct replay_walk *w, unsigned place)
{
	uint64_t models = w->models >> place % 64;

	if (!w->models || load_acquire(&s->displaced))
		return place;
	return models ? place + (unsigned)__builtin_ctzll(models)
		      : (place | 63) + 1 + (unsigned)__builtin_ctzll(w->models);
}

/* The next one, of whatever stream, done or not. */
static bool any_replay_next(struct checks *c, struct replay_walk *w, struct replay *r)
{
	struct replay_state *s = replays(c);
	uint32_t n = load_acquire(&s->n);

	for (unsigned at; (at = place_from(s, w, w->place)) < n; w->place = at + 1, w->execution = 0) {
		acl_ref ref = load_acquire(&s->model[at]);

		w->place = at;
		if (w->models && !(w->models & model_bit(ref)))
			continue;
		r->model = ref ? object_of(c, ref) : NULL;
		if (!r->model || !object_usable(r->model))
			continue;
		if (model_execution_next(c, model_root(c, r->model), &w->execution, &r->at))
			return true;
	}
	return false;
}

/* What waits for things outside may come after anything: only tasks that were captured before the first wait
 * do not.  When the tasks of a condition run is not known from when they were captured, nor what comes behind
 * a task that was changed. */
static bool comes_from_outside(struct checks *c, struct acl_object *model, bool waits_inside)
{
	const struct model_state *root = model_state(model_root(c, model));

	return !model_is_followed(c, model) ||
	       (waits_inside && (load_relaxed(&root->parts) || load_relaxed(&root->waits_anywhere)));
}

static bool task_is_compared(bool waits_inside, const struct pending_access *task)
{
	return !waits_inside || !(task->position & ACCESS_AFTER_WAIT);
}

/* The next one whose place among others is known. */
static bool replay_next(struct checks *c, struct replay_walk *w, struct replay *r)
{
	while (any_replay_next(c, w, r)) {
		r->waits_inside = model_waits_for_outside(c, r->model);
		if (!r->at.unseen && !(r->waits_inside && comes_from_outside(c, r->model, true)))
			return true;
	}
	return false;
}

/* Those that are done, as far as the host knows, need not be looked at again. */
static void replays_sweep(struct checks *c)
{
	struct replay_state *s = replays(c);

	for (uint32_t i = 0; i < load_acquire(&s->n); i++) {
		acl_ref ref = load_acquire(&s->model[i]);
		struct acl_object *model = ref ? object_of(c, ref) : NULL;

		if (ref && !(model && object_usable(model) && model_may_run(c, model)))
			atomic_compare_exchange_strong(&s->model[i], &ref, 0);
	}
}

/* false: another one is there. */
static bool replay_put(struct replay_state *s, unsigned place, acl_ref model)
{
	uint32_t n = load_acquire(&s->n);
	acl_ref there = 0;

	if (!atomic_compare_exchange_strong(&s->model[place], &there, model))
		return there == model;
	while (n <= place && !atomic_compare_exchange_weak(&s->n, &n, place + 1))
		;
	return true;
}

/* false: no room. */
static bool replay_note(struct checks *c, acl_ref model)
{
	struct replay_state *s = replays(c);
	unsigned own = (unsigned)(model >> 32) % REPLAYED, i = 0;

	while (load_acquire(&s->displaced) && i < REPLAYED)
		if (load_acquire(&s->model[i++]) == model)
			return true;
	if (replay_put(s, own, model))
		return true;
	/* Before it is there: who walks by places would pass it. */
	atomic_store(&s->displaced, true);
	for (i = 0; i < REPLAYED; i++)
		if (replay_put(s, i, model))
			return true;
	return false;
}

static void tell(struct acl_object *stream)
{
	if (stream && !(load_relaxed(&stream_state(stream)->ask) & ASK_REPLAYS))
		atomic_fetch_or(&stream_state(stream)->ask, ASK_REPLAYS);
}

/* A walk over what an execution runs: the model itself, and the models of its conditions. */
struct model_parts {
	bool begun;
	uint32_t at;
};

/* Only those of which accesses are known; NULL: no more. */
static struct acl_object *next_part(struct checks *c, struct acl_object *model, struct model_parts *p)
{
	struct acl_object *o;

	if (!p->begun) {
		p->begun = true;
		if (load_relaxed(&model_state(model)->accesses))
			return model;
	}
	while (load_relaxed(&model_state(model)->parts) &&
		(o = object_next(c, ACL_HANDLE_MODEL, &p->at)) != NULL)
		if (object_usable(o) && load_relaxed(&model_state(o)->sub) &&
			load_relaxed(&model_state(o)->accesses) && model_root(c, o) == model)
			return o;
	return NULL;
}

static bool has_parts(struct checks *c, struct acl_object *model)
{
	return next_part(c, model, &(struct model_parts){0}) != NULL;
}

/* false: nothing is known of it, or there is no room. */
static bool parts_note(struct checks *c, struct acl_object *model)
{
	struct model_parts p = {0};
	struct acl_object *part;
	bool any = false;

	while ((part = next_part(c, model, &p)) != NULL) {
		if (!replay_note(c, object_ref(part))) {
			replays_sweep(c);
			if (!replay_note(c, object_ref(part)))
				return any;
		}
		any = true;
	}
	return any;
}

void replay_begins(struct checks *c, struct acl_object *model, struct acl_object *stream, bool ordered)
{
	struct acl_object *o;
	uint64_t before;

	if (!parts_note(c, model) || !ordered)
		return;
	before = atomic_exchange(&replays(c)->all_but, object_ref(stream));
	if (before == object_ref(stream))
		return;
	if (before) {
		tell(object_of(c, before));
		return;
	}
	object_each(c, ACL_HANDLE_STREAM, o) if (o != stream) tell(o);
}

void replay_stream_created(struct checks *c, struct acl_object *stream)
{
	if (load_acquire(&replays(c)->n))
		tell(stream);
}

/* --- a task meets executions --------------------------------------------------------------------- */

static struct acl_call_site captured_site(const struct pending_access *task)
{
	return (struct acl_call_site){.caller = task->caller, .tid = task->tid, .api = task->api};
}

bool model_memory_gone(
	struct checks *c, struct acl_object *model, const void **address, struct acl_call_site *task)
{
	const struct access_tree *t =
		load_relaxed(&model_state(model)->cleaned) ? NULL : model_accesses_lock(model);
	struct pending_access *a;
	unsigned at = 0;

	if (!t)
		return false;
	while ((a = access_each(t, &at)) != NULL && block_of(c, a->stream))
		;
	if (a) {
		*address = (const void *)(uintptr_t)a->start;
		*task = captured_site(a);
	}
	model_accesses_unlock(model);
	return a != NULL;
}

/* A body of a body runs where both do. */
static unsigned flags_of(struct checks *c, struct acl_object *model, const struct pending_access *task)
{
	unsigned depth = 0;

	while (!load_relaxed(&model_state(model)->decides)) {
		if (!load_relaxed(&model_state(model)->sub) || depth++ == 16)
			return task->flags;
		model = object_of(c, load_relaxed(&model_state(model)->parent));
		if (!model)
			break;
	}
	return task->flags | ACCESS_MAYBE;
}

/* The task of a model as what it is in an execution. */
static struct pending_access access_in(
	struct checks *c, const struct replay *r, const struct pending_access *task)
{
	struct pending_access a = *task;

	a.flags = (uint8_t)flags_of(c, r->model, task);
	a.stream = object_ref(r->at.stream);
	a.position = r->at.position;
	a.caller = r->at.caller;
	a.tid = r->at.tid;
	a.api = r->at.api;
	return a;
}

static bool is_unordered(const struct entering *e, struct acl_object *source, uint64_t position)
{
	return stream_pending(source, position) && !order_is_before(source, position, e->stream) &&
	       !maybe_told(e->c, source, position);
}

static void meet_execution(struct entering *e, const struct replay *r, uint64_t block)
{
	const struct access_tree *t = model_accesses_lock(r->model);
	struct pending_access *task, earlier;
	struct access_walk w;
	uint64_t start, end;
	bool ordered = false;

	if (!t)
		return;
	access_walk_begin(&w, t, e->access.start, e->access.end);
	while ((task = access_walk_next(&w)) != NULL) {
		if (task->stream != block || !accesses_exclude(task, &e->access) ||
			!task_is_compared(r->waits_inside, task))
			continue;
		e->met |= access_reads_arguments(task, task->api) ? MET_ARGUMENTS : met_as(e, task);
		if (ordered || !accesses_overlap(task, &e->access, &start, &end))
			continue;
		/* Of the execution, and so of all its tasks; mostly none of them touches the range. */
		ordered = !is_unordered(e, r->at.stream, r->at.position);
		if (ordered)
			continue;
		earlier = access_in(e->c, r, task);
		e->captured_earlier = captured_site(task);
		conflict_keep(e, &earlier, start, end);
		break;
	}
	model_accesses_unlock(r->model);
	e->captured_earlier = (struct acl_call_site){0};
}

void replays_meet(struct entering *e, const struct block_lookup *place)
{
	uint64_t block = block_ref(place->block, place->generation, place->kind == MEM_REGISTERED);
	struct replay_walk w = {.models = models_at(e->c, e->access.start, e->access.end)};
	struct replay r;

	while (w.models && replay_next(e->c, &w, &r))
		if (r.at.stream != e->stream)
			meet_execution(e, &r, block);
}

#define TASKS_PER_LOOK 64 /* of a stream: there may be many models */

static bool others_run(struct checks *c, struct acl_object *stream, bool done_too)
{
	struct replay_walk w = {0};
	struct replay r;

	while (replay_next(c, &w, &r))
		if (r.at.stream != stream && (done_too || stream_pending(r.at.stream, r.at.position)))
			return true;
	return false;
}

void replays_look(const struct entering *e)
{
	if (e->access.position % TASKS_PER_LOOK || others_run(e->c, e->stream, false))
		return;
	/* Before the next look at what is there: an execution that begins now is seen by one of both. */
	atomic_store(&replays(e->c)->all_but, 0);
	atomic_fetch_and(&stream_state(e->stream)->ask, (uint8_t)~ASK_REPLAYS);
	replays_sweep(e->c);
	if (others_run(e->c, e->stream, true))
		atomic_fetch_or(&stream_state(e->stream)->ask, ASK_REPLAYS);
}

/* --- an execution meets tasks, and other executions ------------------------------------------------- */

/* The task of the model that is compared. */
static void entering_task(
	struct entering *e, struct checks *c, struct acl_object *model, const struct pending_access *task)
{
	e->access.start = task->start;
	e->access.end = task->end;
	e->access.pitch = task->pitch;
	e->access.width = task->width;
	e->access.flags = (uint8_t)flags_of(c, model, task);
	e->access.reduction = task->reduction;
	e->block = block_of(c, task->stream);
	e->captured = captured_site(task);
}

static void compare(struct entering *e, const struct pending_access *a, struct acl_object *source)
{
	uint64_t start, end;

	if (!accesses_exclude(a, &e->access))
		return;
	e->met |= met_as(e, a);
	if (source && is_unordered(e, source, a->position) && accesses_overlap(a, &e->access, &start, &end))
		conflict_keep(e, a, start, end);
}

void compare_with_block(struct entering *e, const struct block_lookup *place)
{
	struct block_accesses *b = accesses_lock(e->c, place);
	struct pending_access *a;
	struct access_walk w;

	if (!b)
		return;
	access_walk_begin(&w, &tree_of(b)->tree, e->access.start, e->access.end);
	while ((a = access_walk_next(&w)) != NULL)
		if (a->stream != e->access.stream)
			compare(e, a, object_of(e->c, a->stream));
	unlock(&b->lock);
}

/* Whether other streams have work in flight, and whether all of it comes before what the stream gets now. */
static bool other_work(struct checks *c, struct acl_object *stream, bool *before)
{
	struct acl_object *o;
	bool any = false;

	*before = true;
	object_each(c, ACL_HANDLE_STREAM, o)
	{
		uint64_t work = load_relaxed(&stream_state(o)->work);

		if (o == stream || !work || !object_usable(o))
			continue;
		any = true;
		if (!stream_pending(o, work))
			continue;
		*before = order_is_before(o, work, stream);
		if (!*before)
			break;
	}
	return any;
}

static void compare_with_tasks(struct entering *e, struct acl_object *model)
{
	const struct access_tree *t;
	struct pending_access *task;
	struct block_lookup place;
	unsigned at = 0;
	bool before;

	if (!other_work(e->c, e->stream, &before))
		return;
	if (before) {
		e->met |= MET_COPY | MET_SET;
		return;
	}
	t = model_accesses_lock(model);
	if (!t)
		return;
	while (!conflict_is_sure(e) && (task = access_each(t, &at)) != NULL) {
		entering_task(e, e->c, model, task);
		if (!e->block || !task_is_compared(e->waits_inside, task))
			continue;
		place = block_found(e->block, (uint32_t)task->stream);
		compare_with_block(e, &place);
		if (mapped_again(e->c, &place))
			mappings_meet(e, &place, false);
	}
	model_accesses_unlock(model);
}

static void compare_tasks_of(struct entering *e, struct acl_object *model, const struct access_tree *own,
	const struct access_tree *other, const struct replay *r)
{
	struct pending_access *task, *theirs, earlier;
	struct access_walk v;
	unsigned at = 0;

	while (!conflict_is_sure(e) && (task = access_each(own, &at)) != NULL) {
		entering_task(e, e->c, model, task);
		if (!e->block || !task_is_compared(e->waits_inside, task))
			continue;
		access_walk_begin(&v, other, task->start, task->end);
		while ((theirs = access_walk_next(&v)) != NULL) {
			if (theirs->stream != task->stream || !task_is_compared(r->waits_inside, theirs))
				continue;
			earlier = access_in(e->c, r, theirs);
			e->captured_earlier = captured_site(theirs);
			compare(e, &earlier, r->at.stream);
		}
	}
	e->captured_earlier = (struct acl_call_site){0};
}

/* Both sets of accesses are locked in the order of their slots, whoever compares. */
static void compare_with_execution(struct entering *e, struct acl_object *model, const struct replay *r)
{
	bool first = object_number(model) < object_number(r->model);
	struct acl_object *low = first ? model : r->model, *high = first ? r->model : model;
	const struct access_tree *a = model_accesses_lock(low), *b;

	if (!a)
		return;
	b = model_accesses_lock(high);
	if (b) {
		compare_tasks_of(e, model, first ? a : b, first ? b : a, r);
		model_accesses_unlock(high);
	}
	model_accesses_unlock(low);
}

/* Of one model executed twice at once another rule speaks. */
static void compare_with_executions(struct entering *e, struct acl_object *model)
{
	uint64_t beside = models_beside(e->c, object_ref(model));
	struct replay_walk w = {0};
	struct replay r;

	while (!conflict_is_sure(e) && replay_next(e->c, &w, &r)) {
		if (model_root(e->c, r.model) == model_root(e->c, model) || r.at.stream == e->stream)
			continue;
		e->met |= MET_COPY | MET_SET;
		if (beside & model_bit(object_ref(r.model)) && is_unordered(e, r.at.stream, r.at.position))
			compare_with_execution(e, model, &r);
	}
}

static void replay_enter(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *model = model_argument(c, call), *s = stream_of(call);
	struct model_parts p = {0};
	struct acl_object *part;
	struct entering e;

	if (!model || !s || !call->state.position || call->state.capture || !has_parts(c, model) ||
		!entering_begin(c, call, &e))
		return;
	e.waits_inside = model_waits_for_outside(c, model);
	if (e.waits_inside && e.hidden)
		call_note_set(call, &execution_behind_unseen_note, 1);
	if (e.hidden || comes_from_outside(c, model, e.waits_inside))
		return;
	while (!conflict_is_sure(&e) && (part = next_part(c, model, &p)) != NULL) {
		compare_with_executions(&e, part);
		if (!conflict_is_sure(&e))
			compare_with_tasks(&e, part);
	}
	entering_end(&e, call);
}

/* --- questions --------------------------------------------------------------------------------------- */

/* What a declared block holds is kept with its allocation. */
static bool question_is_in(struct checks *c, const struct access_question *q, const struct acl_block *block)
{
	struct acl_block *wanted = (struct acl_block *)q->block;
	struct block_lookup home;

	return !wanted || wanted == block ||
	       (load_relaxed(&wanted->marks) & BLOCK_DECLARED && declared_home(c, wanted, &home) &&
		       home.block == block);
}

/* The tasks of an execution, as find_in() looks at those of a block. */
static bool find_in_execution(struct checks *c, const struct replay *r, const struct access_question *q,
	struct access_conflict *out, unsigned *compared)
{
	const struct access_tree *t = model_accesses_lock(r->model);
	struct pending_access range = {.start = q->start,
				      .end = q->end,
				      .pitch = q->pitch,
				      .width = q->width},
			      *task;
	bool open = question_is_about(c, q, object_ref(r->at.stream)) &&
		    stream_pending(r->at.stream, r->at.position) &&
		    !maybe_told(c, r->at.stream, r->at.position),
	     found = false;
	struct access_walk w;

	if (!t)
		return false;
	access_walk_begin(&w, t, q->start, q->end);
	while (!found && (task = access_walk_next(&w)) != NULL) {
		struct acl_block *block = block_of(c, task->stream);

		if (!block || !question_is_in(c, q, block) ||
			(!q->writes && !(task->flags & ACCESS_WRITES)) ||
			(q->flags && !(task->flags & q->flags)))
			continue;
		*compared |= access_reads_arguments(task, task->api) ? COMPARED_ARGUMENTS : task->flags;
		if (!open || !accesses_overlap(task, &range, &out->start, &out->end))
			continue;
		out->earlier = access_in(c, r, task);
		out->captured_earlier = captured_site(task);
		out->block = q->block ? (struct acl_block *)q->block : block;
		found = true;
	}
	model_accesses_unlock(r->model);
	return found;
}

bool replay_in_flight(
	struct checks *c, const struct access_question *q, struct access_conflict *out, unsigned *compared)
{
	struct replay_walk w = {0};
	struct replay r;
	bool any = false;

	out->flags = q->writes ? ACCESS_WRITES : ACCESS_READS;
	while (any_replay_next(c, &w, &r)) {
		any |= !stream_pending(r.at.stream, r.at.position);
		if (find_in_execution(c, &r, q, out, compared) &&
			task_surely_pending(c, r.at.stream, r.at.position))
			return true;
	}
	if (any)
		replays_sweep(c);
	return false;
}

static const struct check_hook hooks[] = {
	{ON_OP(EXECUTE_MODEL), ACL_ENTER, replay_enter},
};

const struct check_module module_pending_replay = {
	.order = 25, /* the stream has its position */
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.state_size = sizeof(struct replay_state),
};
