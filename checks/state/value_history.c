/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What streams did to a value that others wait for.  From the last change that the wait comes behind on,
 * every order in which the newer ones may be made is gone through: where the value passes, the wait may end.
 */
#include "checks/state/value_history.h"

#include "checks/state/order_state.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

bool value_passes(const struct value_test *t, uint64_t value)
{
	switch (t->is) {
	case VALUE_AT_LEAST_AROUND:
		return (int64_t)(value - t->value) >= 0;
	case VALUE_EQUAL:
		return value == t->value;
	case VALUE_ANY_BIT:
		return value & t->value;
	case VALUE_ANY_BIT_CLEAR:
		return ~(value | t->value);
	case VALUE_LESS:
		return value < t->value;
	case VALUE_MORE:
		return value > t->value;
	case VALUE_AT_LEAST:
		return value >= t->value;
	case VALUE_ALL_BITS:
		return (value & t->value) == t->value;
	case VALUE_WHATEVER:
		break;
	}
	return true;
}

void value_begin(struct value_history *h)
{
	memset(h->latest, 0, sizeof(h->latest));
	h->lost = false;
}

void value_forget(struct value_history *h)
{
	value_begin(h);
	h->lost = true;
}

/* A change that is done, whose stream is gone or that the stream's next task comes behind. */
static bool change_is_before(struct checks *c, const struct value_change *v, struct acl_object *stream)
{
	struct acl_object *source = object_of(c, v->stream);

	return !source || order_is_before(source, v->position, stream);
}

/* --- orders in which changes may be made ------------------------------------------------------------- */

/* Of the n newest changes, from what the one before them has left. */
struct value_orders {
	const struct value_history *h;
	const struct value_test *test; /* NULL: what is there when all are made */
	unsigned n;
	unsigned made; /* a bit for each: surely made before one looks */
	uint32_t ends; /* a bit for each set of them behind which the value passes */
	unsigned results; /* without a test: 2: several */
	uint64_t result;
};
_Static_assert(1u << (VALUE_CHANGES - 1) <= 32, "a bit for each set");

#define ALL(n) ((1u << (n)) - 1)

static bool wait_ends(const struct value_change *v, uint64_t value)
{
	return value_passes(&(struct value_test){v->is, v->value}, value);
}

/* false: not now. */
static bool change_apply(const struct value_history *h, const struct value_change *v, uint64_t *value)
{
	switch (v->act) {
	case VALUE_ADD:
		*value += v->value;
		break;
	case VALUE_OR:
		*value |= v->value;
		break;
	case VALUE_AND:
		*value &= v->value;
		break;
	case VALUE_AWAIT:
		return wait_ends(v, *value);
	case VALUE_CLEAR:
		if (!wait_ends(v, *value))
			return false;
		*value = 0;
		break;
	default:
		*value = v->value;
	}
	if (h->narrow)
		*value = (uint32_t)*value;
	return true;
}

static void order_result(struct value_orders *o, uint64_t value)
{
	if (o->results && value == o->result)
		return;
	o->result = value;
	o->results++;
}

/* Each step makes one of those that are left: as deep as there are changes. */
static void orders_from(struct value_orders *o, unsigned made, uint64_t value)
{
	if (o->test && (made & o->made) == o->made && value_passes(o->test, value)) {
		o->ends |= 1u << made;
		return;
	}
	if (!o->test && made == ALL(o->n))
		order_result(o, value);
	for (unsigned i = 0; i < o->n; i++) {
		const struct value_change *v = &o->h->latest[i];
		unsigned behind = (unsigned)v->behind << (i + 1) & ALL(o->n);
		uint64_t now = value;

		if (!(made >> i & 1) && !(behind & ~made) && change_apply(o->h, v, &now))
			orders_from(o, made | 1u << i, now);
	}
}

/* --- changes ----------------------------------------------------------------------------------------- */

static void change_add(struct value_history *h, const struct value_change *v)
{
	memmove(h->latest + 1, h->latest, sizeof(h->latest) - sizeof(h->latest[0]));
	h->latest[0] = *v;
	h->changes++;
}

