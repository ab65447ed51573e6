/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory nobody wrote: which blocks a call has written, and when the
 * last task ran that may have written any.  A block counts as written as soon
 * as a single byte may be: these rules speak of memory that holds nothing yet.
 */
#include "checks/legs.h"
#include "checks/report.h"
#include "checks/state.h"

#define PAGE_BLOCKS 65536
#define PAGES 1024

/* By block index: a bit of its own, as the blocks themselves lie too far for a look at every copy. */
struct written_page {
	_Atomic uint64_t bits[PAGE_BLOCKS / 64];
};

struct written_state {
	_Atomic bool off; /* somebody unseen writes: nothing can be said any more */
	_Atomic uint64_t until; /* serial of the newest block when the last unknown writer was submitted */
	_Atomic(struct written_page *) page[PAGES];
};

static struct written_state *written(struct checks *c)
{
	return c->topic[TOPIC_WRITTEN];
}

/* The word of a block; NULL: no page for it, which counts as written. */
static inline _Atomic uint64_t *word_of(struct checks *c, uint32_t index)
{
	struct written_page *p =
		index / PAGE_BLOCKS < PAGES ? ld_acquire(&written(c)->page[index / PAGE_BLOCKS]) : NULL;

	return p ? &p->bits[index % PAGE_BLOCKS / 64] : NULL;
}

static inline bool is_written(struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = word_of(c, index);

	return !word || ld(word) >> index % 64 & 1;
}

static inline void mark_written(struct checks *c, uint32_t index)
{
	_Atomic uint64_t *word = word_of(c, index);

	if (word && !(ld(word) >> index % 64 & 1))
		atomic_fetch_or(word, UINT64_C(1) << index % 64);
}

void block_unwritten(struct checks *c, struct acl_block *b)
{
	struct written_state *s = written(c);
	unsigned n = b->index / PAGE_BLOCKS;
	_Atomic uint64_t *word;

	if (n < PAGES && !ld_acquire(&s->page[n]) && !ld(&s->off)) {
		struct written_page *fresh = checks_alloc(c, sizeof(*fresh)), *none = NULL;

		if (fresh && !atomic_compare_exchange_strong(&s->page[n], &none, fresh))
			checks_forget(c, fresh, sizeof(*fresh));
	}
	word = word_of(c, b->index);
	if (word)
		atomic_fetch_and(word, ~(UINT64_C(1) << b->index % 64));
}

bool block_maybe_written(struct checks *c, struct acl_block *b)
{
	if (ld(&written(c)->off) || is_written(c, b->index))
		return true;
	/* Where host and device memory are one the program writes it itself. */
	if (ld(&b->serial) <= ld(&written(c)->until) || ld(&c->run_mode) == ACL_DEVICE)
		return true;
	if (may_be_unseen(c, CHECKS_UNSEEN_WORK))
		st(&written(c)->off, true);
	return ld(&written(c)->off);
}

/* A kernel, a model, a callback …: it may write whatever exists now. */
static void anything(struct checks *c, struct acl_event *ev)
{
	uint64_t now = ld(&c->serials);

	(void)ev;
	if (ld(&written(c)->until) != now)
		st(&written(c)->until, now);
}

/* --- uninit-device-read ------------------------------------------------------------------- */

static __attribute__((noinline, cold)) void reads_new(
	struct checks *c, struct acl_event *ev, const void *src, struct acl_block *b)
{
	struct finding_buffer room;
	struct acl_finding *f;
	bool holds_something = ld(&b->marks) & BLOCK_DESCRIBED || block_maybe_written(c, b);

	/* A writer that it waits for may be submitted later. */
	if (stream_of(ev) && stream_waits_unseen(stream_of(ev)))
		return;

	/* Once is enough, and saves asking again. */
	mark_written(c, b->index);
	if (holds_something)
		return;
	f = finding_begin(c, ev, RULE("uninit-device-read"), &room);
	if (!f)
		return;
	finding_detail(f, "Nothing has written this memory since it was allocated.");
	finding_address(f, "src", src);
	finding_block(c, f, "source memory", b);
	finding_show(c, f);
}

static inline void reads(
	struct checks *c, struct acl_event *ev, const void *src, const struct acl_place *place)
{
	/* What is captured reads when the model runs. */
	if (!place->block || place->kind != MEM_DEVICE || ev->carry[CARRY_CAPTURE])
		return;
	rule_asked(ev, RULE("uninit-device-read"));
	if (__builtin_expect(!is_written(c, place->index), 0))
		reads_new(c, ev, src, place->block);
}

static void copying(struct checks *c, struct acl_event *ev)
{
	/* aclrtMemcpyAsync and aclrtMemcpyAsyncWithCondition begin alike. */
	const struct acl_args_aclrtMemcpy *a = ev->args;
	const struct acl_place *dst;

	if (ld(&written(c)->off) || !a->count)
		return;
	reads(c, ev, a->src, place_of(c, ev, a->src, 1));
	dst = place_of(c, ev, a->dst, 0);
	if (dst->block && dst->kind == MEM_DEVICE)
		mark_written(c, dst->index);
}

