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

struct block {
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
	struct block *b;

	if (!address)
		return;
	b = map_remove(&m->blocks, address);
	if (!b) {
		m->unknown_frees++;
		return;
	}
	m->use[b->kind].now -= b->size;
	m->use[b->kind].blocks--;
	free(b);
}

void memory_allocated(struct memory *m, enum memory_kind kind, uint64_t address, uint64_t size, int64_t time)
{
	struct memory_use *use = &m->use[kind];
	struct block *b;

	if (!address)
		return;
	/* Known already: its free was not seen. */
	if (map_get(&m->blocks, address))
		memory_freed(m, address);
	b = need(malloc(sizeof(*b)));
	*b = (struct block){size, kind};
	map_put(&m->blocks, address, b);
	use->now += size;
	use->blocks++;
	if (use->now <= use->high)
		return;
	use->high = use->now;
	use->high_time = time;
}

void memory_free(struct memory *m)
{
	for (size_t i = 0; i < m->blocks.size; i++)
		free(m->blocks.slots[i].value);
	map_free(&m->blocks);
}