void value_is(struct value_history *h, uint64_t value, bool followed)
{
	value_begin(h);
	change_add(h, &(struct value_change){.position = 1,
			      .value = value,
			      .after = value,
			      .settled = true,
			      .followed = followed});
}

/* The number of changes behind a settled one, all of which the new one comes behind; false: there are others.
 */
static bool settled_base(const struct value_history *h, unsigned behind, unsigned *n)
{
	for (*n = 0; *n < VALUE_CHANGES && behind >> *n & 1; ++*n)
		if (h->latest[*n].settled)
			return true;
	return false;
}

/* What it leaves is one value, in whatever order the ones before it are made. */
static bool change_settles(const struct value_history *h, struct value_change *v)
{
	struct value_orders o = {.h = h};

	if (!h->latest[0].position) {
		v->after = v->value;
		return v->act == VALUE_SET && !h->lost;
	}
	if (!settled_base(h, v->behind, &o.n))
		return false;
	if (v->act == VALUE_SET || v->act == VALUE_CLEAR) {
		v->after = v->act == VALUE_SET ? v->value : 0;
		return true;
	}
	orders_from(&o, 0, h->latest[o.n].after);
	v->after = o.result;
	return o.results == 1 && change_apply(h, v, &v->after);
}

/* A bit for each change that the stream's next task comes behind; with a settled one it does behind all older
 * ones. */
static unsigned changes_before(struct checks *c, const struct value_history *h, struct acl_object *stream)
{
	unsigned before = 0;

	for (unsigned i = 0; i < VALUE_CHANGES && h->latest[i].position; i++) {
		if (!change_is_before(c, &h->latest[i], stream))
			continue;
		if (h->latest[i].settled)
			return before | (ALL(VALUE_CHANGES) & ~ALL(i));
		before |= 1u << i;
	}
	return before;
}

void value_changed(struct checks *c, const struct acl_call_record *call, struct value_history *h,
	struct value_change what)
{
	struct acl_object *s = stream_of(call);

	what.stream = object_ref(s);
	what.position = call->state.position;
	what.behind |= (uint8_t)changes_before(c, h, s);
	what.settled = change_settles(h, &what);
	change_add(h, &what);
}

/* --- waits ------------------------------------------------------------------------------------------- */

#define each_bit(i, bits) for (uint32_t left_##i = (bits), i; next_bit(&left_##i, &i);)

static inline bool next_bit(uint32_t *left, uint32_t *i)
{
	if (!*left)
		return false;
	*i = (uint32_t)__builtin_ctz(*left);
	*left &= *left - 1;
	return true;
}

static bool is_one(uint32_t sets)
{
	return sets && !(sets & (sets - 1));
}

/* Those that hold no other one. */
static uint32_t smallest_sets(uint32_t sets)
{
	uint32_t smallest = sets;

	each_bit(set, is_one(sets) ? 0 : sets)
	{
		each_bit(less, sets & ((1u << set) - 1))
		{
			if (!(less & ~set))
				smallest &= ~(1u << set);
		}
	}
	return smallest;
}

struct value_end value_end(struct checks *c, const struct value_history *h, struct acl_object *stream,
	const struct value_test *t)
{
	struct value_orders o = {.h = h, .test = t};
	struct value_end end = {0};

	for (; o.n < VALUE_CHANGES && h->latest[o.n].position; o.n++) {
		bool before = change_is_before(c, &h->latest[o.n], stream);

		if (before && h->latest[o.n].settled) {
			end.base = &h->latest[o.n];
			break;
		}
		o.made |= (unsigned)before << o.n;
	}
	if (!end.base)
		return end;
	orders_from(&o, 0, end.base->after);
	end.ends = smallest_sets(o.ends);
	if (is_one(end.ends))
		end.by = (unsigned)__builtin_ctz(end.ends) | 1u << o.n;
	return end;
}

/* Of a call: ends, and how many changes there were. */
static const char end_note;

void value_wait_begins(
	struct acl_call_record *call, const struct value_history *h, const struct value_end *end)
{
	if (end->ends)
		call_note_set(call, &end_note, (uint64_t)h->changes << 32 | end->ends);
}

