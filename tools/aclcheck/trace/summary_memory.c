/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in use, from the calls that allocate and free. */
#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

const char *const memory_kind_names[MEMORY_KINDS] = {"device", "host", "pool", "managed"};

static const struct memory_rule rules[] = {
	{"aclrtFree", "devPtr", NULL, MEMORY_DEVICE},
	{"aclrtFreeHost", "hostPtr", NULL, MEMORY_HOST},
	{"aclrtFreeHostWithDevSync", "hostPtr", NULL, MEMORY_HOST},
	{"aclrtFreeWithDevSync", "devPtr", NULL, MEMORY_DEVICE},
	{"aclrtMalloc", "devPtr", "size", MEMORY_DEVICE},
	{"aclrtMallocAlign32", "devPtr", "size", MEMORY_DEVICE},
	{"aclrtMallocCached", "devPtr", "size", MEMORY_DEVICE},
	{"aclrtMallocForTaskScheduler", "devPtr", "size", MEMORY_DEVICE},
	{"aclrtMallocHost", "hostPtr", "size", MEMORY_HOST},
	{"aclrtMallocHostWithCfg", "ptr", "size", MEMORY_HOST},
	{"aclrtMallocWithCfg", "devPtr", "size", MEMORY_DEVICE},
	{"aclrtMemAllocManaged", "ptr", "size", MEMORY_MANAGED},
	{"aclrtMemPoolFreeAsync", "ptr", NULL, MEMORY_POOL},
	{"aclrtMemPoolMallocAsync", "ptr", "size", MEMORY_POOL},
};

struct memory_block {
	UT_hash_handle hh;
	uint64_t address;
	uint64_t size;
	enum memory_kind kind;
};

const struct memory_rule *memory_rule(unsigned api)
{
	for (unsigned i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (!strcmp(rules[i].api, acl_apis[api].name))
			return &rules[i];
	return NULL;
}

void memory_freed(struct memory *m, uint64_t address)
{
	struct memory_block *b;

	if (!address)
		return;
	HASH_FIND(hh, m->blocks, &address, sizeof(address), b);
	if (!b) {
		m->unknown_frees++;
		return;
	}
	HASH_DEL(m->blocks, b);
	m->use[b->kind].now -= b->size;
	m->use[b->kind].blocks--;
	free(b);
}

void memory_allocated(struct memory *m, enum memory_kind kind, uint64_t address, uint64_t size, int64_t time)
{
	struct memory_use *use = &m->use[kind];
	struct memory_block *b;

	if (!address)
		return;
	/* Known already: its free was not seen. */
	HASH_FIND(hh, m->blocks, &address, sizeof(address), b);
	if (b)
		memory_freed(m, address);
	b = need(malloc(sizeof(*b)));
	*b = (struct memory_block){.address = address, .size = size, .kind = kind};
	HASH_ADD(hh, m->blocks, address, sizeof(b->address), b);
	use->now += size;
	use->blocks++;
	if (use->now <= use->high)
		return;
	use->high = use->now;
	use->high_time = time;
}

void memory_free(struct memory *m)
{
	struct memory_block *b, *next;

	HASH_ITER(hh, m->blocks, b, next)
	{
		HASH_DEL(m->blocks, b);
		free(b);
	}
}
