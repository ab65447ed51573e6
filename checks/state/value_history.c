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

void value_forget(struct value_history *h)
{
	memset(h->latest, 0, sizeof(h->latest));
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
	case VALUE_CLEAR:
		if (!value_passes(&v->when, *value))
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
	value_forget(h);
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
		return v->act == VALUE_SET;
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

void value_changed(struct checks *c, const struct acl_call_record *call, struct value_history *h,
	struct value_change what)
{
	struct acl_object *s = stream_of(call);

	what.stream = object_ref(s);
	what.position = call->state.position;
	for (unsigned i = 0; i < VALUE_CHANGES && h->latest[i].position; i++)
		if (change_is_before(c, &h->latest[i], s))
			what.behind |= (uint8_t)(1u << i);
	what.settled = change_settles(h, &what);
	change_add(h, &what);
}

/* --- waits ------------------------------------------------------------------------------------------- */

struct value_end value_end(struct checks *c, const struct value_history *h, struct acl_object *stream,
	const struct value_test *t)
{
	struct value_orders o = {.h = h, .test = t};
	struct value_end end = {0};
	unsigned common = ~0u;

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
	for (unsigned set = 0; set <= ALL(o.n); set++)
		if (o.ends >> set & 1)
			common &= set;
	end.any = o.ends != 0;
	/* Where it may end by one or by another one it comes behind more than behind both in common. */
	if (end.any && o.ends >> common & 1)
		end.by = common | 1u << o.n;
	return end;
}

/* Of a call: by, and how many changes there were. */
static const char end_note;

void value_wait_begins(
	struct acl_call_record *call, const struct value_history *h, const struct value_end *end)
{
	if (end->by)
		call_note_set(call, &end_note, (uint64_t)h->changes << VALUE_CHANGES | end->by);
}

bool value_wait_ordered(struct checks *c, const struct acl_call_record *call, const struct value_history *h)
{
	uint64_t note = h ? call_note(call, &end_note) : 0;
	unsigned by = note & ALL(VALUE_CHANGES);
	uint32_t since = h ? h->changes - (uint32_t)(note >> VALUE_CHANGES) : 0;

	if (!by || since >= VALUE_CHANGES || by << since & ~ALL(VALUE_CHANGES))
		return false;
	by <<= since;
	for (unsigned i = since; i < VALUE_CHANGES; i++)
		if (by >> i & 1 && !h->latest[i].position)
			return false;
	for (unsigned i = since; i < VALUE_CHANGES; i++) {
		const struct value_change *v = &h->latest[i];
		struct acl_object *source = by >> i & 1 ? object_of(c, v->stream) : NULL;

		if (source)
			stream_waits_for(c, stream_of(call), call->state.position, source, v->position);
	}
	return true;
}
