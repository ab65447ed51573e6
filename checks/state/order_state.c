/* SPDX-License-Identifier: Apache-2.0 */
/* The clocks of streams: changed at waits, dropped as the host sees their positions done. */
#include "checks/state/order_state.h"
#include "checks/engine/instance.h"
#include "checks/state/stream_change.h"
#include "checks/state/stream_state.h"
#include "checks/state/unseen_ends.h"

#define VERSIONS 8 /* clocks of a stream that are remembered; of earlier records the oldest one holds */

/* The clocks of one stream; allocated once for all streams of a slot. */
struct stream_order {
	struct acl_lock lock;
	uint32_t generation; /* of the stream that they are of, as in its reference; 0 = none yet */
	uint8_t n;
	bool forgot; /* there were versions before the first one */
	bool grown; /* there is room for all in a piece of memory of their own; else for one */
	bool settled; /* the host knows all that the last one names as done: it has nothing more to say */
	uint8_t signalled; /* a bit for each: stream_signals_host() has marked its streams */
	union {
		struct clock_version {
			uint64_t since; /* position of the wait behind which it is in force */
			struct clock *clock;
		} first, *more; /* oldest first */
	};
};
_Static_assert(sizeof(struct stream_order) == 32, "half a cache line");
_Static_assert(VERSIONS <= 8, "a bit for each");

/* Threads of different streams would wait for one cache line; of very many streams memory counts more. */
#define STREAMS_APART 2048
#define STREAMS_SETTLED 512 /* clocks of more that have nothing to say take no memory */

static size_t order_bytes(const struct acl_object *stream)
{
	return object_number(stream) < STREAMS_APART ? 64 : sizeof(struct stream_order);
}

static inline struct clock_version *versions_of(const struct stream_order *o)
{
	return o->grown ? o->more : (struct clock_version *)&o->first;
}

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
		return e->position <= stream_completed(stream);
	return !stream_pending(stream, e->position);
}

/* --- the clocks of a stream -------------------------------------------------------------- */

static void versions_release(struct checks *c, struct stream_order *o, uint32_t n)
{
	struct clock_version *version = versions_of(o);

	for (uint32_t i = 0; i < n; i++)
		clock_release(c, version[i].clock);
	o->n = (uint8_t)(o->n - n);
	o->signalled = (uint8_t)(o->signalled >> n);
	memmove(version, version + n, o->n * sizeof(*version));
}

/* Locks the stream's clocks; those of a former one in the slot count no more. NULL: it has never waited. */
static struct stream_order *order_lock(struct acl_object *stream)
{
	struct stream_order *o = load_acquire(&stream_state(stream)->order);

	if (!o)
		return NULL;
	lock(&o->lock);
	if (o->generation == (uint32_t)object_ref(stream))
		return o;
	unlock(&o->lock);
	return NULL;
}

static struct stream_order *order_create(struct checks *c, struct acl_object *stream)
{
	struct stream_order *o = load_acquire(&stream_state(stream)->order), *none = NULL;

	if (!o) {
		o = checks_alloc(c, order_bytes(stream));
		if (o && !atomic_compare_exchange_strong(&stream_state(stream)->order, &none, o)) {
			checks_forget(c, o, order_bytes(stream));
			o = none;
		}
	}
	if (!o)
		return NULL;
	lock(&o->lock);
	if (o->generation != (uint32_t)object_ref(stream)) {
		versions_release(c, o, o->n);
		o->forgot = o->settled = false;
		o->generation = (uint32_t)object_ref(stream);
	}
	return o;
}

/* Under the lock: what is in force at a position, NULL = no clock, or a settled one; where it is forgotten,
 * the oldest later one.
 */
static const struct clock_version *version_at(const struct stream_order *o, uint64_t position)
{
	const struct clock_version *version = versions_of(o), *found = o->n && o->forgot ? version : NULL;

	for (uint32_t i = o->n; i-- > 0;)
		if (version[i].since <= position) {
			found = &version[i];
			break;
		}
	return found && o->settled && found == &version[o->n - 1] ? NULL : found;
}

