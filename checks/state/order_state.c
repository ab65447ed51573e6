/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of streams: changed at waits, dropped as the host sees their positions done. */
#include "checks/state/order_state.h"
#include "checks/engine/instance.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"

#define VERSIONS 8 /* clocks of a stream that are remembered; of earlier records the oldest one holds */

/* The clocks of one stream; allocated once for all streams of a slot. */
struct stream_order {
	struct acl_lock lock;
	acl_ref stream; /* that they are of */
	uint32_t n;
	bool forgot; /* there were versions before the first one */
	struct clock_version {
		uint64_t since; /* position of the wait behind which it is in force */
		struct clock *clock;
	} version[VERSIONS]; /* oldest first */
};

static uint64_t stream_named(const struct clock_entry *e)
{
	return e->stream & ~CLOCK_UNSEEN;
}

static bool entry_settled(struct checks *c, const struct clock_entry *e)
{
	struct acl_object *stream = object_of(c, stream_named(e));

	if (!stream)
		return true;
	if (e->stream & CLOCK_UNSEEN)
		return e->position <= load_acquire(&stream_state(stream)->completed);
	return !stream_pending(stream, e->position);
}

/* --- the clocks of a stream -------------------------------------------------------------- */

static void versions_release(struct checks *c, struct stream_order *o, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		clock_release(c, o->version[i].clock);
	o->n -= n;
	memmove(o->version, o->version + n, o->n * sizeof(o->version[0]));
}

/* Locks the stream's clocks; those of a former one in the slot count no more. NULL: it has never waited. */
static struct stream_order *order_lock(struct acl_object *stream)
{
	struct stream_order *o = load_acquire(&stream_state(stream)->order);

	if (!o)
		return NULL;
	lock(&o->lock);
	if (o->stream == object_ref(stream))
		return o;
	unlock(&o->lock);
	return NULL;
}

static struct stream_order *order_create(struct checks *c, struct acl_object *stream)
{
	struct stream_order *o = load_acquire(&stream_state(stream)->order), *none = NULL;

	if (!o) {
		o = checks_alloc(c, sizeof(*o));
		if (o && !atomic_compare_exchange_strong(&stream_state(stream)->order, &none, o)) {
			checks_forget(c, o, sizeof(*o));
			o = none;
		}
	}
	if (!o)
		return NULL;
	lock(&o->lock);
	if (o->stream != object_ref(stream)) {
		versions_release(c, o, o->n);
		o->forgot = false;
		o->stream = object_ref(stream);
	}
	return o;
}

/* Under the lock: the clock in force at a position; where it is forgotten, the oldest later one. */
static struct clock *clock_at(const struct stream_order *o, uint64_t position)
{
	for (uint32_t i = o->n; i-- > 0;)
		if (o->version[i].since <= position)
			return o->version[i].clock;
	return o->n && o->forgot ? o->version[0].clock : NULL;
}

struct clock *order_clock(struct acl_object *stream, uint64_t position)
{
	struct stream_order *o = order_lock(stream);
	struct clock *k;

	if (!o)
		return NULL;
	k = clock_use(clock_at(o, position));
	unlock(&o->lock);
	return k;
}

/* Under the lock: versions are not looked for that ended before what the host has seen done. */
static void versions_drop(struct checks *c, struct stream_order *o, uint64_t completed)
{
	uint32_t old = 0;

	while (old + 1 < o->n && o->version[old + 1].since <= completed)
		old++;
	if (!old && o->n == VERSIONS) {
		old = 1;
		o->forgot = true;
	}
	versions_release(c, o, old);
}

static bool clock_unseen(struct checks *c, const struct clock *k)
{
	for (uint32_t i = k ? k->n : 0; i-- > 0 && k->entry[i].stream & CLOCK_UNSEEN;)
		if (!entry_settled(c, &k->entry[i]))
			return true;
	return false;
}

/* Under the lock: from the position on the clock holds both, and one entry more. */
static void version_add(struct checks *c, struct acl_object *stream, struct stream_order *o,
	uint64_t position, const struct clock *other, const struct clock_entry *more)
{
	struct clock_entry anything = {object_ref(stream) | CLOCK_UNSEEN, position};
	struct clock *now = clock_at(o, UINT64_MAX), *k;
	bool full;

	if ((!more || clock_position(now, more->stream) >= more->position) && clock_covers(now, other))
		return;
	k = clock_join(c, now, other, more, entry_settled, &full);
	if (full)
		k = clock_join(c, NULL, NULL, &anything, entry_settled, &full);
	versions_drop(c, o, load_acquire(&stream_state(stream)->completed));
	o->version[o->n++] = (struct clock_version){position, k};
	if (full || clock_unseen(c, k))
		atomic_fetch_or(&stream_state(stream)->ask, ASK_UNSEEN);
}

