/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rings of packed calls.  Threads share a ring by their id, each entry says
 * whose it is; an entry that another thread overwrites meanwhile is whole, as
 * it is one word.
 */
#include "interpose/lastcalls.h"

#include <stdatomic.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/decode.h"

#define RINGS 64
#define ENTRIES 64
#define SHOWN 16

/* result in the low half, thread in 22 bits (more no kernel gives out), function above. */
#define TID_BITS 22
#define TID_MASK ((1u << TID_BITS) - 1)
_Static_assert(ACL_API_COUNT < 1 << (32 - TID_BITS), "functions do not fit beside the thread id");

struct ring {
	_Alignas(64) _Atomic uint32_t next;
	_Atomic uint64_t entries[ENTRIES];
};
static struct ring rings[RINGS];

static uint64_t pack(unsigned api, uint32_t tid, uint32_t result)
{
	return (uint64_t)api << (32 + TID_BITS) | (uint64_t)(tid & TID_MASK) << 32 | result;
}

void lastcalls_note(const struct acl_event *ev)
{
	struct ring *r = &rings[ev->tid % RINGS];
	uint32_t i = atomic_fetch_add_explicit(&r->next, 1, memory_order_relaxed);

	atomic_store_explicit(&r->entries[i % ENTRIES], pack(ev->api, ev->tid, (uint32_t)ev->result.u),
		memory_order_relaxed);
}

static void one(struct jout *j, uint64_t entry)
{
	const struct acl_api_info *info = &acl_apis[entry >> (32 + TID_BITS)];
	int32_t result = (int32_t)(uint32_t)entry;
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

void lastcalls_json(struct jout *j, const char *key, uint32_t tid)
{
	struct ring *r = &rings[tid % RINGS];
	uint32_t next = atomic_load_explicit(&r->next, memory_order_relaxed);
	uint64_t mine[SHOWN];
	unsigned n = 0;

	for (uint32_t back = 1; back <= ENTRIES && back <= next && n < SHOWN; back++) {
		uint64_t e = atomic_load_explicit(&r->entries[(next - back) % ENTRIES], memory_order_relaxed);

		if (e && (e >> 32 & TID_MASK) == (tid & TID_MASK) && e >> (32 + TID_BITS) < acl_api_count)
			mine[n++] = e;
	}
	if (!n)
		return;
	jout_array(j, key);
	while (n)
		one(j, mine[--n]);
	jout_array_end(j);
}

void lastcalls_forked(void)
{
	memset((void *)rings, 0, sizeof(rings));
}
