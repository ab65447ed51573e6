/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks of a captured model do to memory: a tree by address, built while
 * it is captured, and then the same for all its executions.
 */
#include "checks/state/capture_change.h"
#include "checks/state/capture_state.h"
#include "checks/state/capture_streams.h"
#include "checks/state/declared_pool.h"
#include "checks/state/memory_state.h"
#include "checks/state/model_execution.h"
#include "checks/state/model_regions.h"
#include "checks/state/pending_change.h"
#include "checks/state/pending_inside.h"
#include "checks/state/task_range.h"

#define MODEL_ACCESSES 16384 /* of more, the first are known */
#define FIRST_NODES 16
#define COMPARED 256 /* former accesses to its bytes that a new one is compared with */
#define LOOK_BACK 16 /* former accesses to the same bytes that a new one may repeat */

struct model_accesses {
	acl_ref model; /* whose they are: the slot may hold another one by now */
	struct access_tree tree;
};

static size_t tree_bytes(unsigned room)
{
	return room * sizeof(struct pending_access);
}

static void accesses_forget(struct checks *c, struct model_accesses *a)
{
	if (!a)
		return;
	model_regions_count(c, -1);
	checks_forget(c, a->tree.at, tree_bytes(a->tree.room));
	checks_forget(c, a, sizeof(*a));
}

/* Under the model's lock; NULL: none. */
static struct model_accesses *accesses_of(struct acl_object *model)
{
	struct model_accesses *a = load_relaxed(&model_state(model)->accesses);

	return a && a->model == object_ref(model) ? a : NULL;
}

const struct access_tree *model_accesses_lock(struct acl_object *model)
{
	struct model_accesses *a;

	if (!load_relaxed(&model_state(model)->accesses))
		return NULL;
	lock(&model_state(model)->lock);
	a = accesses_of(model);
	if (a && a->tree.root)
		return &a->tree;
	unlock(&model_state(model)->lock);
	return NULL;
}

void model_accesses_unlock(struct acl_object *model)
{
	unlock(&model_state(model)->lock);
}

/* --- while it is captured -------------------------------------------------------------------------- */

/* Under the model's lock: of the present model, with room for one more node. */
static struct model_accesses *accesses_room(struct checks *c, struct acl_object *model)
{
	struct model_accesses *a = accesses_of(model);
	struct pending_access *more;
	unsigned room;

	if (!a) {
		/* The slot's last model went without our seeing it. */
		accesses_forget(c, load_relaxed(&model_state(model)->accesses));
		a = checks_alloc(c, sizeof(*a));
		store_relaxed(&model_state(model)->accesses, a);
		if (!a)
			return NULL;
		model_regions_count(c, 1);
		a->model = object_ref(model);
	}
	if (a->tree.n < a->tree.room)
		return a;
	room = a->tree.room ? a->tree.room * 2u : FIRST_NODES;
	more = room <= MODEL_ACCESSES ? checks_alloc(c, tree_bytes(room)) : NULL;
	if (!more)
		return NULL;
	if (a->tree.room)
		memcpy(more, a->tree.at, tree_bytes(a->tree.room));
	checks_forget(c, a->tree.at, tree_bytes(a->tree.room));
	a->tree.at = more;
	a->tree.room = (uint16_t)room;
	return a;
}

/* Where a task was captured, beside its access; of a task whose place is not known, what it comes behind is
 * not either. */
static uint64_t place_number(struct capture_place p, bool after_wait)
{
	return (uint64_t)p.stream << 32 | p.task | (after_wait || !p.stream ? ACCESS_AFTER_WAIT : 0);
}

static struct capture_place place_numbered(uint64_t number)
{
	number &= ~ACCESS_AFTER_WAIT;
	return (struct capture_place){(uint32_t)(number >> 32), (uint32_t)number};
}

/* Of one stream, and both behind a wait or neither. */
static bool places_alike(const struct pending_access *a, const struct pending_access *b)
{
	return a->position >> 32 == b->position >> 32;
}

/* Under the model's lock: a task of the same stream that does the same there.  The later one stands for both,
 * as what comes behind it comes behind the former as well. */
static struct pending_access *access_again(const struct access_tree *t, const struct pending_access *now)
{
	struct pending_access *a;
	struct access_walk w;
	unsigned n = 0;

	access_walk_begin(&w, t, now->start, now->end);
	while (n++ < LOOK_BACK && (a = access_walk_next(&w)) != NULL)
		if (a->stream == now->stream && a->start == now->start && a->end == now->end &&
			a->pitch == now->pitch && a->width == now->width && a->flags == now->flags &&
			a->reduction == now->reduction && places_alike(a, now))
			return a;
	return NULL;
}