static struct clock *clock_at(const struct stream_order *o, uint64_t position)
{
	const struct clock_version *v = version_at(o, position);

	return v ? v->clock : NULL;
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

/* Under the lock: room for all versions, if there is memory for that. */
static void versions_grow(struct checks *c, struct stream_order *o)
{
	struct clock_version *more = checks_alloc(c, VERSIONS * sizeof(*more));

	if (!more)
		return;
	*more = o->first;
	o->more = more;
	o->grown = true;
}

/*
 * Under the lock: room for one more. Versions are not looked for that ended before what the host has seen
 * done. The clock of the last one that goes serves the next join; NULL: none goes.
 */
static struct clock *versions_room(struct checks *c, struct stream_order *o, uint64_t completed)
{
	struct clock *spare = NULL;
	uint32_t old = 0;

	while (old + 1 < o->n && versions_of(o)[old + 1].since <= completed)
		old++;
	if (o->settled) {
		old = o->n;
		o->forgot = o->settled = false;
	}
	if (!old && o->n && !o->grown)
		versions_grow(c, o);
	if (!old && o->n == (o->grown ? VERSIONS : 1)) {
		old = 1;
		o->forgot = true;
	}
	if (old) {
		spare = versions_of(o)[old - 1].clock;
		versions_of(o)[old - 1].clock = NULL;
		versions_release(c, o, old);
	}
	return spare;
}

/* Its last wait that is not seen, and not over; false: there is none. */
static bool clock_unseen_wait(struct checks *c, const struct clock *k, struct clock_entry *wait)
{
	for (uint32_t i = clock_entries(k); i-- > 0 && k->streams->stream[i] & CLOCK_UNSEEN;) {
		*wait = clock_entry_of(k, i);
		if (!entry_settled(c, wait))
			return true;
	}
	return false;
}

static bool clock_unseen(struct checks *c, const struct clock *k)
{
	struct clock_entry wait;

	return clock_unseen_wait(c, k, &wait);
}

/* Under the lock: what answers order_unseen() for the next tasks.  Position 0 while the pair is changed: a
 * reader in between looks in the clock. */
static void unseen_wait_note(struct acl_object *stream, const struct clock_entry *wait)
{
	struct stream_rare *r = object_rare(stream);

	if (!r)
		return;
	store_release(&r->unseen_position, 0);
	store_release(&r->unseen, stream_named(wait));
	store_release(&r->unseen_position, wait->position);
}

/* Whether the wait that was noted is not over: it is in the stream's clock as long as that is so. */
static inline bool noted_wait_is_open(struct checks *c, struct acl_object *stream)
{
	struct stream_rare *r = object_rare(stream);
	uint64_t position = r ? load_acquire(&r->unseen_position) : 0;
	struct acl_object *waits = position ? object_of(c, load_acquire(&r->unseen)) : NULL;

	return waits && load_relaxed(&r->unseen_position) == position && position > stream_completed(waits);
}

/* Under the lock: from the position on the clock holds both, and one entry more. */
static void version_add(struct checks *c, struct acl_object *stream, struct stream_order *o,
	uint64_t position, const struct clock *other, const struct clock_entry *more)
{
	struct clock_entry anything = {object_ref(stream) | CLOCK_UNSEEN, position};
	struct clock *now = clock_at(o, UINT64_MAX), *spare, *k;
	bool full;

	if ((!more || clock_position(now, more->stream) >= more->position) && clock_covers(now, other))
		return;
	spare = versions_room(c, o, stream_completed(stream));
	k = clock_join(c, spare, now, other, more, entry_settled, &full);
	if (full) {
		unseen_end_follow(c, false);
		k = clock_join(c, NULL, NULL, NULL, &anything, entry_settled, &full);
		unseen_wait_note(stream, &anything);
	}
	versions_of(o)[o->n++] = (struct clock_version){position, k};
	/* The flag goes under the lock, too. */
	if (!(load_relaxed(&stream_state(stream)->ask) & ASK_UNSEEN) && (full || clock_unseen(c, k)))
		atomic_fetch_or(&stream_state(stream)->ask, ASK_UNSEEN);
}

/* While the source is locked, so without waiting; NULL: another thread has the clocks, or there are none yet.
 */
static struct stream_order *order_lock_at_once(struct acl_object *stream)
{
	struct stream_order *o = load_acquire(&stream_state(stream)->order);

