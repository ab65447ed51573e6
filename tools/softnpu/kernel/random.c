/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers written in stream order: uniform, normal, truncated normal, and a mask for dropout. */
#include <stdlib.h>
#include <string.h>

#include "tools/softnpu/core/answers.h"
#include "tools/softnpu/kernel/kernel.h"
#include "tools/softnpu/memory/copy.h"
#include "tools/softnpu/info/half.h"

union element {
	float f;
	int32_t i;
	uint32_t u;
	int64_t l;
	uint64_t ul;
	uint16_t h;
};

struct random_op {
	struct op op;
	aclrtRandomNumTaskInfo info;
};

/* Bytes of an element, 0 = no such type. */
static unsigned element_bytes(aclDataType type)
{
	switch (type) {
	case ACL_FLOAT16:
	case ACL_BF16:
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

/* Copies between a device address and the task. */
static aclError touch(void *address, void *own, size_t size, bool write)
{
	struct place p;

	npu_lock();
	p = place_of(address);
	npu_unlock();
	if (size > p.room)
		return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
	return write ? bytes_move(p.host, p.safe, own, true, size)
		     : bytes_move(own, true, p.host, p.safe, size);
}

/* A parameter stands in the structure or in device memory. */
static aclError parameter(const aclrtRandomParaInfo *p, void *to, size_t size)
{
	void *address;

	memcpy(&address, p->valueOrAddr, sizeof(address));
	if (p->isAddr)
		return touch(address, to, size, false);
	memcpy(to, p->valueOrAddr, p->size < size ? p->size : size);
	return ACL_SUCCESS;
}

static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static double unit(uint64_t *state)
{
	return (double)(next(state) >> 11) * 0x1p-53;
}

/* The sum of twelve uniform numbers is as good as normal, and needs no libm. */
static double normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += unit(state);
	return sum;
}

static double load(aclDataType type, union element v)
{
	switch (type) {
	case ACL_FLOAT:
		return v.f;
	case ACL_INT32:
		return v.i;
	case ACL_UINT32:
		return v.u;
	case ACL_INT64:
		return (double)v.l;
	case ACL_UINT64:
		return (double)v.ul;
	case ACL_FLOAT16:
		return half_to_float(v.h);
	default:
		return bf16_to_float(v.h);
	}
}

static void store(aclDataType type, double value, union element *to)
{
	switch (type) {
	case ACL_FLOAT:
		to->f = (float)value;
		return;
	case ACL_INT32:
		to->i = (int32_t)value;
		return;
	case ACL_UINT32:
		to->u = (uint32_t)value;
		return;
	case ACL_INT64:
		to->l = (int64_t)value;
		return;
	case ACL_UINT64:
		to->ul = (uint64_t)value;
		return;
	case ACL_FLOAT16:
		to->h = float_to_half((float)value);
		return;
	default:
		to->h = float_to_bf16((float)value);
	}
}

/* One element: first and second are min and max, or mean and deviation. */
static double draw(aclrtRandomNumFuncType type, double first, double second, uint64_t *state)
{
	double n;

	if (type == ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS)
		return first + (second - first) * unit(state);
	do
		n = normal(state);
	while (type == ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS && (n < -2 || n > 2));
	return first + second * n;
}

/* The distribution's one or two numbers, of the element's type. */
static void numbers_of(const aclrtRandomNumFuncParaInfo *f, const aclrtRandomParaInfo *p[2])
{
	p[0] = &f->paramInfo.uniformDisInfo.min;
	p[1] = &f->paramInfo.uniformDisInfo.max;
	if (f->funcType == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK) {
		p[0] = p[1] = &f->paramInfo.dropoutBitmaskInfo.dropoutRation;
	} else if (f->funcType != ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS) {
		p[0] = &f->paramInfo.normalDisInfo.mean;
		p[1] = &f->paramInfo.normalDisInfo.stddev;
	}
}

static aclError distribution(const aclrtRandomNumTaskInfo *info, double *first, double *second)
{
	const aclrtRandomParaInfo *p[2];
	union element v[2] = {{.ul = 0}, {.ul = 0}};
	unsigned size = element_bytes(info->dataType);
	aclError rc;

	numbers_of(&info->randomNumFuncParaInfo, p);
	rc = parameter(p[0], &v[0], size);
	if (!rc)
		rc = parameter(p[1], &v[1], size);
	*first = load(info->dataType, v[0]);
	*second = load(info->dataType, v[1]);
	return rc;
}

/* The counter in device memory goes on by the numbers drawn, so that the next task draws others. */
static aclError start(const aclrtRandomNumTaskInfo *info, uint64_t *state, uint64_t *n)
{
	uint64_t counter[2] = {0, 0};
	aclError rc = parameter(&info->randomSeed, state, sizeof(*state));

	if (!rc)
		rc = parameter(&info->randomNum, n, sizeof(*n));
	if (!rc)
		rc = touch(info->randomCounterAddr, counter, sizeof(counter), false);
	*state += counter[0] * 0x9e3779b97f4a7c15;
	counter[0] += *n;
	if (!rc)
		rc = touch(info->randomCounterAddr, counter, sizeof(counter), true);
	return rc;
}

/* A bit for each number: 1 = kept. */
static size_t draw_mask(double ratio, uint64_t n, uint64_t *state, unsigned char *to)
{
	size_t bytes = (n + 7) / 8;

	memset(to, 0, bytes);
	for (uint64_t i = 0; i < n; i++)
		to[i / 8] |= (unsigned char)((unit(state) >= ratio) << i % 8);
	return bytes;
}

static aclError random_run(struct op *op, struct lane *lane)
{
	const aclrtRandomNumTaskInfo *info = &container_of(op, struct random_op, op)->info;
	aclrtRandomNumFuncType type = info->randomNumFuncParaInfo.funcType;
	unsigned size = element_bytes(info->dataType);
	double first = 0, second = 0;
	uint64_t state = 0, n = 0;
	aclError rc = start(info, &state, &n);
	char *made;

	(void)lane;
	if (!rc)
		rc = distribution(info, &first, &second);
	if (rc || !n)
		return rc;
	made = n > SIZE_MAX / size ? NULL : malloc(n * size);
	if (!made)
		return ACL_ERROR_RT_MEMORY_ALLOCATION;
	if (type == ACL_RT_RANDOM_NUM_FUNC_TYPE_DROPOUT_BITMASK) {
		rc = touch(info->randomResultAddr, made, draw_mask(first, n, &state, (unsigned char *)made),
			true);
	} else {
		for (uint64_t i = 0; i < n; i++) {
			union element e;

			store(info->dataType, draw(type, first, second, &state), &e);
			memcpy(made + i * size, &e, size);
		}
		rc = touch(info->randomResultAddr, made, n * size, true);
	}
	free(made);
	return rc;
}

static const struct op_type random_type = {.name = "RANDOM_NUM", .run = random_run};

bool random_is(const struct op *op)
{
	return op->type == &random_type;
}

static bool possible(const aclrtRandomParaInfo *p, unsigned bytes)
{
	return p->isAddr <= 1 && p->size && p->size <= (p->isAddr ? sizeof(void *) : bytes);
}

/* What the task holds; looked at when the stream is known. */
static aclError check_info(const aclrtRandomNumTaskInfo *info)
{
	aclrtRandomNumFuncType type = info->randomNumFuncParaInfo.funcType;
	unsigned size = element_bytes(info->dataType);
	const aclrtRandomParaInfo *p[2];

	if ((unsigned)type > ACL_RT_RANDOM_NUM_FUNC_TYPE_TRUNCATED_NORMAL_DIS)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "unknown distribution");
	if (type != ACL_RT_RANDOM_NUM_FUNC_TYPE_UNIFORM_DIS && info->dataType != ACL_FLOAT &&
		info->dataType != ACL_FLOAT16 && info->dataType != ACL_BF16)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "no integers have distribution %d", type);
	if (!info->randomCounterAddr || !info->randomResultAddr)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the address of the counter or result is NULL");
	numbers_of(&info->randomNumFuncParaInfo, p);
	if (!possible(&info->randomSeed, 8) || !possible(&info->randomNum, 8) || !possible(p[0], size) ||
		!possible(p[1], size))
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "a parameter has no possible size");
	return ACL_SUCCESS;
}