/* Under the model's lock. */
static void access_keep(struct checks *c, struct acl_object *model, const struct pending_access *access)
{
	struct model_accesses *a = accesses_of(model);
	struct pending_access *node = a ? access_again(&a->tree, access) : NULL;

	if (node) {
		access_tree_replace(&a->tree, node, access);
		return;
	}
	a = accesses_room(c, model);
	node = a ? access_tree_take(&a->tree) : NULL;
	if (!node)
		return;
	*node = *access;
	model_regions_add(c, object_ref(model), access->start, access->end);
	/* Too deep for its nodes: what a random tree practically never is. */
	if (!access_tree_enter(&a->tree, node))
		a->tree.root = a->tree.free = a->tree.n = a->tree.writes = 0;
}

static void captured_access_add(struct checks *c, struct acl_object *model,
	const struct acl_call_record *call, const struct block_lookup *place, struct pending_access *access)
{
	struct model_state *m = model_state(model);
	struct acl_object *s = stream_of(call);
	struct block_lookup home;
	bool after_wait;

	if (load_relaxed(&place->block->marks) & BLOCK_DECLARED) {
		if (!declared_home(c, place->block, &home))
			return;
		place = &home;
	}
	access->stream = block_ref(place->block, place->generation, place->kind == MEM_REGISTERED);
	access->caller = call->caller;
	access->tid = call->tid;
	access->api = call->api;
	after_wait = model_waits_for_outside(c, model);
	lock(&m->lock);
	access->position =
		place_number(s ? capture_place_of(model, s) : (struct capture_place){0}, after_wait);
	access_keep(c, model, access);
	unlock(&m->lock);
}

/* What the task does, and where; false: it is not known. Of several mappings side by side the first one. */
static bool captured_side(struct checks *c, const struct acl_call_record *call, const struct op_access *side,
	unsigned flags, struct block_lookup *place, struct pending_access *access)
{
	struct block_lookup next;
	uint64_t start, room;
	bool rows;

	if (!side || !side->span || !flags || !access_memory(c, call, side, place, &start))
		return false;
	room = place->base + place->size - start;
	next = *place;
	if (side->span > room && !access_goes_on(c, side, &next))
		return false;
	rows = side->rows > 1 && side->pitch > side->width;
	*access = (struct pending_access){.start = start,
		.end = start + (side->span < room ? side->span : room),
		.pitch = rows ? side->pitch : 0,
		.width = rows ? side->width : 0,
		.flags = (uint8_t)flags,
		.reduction = flags & ACCESS_REDUCES ? reduction_of(call) : 0};
	return true;
}

/* The part of it in the next mapping. */
static bool captured_side_goes_on(struct checks *c, const struct op_access *side, struct block_lookup *place,
	struct pending_access *access)
{
	if (!access_goes_on(c, side, place))
		return false;
	access->start = place->base;
	access->end = access_end_in(side, place);
	return true;
}

static void captured_side_add(struct checks *c, struct acl_object *model, const struct acl_call_record *call,
	const struct op_access *side, unsigned flags)
{
	struct pending_access access;
	struct block_lookup place;

	if (!captured_side(c, call, side, flags, &place, &access))
		return;
	captured_access_add(c, model, call, &place, &access);
	for (unsigned i = 0; i < ACCESS_MAPPINGS && captured_side_goes_on(c, side, &place, &access); i++)
		captured_access_add(c, model, call, &place, &access);
}

/* The block has all of the range from start on. */
static void known_range_add(struct checks *c, struct acl_object *model, const struct acl_call_record *call,
	const void *start, uint64_t bytes, unsigned flags)
{
	struct pending_access access = {
		.start = (uintptr_t)start, .end = (uintptr_t)start + bytes, .flags = (uint8_t)flags};
	struct block_lookup place;

	if (map_find(memory_blocks(c), access.start, &place) && access.end <= place.base + place.size)
		captured_access_add(c, model, call, &place, &access);
}

static void captured_ranges_add(
	struct checks *c, struct acl_object *model, const struct acl_call_record *call)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);

	for (unsigned i = 0; i < n; i++)
		known_range_add(c, model, call, r[i].at, r[i].bytes, r[i].flags);
}

/* What a kernel reads its arguments from. */
static void arguments_add(struct checks *c, struct acl_object *model, const struct acl_call_record *call)
{
	known_range_add(c, model, call, acl_arg_pointer(call->api, call->args, ACL_ROLE_DEVICE_ARGUMENTS),
		acl_arg_value(call->api, call->args, ACL_ROLE_ARGUMENT_BYTES),
		ACCESS_READS | ACCESS_DESCRIBES);
}

