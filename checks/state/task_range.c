/* SPDX-License-Identifier: Apache-2.0 */
#include "checks/state/task_range.h"
#include "checks/engine/program_memory.h"
#include "checks/state/descriptor_state.h"

#define COUNTER_BYTES 16
#define NUMBERS (UINT64_C(1) << 40) /* more are no number of numbers */

/* --- random numbers --------------------------------------------------------------------------- */

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

static unsigned range_put(struct task_range *out, unsigned n, const struct task_range *one)
{
	if (one->at)
		out[n++] = *one;
	return n;
}

/* A parameter that stands in device memory. */
static unsigned parameter_add(
	struct task_range *out, unsigned n, const char *name, const aclrtRandomParaInfo *p)
{
	const void *at = p->isAddr ? (const void *)(uintptr_t)parameter(p) : NULL;

	return range_put(out, n, &(struct task_range){name, at, p->size ? p->size : 1, ACCESS_READS});
}

static unsigned random_ranges(
	struct checks *c, const struct acl_call_record *call, struct task_range out[TASK_RANGES])
{
	const void *from = acl_arg_pointer(call->api, call->args, ACL_ROLE_TASK_INFO);
	aclrtRandomNumTaskInfo info;
	unsigned n;

	if (!program_read(c, from, &info, sizeof(info)))
		return 0;
	n = range_put(out, 0,
		&(struct task_range){
			"randomResultAddr", info.randomResultAddr, result_bytes(&info), ACCESS_WRITES});
	/* What it does to its counter is not documented: it must be there. */
	n = range_put(out, n,
		&(struct task_range){
			"randomCounterAddr", info.randomCounterAddr, COUNTER_BYTES, ACCESS_HINT});
	n = parameter_add(out, n, "randomSeed", &info.randomSeed);
	return parameter_add(out, n, "randomNum", &info.randomNum);
}

/* --- descriptors and pointers ---------------------------------------------------------------- */

/* From where the device reads addresses: arguments of these roles. */
static const uint8_t addresses_in[] = {ACL_ROLE_DESCRIPTOR, ACL_ROLE_SRC_POINTER, ACL_ROLE_DST_POINTER};

static unsigned descriptor_ranges(
	struct checks *c, const struct acl_call_record *call, struct task_range out[TASK_RANGES])
{
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(addresses_in); i++) {
		unsigned role = addresses_in[i];
		uint64_t bytes = role == ACL_ROLE_DESCRIPTOR ? descriptor_bytes(c, call) : sizeof(void *);

		if (acl_arg_has(call->api, role))
			n = range_put(out, n,
				&(struct task_range){
					acl_params(&acl_apis[call->api])[acl_role_param(call->api, role)]
						.name,
					acl_arg_pointer(call->api, call->args, role), bytes ? bytes : 1,
					ACCESS_READS | ACCESS_DESCRIBES});
	}
	return n;
}

bool task_ranges_possible(unsigned api)
{
	for (unsigned i = 0; i < sizeof(addresses_in); i++)
		if (acl_arg_has(api, addresses_in[i]))
			return true;
	return acl_apis[api].operation == ACL_OP_RANDOM;
}

unsigned task_ranges(struct checks *c, const struct acl_call_record *call, struct task_range out[TASK_RANGES])
{
	return acl_apis[call->api].operation == ACL_OP_RANDOM ? random_ranges(c, call, out)
							      : descriptor_ranges(c, call, out);
}
