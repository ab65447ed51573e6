/* SPDX-License-Identifier: Apache-2.0 */
/* Memory in use, from the calls that allocate and free. */
#include <stdlib.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

const char *const memory_kind_names[MEMORY_KINDS] = {"device", "host", "pool", "managed"};

struct memory_block {
	UT_hash_handle hh;
	uint64_t address;
	uint64_t size;
	enum memory_kind kind;
};

/* By the operation of the model; managed memory is freed as that of a device. */
static bool operation_does(unsigned operation, struct memory_rule *rule)
{
	static const struct {
		uint16_t allocates, frees;
		enum memory_kind kind;
	} kinds[] = {{ACL_OP_ALLOCATE_DEVICE, ACL_OP_FREE_DEVICE, MEMORY_DEVICE},
		{ACL_OP_ALLOCATE_HOST, ACL_OP_FREE_HOST, MEMORY_HOST},
		{ACL_OP_ALLOCATE_POOL, ACL_OP_FREE_POOL, MEMORY_POOL},
		{ACL_OP_ALLOCATE_MANAGED, ACL_OP_FREE_DEVICE, MEMORY_MANAGED}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (operation == kinds[i].allocates || operation == kinds[i].frees) {
			rule->allocates = operation == kinds[i].allocates;
			rule->kind = kinds[i].kind;
			return true;
		}
	return false;
}

bool memory_rule(unsigned api, struct memory_rule *rule)
{
	int address, bytes;

	if (!operation_does(acl_apis[api].operation, rule))
		return false;
	address = acl_role_param(api, ACL_ROLE_ADDRESS);
	bytes = acl_role_param(api, ACL_ROLE_BYTES);
	rule->pointer = address < 0 ? NULL : acl_params(&acl_apis[api])[address].name;
	rule->size = bytes < 0 ? NULL : acl_params(&acl_apis[api])[bytes].name;
	return rule->pointer && (rule->size || !rule->allocates);
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
