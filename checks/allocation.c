/* SPDX-License-Identifier: Apache-2.0 */
/* Habits of allocating: again and again what could be kept, more page-locked memory than is good. */
#include "checks/report.h"
#include "checks/state.h"

#define SITES 256
#define PAIRS 64 /* in a row */
#define SHORT_LIFE 32 /* calls of the thread between allocation and release */
#define GAP 64 /* calls between one pair and the next */
#define SECOND UINT64_C(1000000000)

/* The allocations of one call site on one thread; a rough count, written by that thread. */
struct churn {
	_Atomic uint64_t key, base, size, since; /* since: calls of the thread when base was allocated */
	_Atomic uint64_t last, began; /* calls at the last pair; time of the first one */
	_Atomic uint32_t pairs;
};

struct allocation_state {
	struct churn site[SITES];
	_Atomic uint64_t total; /* bytes of the machine, 0 = not asked or unknown */
	_Atomic uint64_t counted, added; /* page-locked bytes when they were counted; allocated since */
	_Atomic bool said;
};

static struct allocation_state *allocations(struct checks *c)
{
	return c->topic[TOPIC_ALLOCATIONS];
}

/* --- alloc-churn -------------------------------------------------------------------- */

static struct churn *site_of(struct checks *c, uint64_t caller, uint32_t tid, uint64_t *key)
{
	*key = mix64(caller ^ (uint64_t)tid << 40) | 1;
	return &allocations(c)->site[(*key >> 20) % SITES];
}

static void allocated(struct checks *c, struct acl_event *ev)
{
	/* All begin with the variable and the size. */
	const struct acl_args_aclrtMalloc *a = ev->args;
	struct churn *s;
	uint64_t key;

	s = site_of(c, ev->caller, ev->tid, &key);
	if (!succeeded(ev) || !a->devPtr) {
		/* What comes now frees to make room. */
		st(&s->pairs, 0);
		return;
	}
	if (ld(&s->key) != key || ld(&s->size) > 2 * a->size || a->size > 2 * ld(&s->size) ||
		calls_so_far(ev) - ld(&s->last) > GAP)
		st(&s->pairs, 0);
	st(&s->key, key);
	st(&s->base, (uintptr_t)*a->devPtr);
	st(&s->size, a->size);
	st(&s->since, calls_so_far(ev));
	st(&s->last, calls_so_far(ev));
}

static void say_churn(struct checks *c, struct acl_event *ev, const struct acl_place *place)
{
	struct finding_grade grade = GRADE_TABLE;
	struct finding_buffer room;
	struct acl_finding *f;
	char size[24];

	grade.site = ld(&place->block->created.caller);
	f = finding_begin_as(c, ev, RULE("alloc-churn"), grade, &room);
	if (!f)
		return;
	finding_detail(f, "%u times in a row %s were allocated by %s and released a few calls later.", PAIRS,
		human_bytes(place->size, size), acl_apis[ld(&place->block->created.api)].name);
	finding_uint(f, "pairs", PAIRS);
	finding_bytes(f, "size", place->size);
	finding_block(c, f, "memory", place->block);
	finding_show(c, f);
}

/* The latest allocation of the site goes; true for the last of many such pairs in a row. */
static bool pair_completed(const struct acl_event *ev, struct churn *s, uint64_t base)
{
	uint64_t calls = calls_so_far(ev);

	if (ld(&s->base) != base || calls - ld(&s->since) > SHORT_LIFE)
		return false;
	st(&s->last, calls);
	if (!ld(&s->pairs))
		st(&s->began, ev->time);
	st(&s->pairs, ld(&s->pairs) + 1);
	/* Where somebody takes the time the pairs must come quickly as well. */
	if (ld(&s->pairs) == PAIRS && ev->time && ev->time - ld(&s->began) > SECOND)
		st(&s->pairs, 0);
	return ld(&s->pairs) == PAIRS;
}