void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position)
{
	struct clock_entry more = {source ? object_ref(source) : object_ref(stream) | CLOCK_UNSEEN,
		source ? source_position : position};
	struct stream_order *o;
	struct clock *other;

	if (source && (source == stream || !stream_pending(source, source_position)))
		return;
	other = source ? order_clock(source, source_position) : NULL;
	o = order_create(c, stream);
	if (o) {
		version_add(c, stream, o, position, other, &more);
		unlock(&o->lock);
	} else {
		atomic_fetch_or(&stream_state(stream)->ask, ASK_UNSEEN);
	}
	clock_release(c, other);
}

/* --- what is before what ------------------------------------------------------------------- */

bool order_is_before(struct acl_object *source, uint64_t position, struct acl_object *stream)
{
	struct stream_order *o;
	bool before;

	if (source == stream || !stream_pending(source, position))
		return true;
	o = order_lock(stream);
	if (!o)
		return false;
	before = clock_position(clock_at(o, UINT64_MAX), object_ref(source)) >= position;
	unlock(&o->lock);
	return before;
}

bool order_unseen(struct checks *c, struct acl_object *stream)
{
	struct stream_order *o;
	bool unseen = load_acquire(&stream_state(stream)->ask) & ASK_UNSEEN;

	if (__builtin_expect(!unseen, 1))
		return false;
	o = order_lock(stream);
	if (!o)
		return true;
	unseen = clock_unseen(c, clock_at(o, UINT64_MAX));
	if (!unseen)
		atomic_fetch_and(&stream_state(stream)->ask, (uint8_t)~ASK_UNSEEN);
	unlock(&o->lock);
	return unseen;
}

bool stream_waits_on(
	struct checks *c, struct acl_object *stream, const struct acl_object *source, uint64_t position)
{
	struct clock *k = order_clock(stream, UINT64_MAX);
	bool found = clock_position(k, object_ref(source)) >= position || clock_unseen(c, k);

	clock_release(c, k);
	return found;
}

struct acl_object *stream_waiter(
	struct checks *c, struct acl_object *source, uint32_t *cursor, uint64_t *task)
{
	struct acl_object *o;

	while ((o = object_next(c, ACL_HANDLE_STREAM, cursor)) != NULL) {
		struct clock *k = object_usable(o) && o != source ? order_clock(o, UINT64_MAX) : NULL;

		*task = clock_position(k, object_ref(source));
		clock_release(c, k);
		if (*task && stream_pending(source, *task))
			return o;
	}
	return NULL;
}

/* --- what the host learns ------------------------------------------------------------------ */

/* With the stream's position everything before it is done; what is not seen may be. */
void stream_retire(struct checks *c, struct acl_object *stream, uint64_t position, bool sure)
{
	struct stream_state *s = stream_state(stream);
	struct clock *k;

	/* Polling a stream that is done finds nothing new and writes nothing. */
	if (position <= load_acquire(&s->completed))
		return;
	k = order_clock(stream, position);
	if (clock_unseen(c, k))
		streams_unsure(c);
	raise_to(sure ? &s->completed : &s->unsure, position);
	for (uint32_t i = 0; k && i < k->n && !(k->entry[i].stream & CLOCK_UNSEEN); i++) {
		struct acl_object *source = object_of(c, k->entry[i].stream);

		if (source)
			raise_to(sure ? &stream_state(source)->completed : &stream_state(source)->unsure,
				k->entry[i].position);
	}
	clock_release(c, k);
}

/* In a loop over all streams. */
static inline __attribute__((always_inline)) void stream_signals(
	struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *r = position ? stream_rare_make(c, stream) : NULL;

	if (r)
		raise_to(&r->signal, position);
}

void stream_tells(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct clock *k = order_clock(stream, position);
	bool unseen = clock_unseen(c, k);
	struct acl_object *o;

	stream_signals(c, stream, position);
	if (unseen) {
		object_each(c, ACL_HANDLE_STREAM, o) stream_signals(c, o, stream_submitted(o));
	} else {
		for (uint32_t i = 0; k && i < k->n; i++)
			if ((o = object_of(c, k->entry[i].stream)) != NULL)
				stream_signals(c, o, k->entry[i].position);
	}
	clock_release(c, k);
}