	if (!o || !lock_at_once(&o->lock))
		return NULL;
	if (o->generation == (uint32_t)object_ref(stream))
		return o;
	unlock(&o->lock);
	return NULL;
}

/* Mostly the source's clock need not outlive its lock. False: it must. */
static bool waits_at_once(struct checks *c, struct acl_object *stream, uint64_t position,
	struct stream_order *from, const struct clock_entry *record)
{
	struct stream_order *o = order_lock_at_once(stream);

	if (!o)
		return false;
	version_add(c, stream, o, position, clock_at(from, record->position), record);
	unlock(&o->lock);
	return true;
}

/* With another clock, and one entry more. */
static void waits_behind(struct checks *c, struct acl_object *stream, uint64_t position,
	const struct clock *other, const struct clock_entry *more)
{
	struct stream_order *o = order_create(c, stream);

	if (!o) {
		atomic_fetch_or(&stream_state(stream)->ask, ASK_UNSEEN);
		return;
	}
	version_add(c, stream, o, position, other, more);
	unlock(&o->lock);
}

void stream_waits_unseen(struct checks *c, struct acl_object *stream, uint64_t position, bool for_record)
{
	const struct clock_entry wait = {object_ref(stream) | CLOCK_UNSEEN, position};

	unseen_end_follow(c, for_record);
	waits_behind(c, stream, position, NULL, &wait);
}

void stream_waits_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position)
{
	const struct clock_entry more = {object_ref(source), source_position};
	struct stream_order *from;
	struct clock *other;

	if (source == stream || !stream_pending(source, source_position))
		return;
	from = order_lock(source);
	if (!from) {
		waits_behind(c, stream, position, NULL, &more);
		return;
	}
	if (waits_at_once(c, stream, position, from, &more)) {
		unlock(&from->lock);
		return;
	}
	other = clock_use(clock_at(from, source_position));
	unlock(&from->lock);
	waits_behind(c, stream, position, other, &more);
	clock_release(c, other);
}

/* --- waits whose end is seen later ----------------------------------------------------------- */

/* Under the lock: the version that begins with the wait, when that is the only one of the stream that nothing
 * seen ends; n: there is none. */
static uint32_t version_of_wait(
	struct checks *c, const struct stream_order *o, const struct clock_entry *wait)
{
	const struct clock_version *version = versions_of(o);
	struct clock_entry before = *wait;
	uint32_t i = 0;

	while (i < o->n && version[i].since != wait->position)
		i++;
	if (i == o->n || clock_position(version[i].clock, wait->stream) != wait->position)
		return o->n;
	/* One that it waited for before has given its place in the clock to this one. */
	before.position = i ? clock_position(version[i - 1].clock, wait->stream) : 0;
	if ((!i && o->forgot) || (before.position && !entry_settled(c, &before)))
		return o->n;
	return i;
}

/* Under the lock: the version has the record, and what comes before that, in the place of the wait; a later
 * wait stays in that. */