static void freeing(struct checks *c, struct acl_event *ev)
{
	const void *address = ACL_ARGS(ev, aclrtFree)->devPtr;
	uint64_t key;
	struct acl_place place;
	struct churn *s;

	if (!address || !map_find(c->memory, (uintptr_t)address, &place) ||
		place.base != (uintptr_t)address || ld(&place.block->created.tid) != ev->tid)
		return;
	s = site_of(c, ld(&place.block->created.caller), ev->tid, &key);
	if (rule_broken(ev, RULE("alloc-churn"), ld(&s->key) == key && pair_completed(ev, s, place.base)))
		say_churn(c, ev, &place);
}

/* --- host-pinned-excess ---------------------------------------------------------------- */

static uint64_t count_pinned(struct checks *c)
{
	uint64_t bytes = 0;
	struct acl_block *b;

	map_each(c->memory, b) if (ld(&b->kind) == MEM_HOST) bytes += ld(&b->size);
	map_each(c->registered, b) bytes += ld(&b->size);
	return bytes;
}

static void say_pinned(struct checks *c, struct acl_event *ev, uint64_t pinned, uint64_t total)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, ev, RULE("host-pinned-excess"), &room);

	if (!f)
		return;
	f->at_leave = true;
	finding_detail(f, "%llu MiB of the machine's %llu MiB are page-locked by this process now.",
		(unsigned long long)(pinned >> 20), (unsigned long long)(total >> 20));
	finding_bytes(f, "page-locked", pinned);
	finding_bytes(f, "memory of the machine", total);
	finding_show(c, f);
}

/* Counts what is left only when the sum of all that was ever added would be too much. */
static void pinned(struct checks *c, struct acl_event *ev, uint64_t size)
{
	struct allocation_state *s = allocations(c);
	uint64_t total = ld(&s->total), now;

	if (!succeeded(ev) || ld(&s->said))
		return;
	if (!total && c->host.memory_total) {
		total = c->host.memory_total(c->host.context);
		st(&s->total, total);
	}
	if (!total)
		return;
	rule_asked(ev, RULE("host-pinned-excess"));
	atomic_fetch_add(&s->added, size);
	if (ld(&s->counted) + ld(&s->added) <= total / 2)
		return;
	/* The block of this very call is not in the map yet. */
	now = count_pinned(c) + size;
	st(&s->counted, now);
	st(&s->added, 0);
	if (now <= total / 2)
		return;
	st(&s->said, true);
	say_pinned(c, ev, now, total);
}

static void pinned_allocated(struct checks *c, struct acl_event *ev)
{
	allocated(c, ev);
	pinned(c, ev, ACL_ARGS(ev, aclrtMallocHost)->size);
}

static void pinned_registered(struct checks *c, struct acl_event *ev)
{
	if (ACL_ARGS(ev, aclrtHostRegisterV2)->flag & ACL_HOST_REG_PINNED)
		pinned(c, ev, ACL_ARGS(ev, aclrtHostRegisterV2)->size);
}

static bool allocation_create(struct checks *c)
{
	c->topic[TOPIC_ALLOCATIONS] = checks_alloc(c, sizeof(struct allocation_state));
	return c->topic[TOPIC_ALLOCATIONS] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMalloc, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocAlign32, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocCached, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocWithCfg, ACL_LEAVE, allocated},
	{ACL_API_aclrtMallocHost, ACL_LEAVE, pinned_allocated},
	{ACL_API_aclrtMallocHostWithCfg, ACL_LEAVE, pinned_allocated},
	{ACL_API_aclrtHostRegisterV2, ACL_LEAVE, pinned_registered},
	{ACL_API_aclrtFree, ACL_ENTER, freeing},
	{ACL_API_aclrtFreeWithDevSync, ACL_ENTER, freeing},
	{ACL_API_aclrtFreeHost, ACL_ENTER, freeing},
};

const struct acl_topic topic_allocation = {
	.name = "habits of allocating",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.create = allocation_create,
};
