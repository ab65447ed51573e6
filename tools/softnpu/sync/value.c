/* SPDX-License-Identifier: Apache-2.0 */
/* Words in device memory that streams write and wait for. */
#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/sync/stream.h"
#include "tools/softnpu/core/timeout.h"
#include "tools/softnpu/sync/value.h"

struct value_op {
	struct op op;
	void *addr;
	uint64_t value;
	uint32_t flag;
};

static aclError word_load(void *addr, uint64_t *word)
{
	struct place p = place_of(addr);

	if (!p.safe || (uintptr_t)p.host % 8)
		return bytes_move((char *)word, true, p.host, p.safe, sizeof(*word));
	*word = __atomic_load_n((uint64_t *)p.host, __ATOMIC_SEQ_CST);
	return ACL_SUCCESS;
}

static aclError word_store(void *addr, uint64_t word)
{
	struct place p = place_of(addr);

	if (!p.safe || (uintptr_t)p.host % 8)
		return bytes_move(p.host, p.safe, (char *)&word, true, sizeof(word));
	__atomic_store_n((uint64_t *)p.host, word, __ATOMIC_SEQ_CST);
	return ACL_SUCCESS;
}

static enum op_step write_step(struct op *op, struct lane *lane)
{
	struct value_op *v = container_of(op, struct value_op, op);

	lane->result = word_store(v->addr, v->value);
	sched_poke();
	return OP_DONE;
}

static bool value_satisfied(const struct value_op *v, uint64_t word)
{
	switch (v->flag) {
	case ACL_STREAM_WAIT_VALUE_GEQ:
		return (int64_t)(word - v->value) >= 0; /* the counter may wrap */
	case ACL_STREAM_WAIT_VALUE_EQ:
		return word == v->value;
	case ACL_STREAM_WAIT_VALUE_AND:
		return word & v->value;
	default:
		return ~(word | v->value);
	}
}

static enum op_step value_wait_step(struct op *op, struct lane *lane)
{
	struct value_op *v = container_of(op, struct value_op, op);
	uint64_t word;

	lane->result = word_load(v->addr, &word);
	if (lane->result || value_satisfied(v, word))
		return OP_DONE;
	return lane_park_until(lane, NULL, timeout_wait_deadline(0));
}

static void value_describe(const struct op *op, char *text, size_t size)
{
	const struct value_op *v = container_of(op, struct value_op, op);

	snprintf(text, size, "\"address\": \"%p\", \"value\": %llu, \"flag\": %u", v->addr,
		(unsigned long long)v->value, v->flag);
}

static const struct op_type write_type = {
	.name = "VALUE_WRITE",
	.step = write_step,
	.describe = value_describe,
	.task_type = ACL_MODEL_RI_TASK_VALUE_WRITE,
};
static const struct op_type wait_type = {
	.name = "VALUE_WAIT",
	.step = value_wait_step,
	.describe = value_describe,
	.task_type = ACL_MODEL_RI_TASK_VALUE_WAIT,
};

static struct op *value_op(const struct op_type *type, void *addr, uint64_t value, uint32_t flag)
{
	struct value_op *v = op_new(type, sizeof(*v));

	if (!v)
		return NULL;
	v->addr = addr;
	v->value = value;
	v->flag = flag;
	return &v->op;
}

static aclError value_submit(
	const struct op_type *type, void *addr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	struct stream *s;
	aclError rc = stream_named(stream, STREAM_SUBMIT, &s);

	if (!rc && place_of(addr).loc != LOC_DEVICE)
		rc = npu_err(ACL_ERROR_RT_PARAM_INVALID, "%p is not in device memory", addr);
	if (!rc)
		rc = stream_enter(STREAM_SUBMIT, &s);
	return rc ? rc : stream_submit(s, value_op(type, addr, value, flag));
}

aclError aclrtValueWrite(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	return LOCKED(value_submit(&write_type, devAddr, value, flag, stream));
}

aclError aclrtValueWait(void *devAddr, uint64_t value, uint32_t flag, aclrtStream stream)
{
	return LOCKED(value_submit(&wait_type, devAddr, value, flag, stream));
}

/* --- as tasks of a model ----------------------------------------------------------- */

bool value_op_params(const struct op *op, aclmdlRITaskParams *params)
{
	const struct value_op *v = container_of(op, struct value_op, op);

	if (op->type == &write_type) {
		params->valueWriteTaskParams.devAddr = v->addr;
		params->valueWriteTaskParams.value = v->value;
	} else if (op->type == &wait_type) {
		params->valueWaitTaskParams.devAddr = v->addr;
		params->valueWaitTaskParams.value = v->value;
		params->valueWaitTaskParams.flag = v->flag;
	}
	return op->type == &write_type || op->type == &wait_type;
}

struct op *value_op_new(const aclmdlRITaskParams *params)
{
	const aclmdlRIValueWaitTaskParams *wait = &params->valueWaitTaskParams;

	if (params->type == ACL_MODEL_RI_TASK_VALUE_WRITE)
		return value_op(&write_type, params->valueWriteTaskParams.devAddr,
			params->valueWriteTaskParams.value, 0);
	if (params->type == ACL_MODEL_RI_TASK_VALUE_WAIT)
		return value_op(&wait_type, wait->devAddr, wait->value, wait->flag);
	return NULL;
}