static void version_learns(struct checks *c, struct clock_version *version, const struct clock_entry *wait,
	const struct clock *other, const struct clock_entry *record)
{
	bool full = false;
	struct clock *rest, *k;

	if (clock_position(version->clock, wait->stream) == wait->position)
		rest = clock_without(c, version->clock, wait->stream, &full);
	else
		rest = clock_use(version->clock);
	if (full)
		return;
	k = clock_join(c, NULL, rest, other, record, entry_settled, &full);
	clock_release(c, rest);
	if (full)
		return;
	clock_release(c, version->clock);
	version->clock = k;
}

/* Under the lock: order_unseen() looks in the clock again. */
static void unseen_wait_forget(struct acl_object *stream, const struct clock_entry *wait)
{
	struct stream_rare *r = object_rare(stream);

	if (r && load_relaxed(&r->unseen) == stream_named(wait) &&
		load_relaxed(&r->unseen_position) == wait->position)
		store_release(&r->unseen_position, 0);
}

void stream_wait_is_for(struct checks *c, struct acl_object *stream, uint64_t position,
	struct acl_object *source, uint64_t source_position)
{
	const struct clock_entry wait = {object_ref(stream) | CLOCK_UNSEEN, position},
				 record = {object_ref(source), source_position};
	struct clock *other = order_clock(source, source_position);
	/* A record that comes after what comes after the wait ends nothing. */
	bool ends = source != stream && clock_position(other, object_ref(stream)) < position;
	struct stream_order *o = ends ? order_lock(stream) : NULL;

	if (o) {
		for (uint32_t i = version_of_wait(c, o, &wait); i < o->n; i++) {
			version_learns(c, &versions_of(o)[i], &wait, other, &record);
			o->signalled &= (uint8_t) ~(1u << i);
		}
		unseen_wait_forget(stream, &wait);
		unlock(&o->lock);
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
	/* A clock is marked as settled, under the lock, once all that it names has been raised: that is read
	 * once more. */
	before = clock_position(clock_at(o, UINT64_MAX), object_ref(source)) >= position ||
		 !stream_pending(source, position);
	unlock(&o->lock);
	return before;
}

bool order_unseen(struct checks *c, struct acl_object *stream)
{
	struct stream_order *o;
	bool unseen = load_acquire(&stream_state(stream)->ask) & ASK_UNSEEN;
	struct clock_entry wait;

	if (__builtin_expect(!unseen, 1))
		return false;
	if (noted_wait_is_open(c, stream))
		return true;
	o = order_lock(stream);
	if (!o)
		return true;
	unseen = clock_unseen_wait(c, clock_at(o, UINT64_MAX), &wait);
	if (unseen)
		unseen_wait_note(stream, &wait);
	else
		atomic_fetch_and(&stream_state(stream)->ask, (uint8_t)~ASK_UNSEEN);
	unlock(&o->lock);
	return unseen;
}

bool stream_waits_on(
	struct checks *c, struct acl_object *stream, const struct acl_object *source, uint64_t position)
{
	struct clock *k = order_clock(stream, UINT64_MAX);
	/* In this order, as in order_is_before(). */
	bool found = clock_position(k, object_ref(source)) >= position || clock_unseen(c, k) ||
		     !stream_pending((struct acl_object *)source, position);

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

static void position_retire(struct acl_object *stream, uint64_t position, bool sure)
{
	raise_to(sure ? stream_completed_at(stream) : &stream_state(stream)->unsure, position);
}

/*
 * What ended a wait whose end was not seen may be of any stream; where all that can end one are records, up
 * to the last of each: what comes before a record of another stream is behind one of its own.
 */
static void unseen_ends_retire(struct checks *c)
{
	struct acl_object *o;

	if (!unseen_ends_are_records(c)) {
		streams_unsure(c);
		return;
	}
	object_each(c, ACL_HANDLE_STREAM, o) position_retire(o, unseen_end_position(o), false);
}

/*
 * Under the lock: nothing that they name is open.  Their memory stays with the thread that puts tasks on the
 * stream, but for very many streams.
 */
static void clocks_settled(struct checks *c, const struct acl_object *stream, struct stream_order *o)
{
	o->settled = object_number(stream) < STREAMS_SETTLED;
	if (o->settled)
		return;
	versions_release(c, o, o->n);
	o->forgot = false;
}

/*
 * With the stream's position everything before it is done; what is not seen may be.  Under the lock of its
 * clocks, which this thread takes once and otherwise only reads.
 */
void stream_retire(struct checks *c, struct acl_object *stream, uint64_t position, bool sure)
{
	const struct clock_version *v;
	struct stream_order *o;
	const struct clock *k;
	bool unseen;

	/* Polling a stream that is done finds nothing new and writes nothing. */
	if (position <= stream_completed(stream))
		return;
	if (__builtin_expect(position <= stream_rarely(stream, given_up), 0)) {
		position_retire(stream, position, sure);
		return;
	}
	o = order_lock(stream);
	v = o ? version_at(o, position) : NULL;
	k = v ? v->clock : NULL;
	unseen = clock_unseen(c, k);
	if (unseen)
		unseen_ends_retire(c);
	position_retire(stream, position, sure);
	for (uint32_t i = 0; i < clock_entries(k) && !(k->streams->stream[i] & CLOCK_UNSEEN); i++) {
		struct clock_entry e = clock_entry_of(k, i);
		struct acl_object *source = object_of(c, e.stream);

		if (source)
			position_retire(source, e.position, sure);
	}
	if (!o)
		return;
	if (v && sure && !unseen && v == &versions_of(o)[o->n - 1] && v->since <= position)
		clocks_settled(c, stream, o);
	unlock(&o->lock);
}

void stream_given_up(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *r = stream_rare_make(c, stream);

	if (r)
		raise_to(&r->given_up, position);
	position_retire(stream, position, false);
}

static void signal_raise(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct stream_rare *r = position ? stream_rare_make(c, stream) : NULL;

	if (r)
		raise_to(&r->signal, position);
}

/* The clock in force at the position, to be released; NULL: it is empty, or its streams are marked already.
 */
static struct clock *clock_to_signal(
	struct acl_object *stream, uint64_t position, uint32_t *generation, uint64_t *since)
{
	struct stream_order *o = order_lock(stream);
	const struct clock_version *v = o ? version_at(o, position) : NULL;
	struct clock *k = NULL;