static aclError random_submit(const aclrtRandomNumTaskInfo *info, aclrtStream stream)
{
	struct random_op *r;
	struct stream *s;
	aclError rc = stream_find(stream, STREAM_SUBMIT, &s);

	if (!rc)
		rc = check_info(info);
	if (rc)
		return rc;
	r = op_new(&random_type, sizeof(*r));
	if (r)
		r->info = *info;
	return stream_submit(s, r ? &r->op : NULL);
}

/* The number that the runtime's lower layer has for the type. */
static int lower_type(aclDataType type)
{
	static const aclDataType types[] = {
		ACL_INT32, ACL_INT64, ACL_UINT32, ACL_UINT64, ACL_BF16, ACL_FLOAT16, ACL_FLOAT};
	int i = 0;

	while (types[i] != type)
		i++;
	return i;
}

/*
 * As the real outer layer does it, the number of the lower layer is left in the program's structure, also
 * where the task is refused: with another type, or with none, a second call finds it there. A structure in
 * memory for reading only is the end of the program, there and here.
 */
static aclrtRandomNumTaskInfo take(const aclrtRandomNumTaskInfo *of_program)
{
	aclrtRandomNumTaskInfo info = *of_program;

	((aclrtRandomNumTaskInfo *)of_program)->dataType = (aclDataType)lower_type(info.dataType);
	return info;
}

aclError aclrtRandomNumAsync(const aclrtRandomNumTaskInfo *taskInfo, const aclrtStream stream, void *reserve)
{
	aclrtRandomNumTaskInfo info;
	aclError rc;

	if (!element_bytes(taskInfo->dataType))
		return npu_err(ACL_ERROR_INVALID_PARAM, "unknown data type %d", taskInfo->dataType);
	info = take(taskInfo);
	if (npu_soc("Ascend950") || npu_soc("Ascend310"))
		return npu_err(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, "%s draws no random numbers", CFG_STR(soc));
	rc = reserve ? npu_err(ACL_ERROR_RT_PARAM_INVALID, "reserve is not NULL") : ACL_SUCCESS;
	rc = npu_unless_gone(OBJ_STREAM, stream, rc);
	return rc ? rc : LOCKED(random_submit(&info, stream));
}