static void writes(struct checks *c, const void *address)
{
	struct acl_place place;

	if (address && map_find(c->memory, (uintptr_t)address, &place) && place.kind == MEM_DEVICE)
		mark_written(c, place.index);
}

/* 2D copies, batches, symbols. */
static void copying_form(struct checks *c, struct acl_event *ev)
{
	for (uint64_t i = 0, n = legs_count(ev); i < n; i++) {
		struct copy_leg leg = legs_at(ev, i);
		struct acl_place place;

		if (!leg.src_span)
			continue;
		if (leg.src && map_find(c->memory, (uintptr_t)leg.src, &place))
			reads(c, ev, leg.src, &place);
		writes(c, leg.dst);
	}
}

/* Functions whose first argument is what they write, or open to others. */
static void writing(struct checks *c, struct acl_event *ev)
{
	writes(c, ACL_ARGS(ev, aclrtMemset)->devPtr);
}

/* --- value-wait-uninitialised -------------------------------------------------------------- */

static void waiting(struct checks *c, struct acl_event *ev)
{
	const struct acl_args_aclrtValueWait *a = ev->args;
	struct finding_buffer room;
	struct acl_finding *f;
	struct acl_place place;

	/* The other conditions also serve to wait for a change of whatever was there. */
	if (ev->carry[CARRY_FINDING] || ev->carry[CARRY_CAPTURE] ||
		(a->flag != ACL_STREAM_WAIT_VALUE_EQ && a->flag != ACL_STREAM_WAIT_VALUE_GEQ) ||
		!map_find(c->memory, (uintptr_t)a->devAddr, &place) || place.kind != MEM_DEVICE ||
		!rule_broken(ev, RULE("value-wait-uninitialised"), !block_maybe_written(c, place.block)))
		return;
	f = finding_begin(c, ev, RULE("value-wait-uninitialised"), &room);
	if (!f)
		return;
	finding_detail(f, "Nothing has written this memory since it was allocated: what the wait compares is "
			  "undefined.");
	finding_address(f, "devAddr", a->devAddr);
	finding_block(c, f, "memory", place.block);
	finding_show(c, f);
}

/* --- binding ---------------------------------------------------------------------------------- */

static const uint16_t forms[] = {ACL_API_aclrtMemcpy2d, ACL_API_aclrtMemcpy2dAsync, ACL_API_aclrtMemcpyBatch,
	ACL_API_aclrtMemcpyBatchAsync, ACL_API_aclrtMemcpyBatchV2, ACL_API_aclrtMemcpyBatchAsyncV2,
	ACL_API_aclrtMemcpyToSymbol, ACL_API_aclrtMemcpyToSymbolAsync, ACL_API_aclrtMemcpyFromSymbol,
	ACL_API_aclrtMemcpyFromSymbolAsync};
static const uint16_t writers[] = {ACL_API_aclrtMemset, ACL_API_aclrtMemsetAsync, ACL_API_aclrtMemsetD32,
	ACL_API_aclrtMemsetD32Async, ACL_API_aclrtValueWrite, ACL_API_aclrtReduceAsync,
	ACL_API_aclrtIpcMemGetExportKey, ACL_API_aclrtMemP2PMap};
static const uint16_t harmless[] = {ACL_API_aclrtMemcpyAsync, ACL_API_aclrtMemcpyAsyncWithCondition,
	ACL_API_aclrtValueWait, ACL_API_aclrtMemPoolMallocAsync, ACL_API_aclrtMemPoolFreeAsync};

static bool among(unsigned api, const uint16_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == api)
			return true;
	return false;
}

#define AMONG(api, list) among(api, list, sizeof(list) / sizeof((list)[0]))

/* Everything that runs on the device, unless it is known to write nothing or what its arguments say. */
static bool writes_anything(unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];

	if (AMONG(api, forms) || AMONG(api, writers) || AMONG(api, harmless))
		return false;
	if (info->classes & (ACL_CLASS_KERNEL | ACL_CLASS_MODEL))
		return info->mode != ACL_MODE_IMMEDIATE;
	return info->mode == ACL_MODE_ASYNC &&
	       !(info->classes & (ACL_CLASS_EVENT | ACL_CLASS_NOTIFY | ACL_CLASS_LABEL | ACL_CLASS_CONFIG));
}

static void written_bind(void (*add)(void *, unsigned, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		if (AMONG(api, forms))
			add(binder, api, ACL_ENTER, copying_form);
		else if (AMONG(api, writers))
			add(binder, api, ACL_ENTER, writing);
		else if (writes_anything(api))
			add(binder, api, ACL_ENTER, anything);
	}
}

static bool written_create(struct checks *c)
{
	c->topic[TOPIC_WRITTEN] = checks_alloc(c, sizeof(struct written_state));
	return c->topic[TOPIC_WRITTEN] != NULL;
}

static const struct acl_hook hooks[] = {
	{ACL_API_aclrtMemcpy, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsync, ACL_ENTER, copying},
	{ACL_API_aclrtMemcpyAsyncWithCondition, ACL_ENTER, copying},
	{ACL_API_aclrtValueWait, ACL_ENTER, waiting},
};

const struct acl_topic topic_written = {
	.name = "written memory",
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
	.bind = written_bind,
	.create = written_create,
};