	if (v && !(o->signalled >> (v - versions_of(o)) & 1)) {
		k = clock_use(v->clock);
		*generation = o->generation;
		*since = v->since;
	}
	if (o)
		unlock(&o->lock);
	return k;
}

/* Once they are marked: until then another thread marks them itself. */
static void clock_signalled(struct acl_object *stream, uint32_t generation, uint64_t since)
{
	struct stream_order *o = order_lock(stream);

	if (!o)
		return;
	for (uint32_t i = 0; o->generation == generation && i < o->n; i++)
		if (versions_of(o)[i].since == since)
			o->signalled |= (uint8_t)(1u << i);
	unlock(&o->lock);
}

void streams_signal_host(struct checks *c)
{
	/* Each stream counts it with its next task. */
	atomic_fetch_add_explicit(signals_of_all(c), 1, memory_order_release);
}

void stream_signals_host(struct checks *c, struct acl_object *stream, uint64_t position)
{
	struct acl_object *o;
	struct clock *k;
	uint32_t generation;
	uint64_t since;

	signal_raise(c, stream, position);
	k = clock_to_signal(stream, position, &generation, &since);
	if (!k)
		return;
	if (clock_unseen(c, k)) {
		streams_signal_host(c);
	} else {
		for (uint32_t i = 0; i < clock_entries(k); i++) {
			struct clock_entry e = clock_entry_of(k, i);

			if ((o = object_of(c, e.stream)) != NULL)
				signal_raise(c, o, e.position);
		}
		clock_signalled(stream, generation, since);
	}
	clock_release(c, k);
}