bool value_wait_known(const struct acl_call_record *call)
{
	return call_note(call, &end_note);
}

/* The changes by which a wait may end. */
struct value_ways {
	const struct value_change *at; /* the newest one there was */
	unsigned room;
	uint32_t ends;
	struct clock **clock; /* that it comes behind, of each, where there are several sets */
};

/* None of the set is forgotten. */
static bool set_is_there(const struct value_ways *w, unsigned set)
{
	each_bit(i, set)
	{
		if (i >= w->room || !w->at[i].position)
			return false;
	}
	return true;
}

static void behind_change(
	struct checks *c, const struct acl_call_record *call, acl_ref stream, uint64_t position)
{
	struct acl_object *source = position ? object_of(c, stream) : NULL;

	if (source)
		stream_waits_for(c, stream_of(call), call->state.position, source, position);
}

/* One set: the wait comes behind all that is in it. */
static bool order_by_set(
	struct checks *c, const struct acl_call_record *call, const struct value_ways *w, unsigned set)
{
	if (!set_is_there(w, set))
		return false;
	each_bit(i, set) behind_change(c, call, w->at[i].stream, w->at[i].position);
	return true;
}

/* The last position of the stream that all of one set come behind, or are. */
static uint64_t behind_set(const struct value_ways *w, unsigned set, acl_ref stream)
{
	uint64_t last = 0;

	each_bit(i, set)
	{
		uint64_t position =
			w->at[i].stream == stream ? w->at[i].position : clock_position(w->clock[i], stream);

		if (position > last)
			last = position;
	}
	return last;
}

/* The wait comes behind what it comes behind whichever set ends it. */
static void behind_all(
	struct checks *c, const struct acl_call_record *call, const struct value_ways *w, acl_ref stream)
{
	uint64_t first = UINT64_MAX;

	each_bit(set, w->ends)
	{
		uint64_t position = behind_set(w, set, stream);

		if (position < first)
			first = position;
	}
	behind_change(c, call, stream, first);
}

/* false: one of the changes is forgotten, or comes behind something that is not seen. */
static bool ways_open(struct checks *c, struct value_ways *w)
{
	unsigned changes = 0;
	bool known = true;

	each_bit(set, w->ends) changes |= set;
	if (!set_is_there(w, changes))
		return false;
	each_bit(i, changes)
	{
		struct acl_object *source = object_of(c, w->at[i].stream);

		w->clock[i] = source ? order_clock(source, w->at[i].position) : NULL;
		for (uint32_t k = 0; k < clock_entries(w->clock[i]); k++)
			known &= !(w->clock[i]->streams->stream[k] & CLOCK_UNSEEN);
	}
	return known;
}

/* Several sets: of what one of them comes behind, that of all the others, too. */
static bool order_in_common(struct checks *c, const struct acl_call_record *call, struct value_ways *w)
{
	struct clock *clocks[VALUE_CHANGES] = {NULL};
	bool known;

	w->clock = clocks;
	known = ways_open(c, w);
	each_bit(i, known ? (uint32_t)__builtin_ctz(w->ends) : 0)
	{
		behind_all(c, call, w, w->at[i].stream);
		for (uint32_t k = 0; k < clock_entries(w->clock[i]); k++)
			behind_all(c, call, w, w->clock[i]->streams->stream[k]);
	}
	for (unsigned i = 0; i < VALUE_CHANGES; i++)
		clock_release(c, clocks[i]);
	return known;
}

bool value_wait_ordered(struct checks *c, const struct acl_call_record *call, const struct value_history *h)
{
	uint64_t note = h ? call_note(call, &end_note) : 0;
	uint32_t since = h ? h->changes - (uint32_t)(note >> 32) : 0;
	struct value_ways w = {.ends = (uint32_t)note};

	if (!w.ends || since >= VALUE_CHANGES)
		return false;
	w.at = &h->latest[since];
	w.room = VALUE_CHANGES - since;
	return is_one(w.ends) ? order_by_set(c, call, &w, (unsigned)__builtin_ctz(w.ends))
			      : order_in_common(c, call, &w);
}