/* What decides where the model goes on. */
static void decision_add(struct checks *c, struct acl_object *model, const struct acl_call_record *call,
	const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry entry = operation_entry(op, i);

		captured_side_add(c, model, call, entry.src, ACCESS_READS);
		captured_side_add(c, model, call, entry.dst, ACCESS_READS);
	}
}

/* The value of a condition.  One that ends a loop is there for others to write it meanwhile. */
static void condition_add(struct checks *c, struct acl_object *model, const struct acl_call_record *call)
{
	const struct acl_args_aclmdlRIAddCondTask *a = call->args;
	struct pending_access access = {.flags = ACCESS_READS};
	struct block_lookup place;

	if (a->params.type == ACL_MODEL_RI_COND_TYPE_WHILE ||
		!condition_memory(c, (uintptr_t)a->params.handle, &place))
		return;
	access.start = place.base;
	access.end = place.base + place.size;
	captured_access_add(c, model, call, &place, &access);
}

static bool touches_memory(const struct operation *op)
{
	switch (op->group) {
	case ACL_OP_GROUP_COPY:
	case ACL_OP_GROUP_SET:
	case ACL_OP_GROUP_REDUCE:
	case ACL_OP_GROUP_CACHE:
	case ACL_OP_GROUP_MANAGED:
		return true;
	}
	return false;
}

void model_accesses_add(struct checks *c, struct acl_object *model, struct acl_call_record *call)
{
	const struct operation *op = operation_of(c, call);

	if (task_ranges_possible(call->api)) {
		captured_ranges_add(c, model, call);
		return;
	}
	switch (op->kind) {
	case ACL_OP_LABEL_SWITCH:
	case ACL_OP_STREAM_SWITCH:
		decision_add(c, model, call, op);
		return;
	case ACL_OP_LAUNCH_CONDITION:
		condition_add(c, model, call);
		return;
	}
	if (acl_arg_has(call->api, ACL_ROLE_DEVICE_ARGUMENTS))
		arguments_add(c, model, call);
	if (!touches_memory(op))
		return;
	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry entry = operation_entry(op, i);

		if (!entry_runs_later(c, op, &entry))
			continue;
		captured_side_add(c, model, call, entry.src, source_flags(op));
		captured_side_add(c, model, call, entry.dst, destination_flags(op));
	}
}

/* --- what is unordered within the model ------------------------------------------------------------ */

struct comparing {
	struct acl_object *model, *stream;
	struct access_conflict *out;
	unsigned *met;
};

/* Under the model's lock. */
static bool access_is_unordered(
	struct comparing *k, const struct pending_access *now, const struct pending_access *a)
{
	const struct capture_place place = place_numbered(a->position);
	const unsigned flags = now->flags | a->flags;

	if (a->stream != now->stream || !accesses_exclude(a, now) || flags & ACCESS_DESCRIBES ||
		capture_place_stream(k->model, place) == object_ref(k->stream))
		return false;
	*k->met |= flags & ACCESS_SETS ? MET_SET : MET_COPY;
	if (capture_place_is_before(k->model, place, k->stream) ||
		!accesses_overlap(a, now, &k->out->start, &k->out->end))
		return false;
	k->out->earlier = *a;
	k->out->earlier.stream = capture_place_stream(k->model, place);
	k->out->flags = now->flags;
	k->out->hidden = !capture_waits_are_common(k->model, place, k->stream);
	return true;
}

static bool access_meets(struct checks *c, struct comparing *k, const struct block_lookup *found_at,
	const struct pending_access *access)
{
	const struct block_lookup *place = found_at;
	const struct access_tree *tree;
	struct pending_access now = *access, *a;
	struct block_lookup home;
	struct access_walk w;
	bool found = false;
	unsigned n = 0;

	if (load_relaxed(&place->block->marks) & BLOCK_DECLARED) {
		if (!declared_home(c, place->block, &home))
			return false;
		place = &home;
	}
	now.stream = block_ref(place->block, place->generation, place->kind == MEM_REGISTERED);
	tree = model_accesses_lock(k->model);
	if (!tree)
		return false;
	access_walk_begin(&w, tree, now.start, now.end);
	while (!found && n++ < COMPARED && (a = access_walk_next(&w)) != NULL)
		found = access_is_unordered(k, &now, a);
	model_accesses_unlock(k->model);
	if (found)
		k->out->block = found_at->block;
	return found;
}

