/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of calls.  Threads share a ring by their id and each entry says whose
 * it is.  An entry's state is zero while it is filled, so whoever reads, at any
 * moment or after the process' death, knows a half-written one.
 */
#include "interpose/report/last_calls.h"

#include <string.h>

#include "interpose/common/argument_text.h"

#define SHOWN 16

_Atomic(struct last_calls_area *) last_calls_area;

/* For calls that are not read. */
static struct last_calls_ring unread;

static struct last_calls_ring *ring_of(uint32_t tid)
{
	struct last_calls_area *a = atomic_load_explicit(&last_calls_area, memory_order_acquire);

	return a ? &a->ring[tid % LASTCALLS_RINGS] : NULL;
}

struct last_calls_ring *last_calls_ring(uint32_t tid)
{
	struct last_calls_ring *r = ring_of(tid);

	return r ? r : &unread;
}

void last_calls_own_fill(struct last_calls_own *own)
{
	for (unsigned api = 0; api < acl_api_count; api++) {
		unsigned size = acl_apis[api].args_size;

		if (size % 8 == 0 && size / 8 <= LASTCALLS_WORDS)
			own->what[api] = api << 16 | size / 8;
	}
	own->owned = 1;
}

/* Its state is that of no number. */
void last_calls_none(struct last_call *l)
{
	l->entry = &unread.entries[0];
	l->state = UINT64_MAX;
}

static inline void last_calls_put(_Atomic uint64_t *to, uint64_t value)
{
	atomic_store_explicit(to, value, memory_order_release);
}

static inline uint64_t get(const _Atomic uint64_t *from)
{
	return atomic_load_explicit((_Atomic uint64_t *)from, memory_order_relaxed);
}

/* The struct may end within its last word, and be aligned to less than a word. */
static unsigned put_args(struct last_calls_entry *e, const char *args, unsigned size)
{
	unsigned words = size / 8, tail = size % 8;
	uint64_t word;

	if (words >= LASTCALLS_WORDS)
		words = LASTCALLS_WORDS, tail = 0;
	for (unsigned i = 0; i < words; i++) {
		memcpy(&word, args + 8 * i, 8);
		last_calls_put(&e->args[i], word);
	}
	if (!tail)
		return words;
	word = 0;
	memcpy(&word, args + 8 * words, tail);
	last_calls_put(&e->args[words], word);
	return words + 1;
}

void last_calls_enter(struct last_call *l, struct last_calls_ring *r, const struct acl_call_record *ev)
{
	struct last_calls_entry *e;
	uint64_t number;

	if (!last_calls_owned()) {
		last_calls_none(l);
		return;
	}
	e = last_calls_entry_begin(r, &number);
	last_calls_entry_end(l, e, number, ev,
		(uint32_t)ev->api << 16 | put_args(e, ev->args, acl_apis[ev->api].args_size));
}

static void one(struct jout *j, const struct last_calls_entry *e, unsigned api)
{
	const struct acl_api_info *info = &acl_apis[api];
	int32_t result = (int32_t)(uint32_t)get(&e->result);
	char buf[128];
	struct text t;

	jout_object(j, NULL);
	jout_string(j, "call", info->name);
	if (info->ret_kind == ACL_KIND_ERROR && result) {
		text_init(&t, buf, sizeof(buf));
		decode_error(&t, result);
		jout_string(j, "result", buf);
	}
	jout_object_end(j);
}

void last_calls_json(struct jout *j, const char *key, uint32_t tid)
{
	struct last_calls_ring *r = ring_of(tid);
	const struct last_calls_entry *mine[SHOWN];
	unsigned apis[SHOWN], n = 0;
	uint64_t next;

	if (!r || !last_calls_owned())
		return;
	next = get(&r->next);
	for (uint64_t i = next; i > 0 && next - i < LASTCALLS_ENTRIES && n < SHOWN; i--) {
		const struct last_calls_entry *e = &r->entries[i % LASTCALLS_ENTRIES];

		uint64_t what = get(&e->what);

		if (get(&e->state) != (i << 1 | 1) || what >> 32 != tid)
			continue;
		/* A file is behind it: its numbers are not trusted. */
		apis[n] = what >> 16 & 0xffff;
		mine[n] = e;
		n += apis[n] < acl_api_count;
	}
	if (!n)
		return;
	jout_array(j, key);
	while (n--)
		one(j, mine[n], apis[n]);
	jout_array_end(j);
}
