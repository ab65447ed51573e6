/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of tasks that make random numbers. */
#include "checks/state/random_task.h"
#include "checks/engine/program_memory.h"
#include "checks/state/access_tree.h"

#define COUNTER_BYTES 16
#define NUMBERS (UINT64_C(1) << 40) /* more are no number of numbers */

static unsigned element_bytes(aclDataType type)
{
	switch (type) {
	case ACL_BF16:
	case ACL_FLOAT16:
		return 2;
	case ACL_FLOAT:
	case ACL_INT32:
	case ACL_UINT32:
		return 4;
	case ACL_INT64:
	case ACL_UINT64:
		return 8;
	default:
		return 0;
	}
}

/* The value, or where the device reads it. */
static uint64_t parameter(const aclrtRandomParaInfo *p)
{
	uint64_t value = 0;

	memcpy(&value, p->valueOrAddr, p->isAddr || p->size > sizeof(value) ? sizeof(value) : p->size);
	return value;
}

static uint64_t result_bytes(const aclrtRandomNumTaskInfo *info)
{
	uint64_t n = info->randomNum.isAddr ? 0 : parameter(&info->randomNum);
	uint64_t bytes = n < NUMBERS ? n * element_bytes(info->dataType) : 0;

	/* A bit for each number. */
	if (info->randomNumFuncParaInfo.funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK)
		bytes = n < NUMBERS ? n / 8 : 0;
	return bytes ? bytes : 1;
}

static unsigned random_range_add(
	struct random_range *out, unsigned n, const void *at, uint64_t bytes, unsigned flags)
{
	if (at)
		out[n++] = (struct random_range){at, bytes, (uint8_t)flags};
	return n;
}

static unsigned parameter_add(struct random_range *out, unsigned n, const aclrtRandomParaInfo *p)
{
	return p->isAddr ? random_range_add(out, n, (const void *)(uintptr_t)parameter(p),
				   p->size ? p->size : 1, ACCESS_READS)
			 : n;
}

unsigned random_ranges(
	struct checks *c, const struct acl_call_record *call, struct random_range out[RANDOM_RANGES])
{
	const void *from = acl_arg_pointer(call->api, call->args, ACL_ROLE_TASK_INFO);
	aclrtRandomNumTaskInfo info;
	unsigned n;

	if (acl_apis[call->api].operation_group != ACL_OP_GROUP_RANDOM ||
		!program_read(c, from, &info, sizeof(info)))
		return 0;
	n = random_range_add(out, 0, info.randomResultAddr, result_bytes(&info), ACCESS_WRITES);
	/* What it does to its counter is not documented: it must be there. */
	n = random_range_add(out, n, info.randomCounterAddr, COUNTER_BYTES, ACCESS_HINT);
	n = parameter_add(out, n, &info.randomSeed);
	return parameter_add(out, n, &info.randomNum);
}