/* At the place, and through other mappings of its memory. */
static bool access_meets_any(struct checks *c, struct comparing *k, const struct block_lookup *place,
	const struct pending_access *access)
{
	struct pending_access there = *access;
	struct block_lookup beside;
	uint64_t shift;
	unsigned at = 0;

	if (access_meets(c, k, place, access))
		return true;
	while (mapped_again(c, place) && physical_mapped_beside(c, place->block, &at, &beside, &shift)) {
		there.start = access->start - shift;
		there.end = access->end - shift;
		if (!access_meets(c, k, &beside, &there))
			continue;
		k->out->start += shift;
		k->out->end += shift;
		k->out->block = place->block;
		return true;
	}
	return false;
}

static bool side_is_unordered(struct checks *c, const struct acl_call_record *call, struct comparing *k,
	const struct op_access *side, unsigned flags)
{
	struct pending_access now;
	struct block_lookup place;
	bool found;

	if (!captured_side(c, call, side, flags, &place, &now))
		return false;
	found = access_meets_any(c, k, &place, &now);
	for (unsigned i = 0; i < ACCESS_MAPPINGS && !found && captured_side_goes_on(c, side, &place, &now);
		i++)
		found = access_meets_any(c, k, &place, &now);
	return found;
}

static bool ranges_are_unordered(struct checks *c, const struct acl_call_record *call, struct comparing *k)
{
	struct task_range r[TASK_RANGES];
	unsigned n = task_ranges(c, call, r);
	bool found = false;

	for (unsigned i = 0; i < n && !found; i++) {
		struct pending_access now = {.start = (uintptr_t)r[i].at,
			.end = (uintptr_t)r[i].at + r[i].bytes,
			.flags = r[i].flags};
		struct block_lookup place;

		found = map_find(memory_blocks(c), now.start, &place) && access_meets_any(c, k, &place, &now);
	}
	return found;
}

bool captured_unordered(
	struct checks *c, struct acl_call_record *call, struct access_conflict *out, unsigned *met)
{
	struct acl_object *model = object_of(c, call->state.capture);
	struct comparing k = {model, stream_of(call), out, met};
	const struct operation *op;
	bool found = false;

	*met = 0;
	if (!model || !k.stream || !load_relaxed(&model_state(model)->accesses))
		return false;
	op = operation_of(c, call);
	if (task_ranges_possible(call->api) && ranges_are_unordered(c, call, &k))
		return true;
	for (uint64_t i = 0; touches_memory(op) && i < op->n_entries && !found; i++) {
		struct op_entry e = operation_entry(op, i);

		if (entry_runs_later(c, op, &e))
			found = side_is_unordered(c, call, &k, e.src, source_flags(op)) ||
				side_is_unordered(c, call, &k, e.dst, destination_flags(op));
	}
	return found;
}

void model_accesses_end(struct checks *c, struct acl_object *model)
{
	struct model_state *m = model_state(model);
	struct model_accesses *a;

	lock(&m->lock);
	a = load_relaxed(&m->accesses);
	store_relaxed(&m->accesses, NULL);
	unlock(&m->lock);
	accesses_forget(c, a);
}

/* Under the model's lock: without what tasks of these types do; the rest is as it was. */
static void accesses_of_others_keep(struct checks *c, struct model_accesses *a, unsigned tasks)
{
	struct access_tree kept = {.at = checks_alloc(c, tree_bytes(a->tree.room)), .room = a->tree.room};
	const struct pending_access *task;
	struct pending_access *node;
	unsigned at = 0;

	while (kept.at && (task = access_each(&a->tree, &at)) != NULL) {
		if (tasks_made_by(task->api) & tasks)
			continue;
		node = access_tree_take(&kept);
		*node = *task;
		if (!access_tree_enter(&kept, node))
			break;
	}
	checks_forget(c, a->tree.at, tree_bytes(a->tree.room));
	a->tree = kept.at ? kept : (struct access_tree){0};
}

/* Of kernels: their arguments, and accesses that the program has declared. */
void model_accesses_changed(struct checks *c, struct acl_object *model, unsigned tasks)
{
	const struct access_tree *tree = model_accesses_lock(model);
	const struct pending_access *a;
	unsigned at = 0;
	bool changed = false;

	if (!tree)
		return;
	while (!changed && (a = access_each(tree, &at)) != NULL)
		changed = tasks_made_by(a->api) & tasks;
	if (changed)
		accesses_of_others_keep(c, accesses_of(model), tasks);
	model_accesses_unlock(model);
}
