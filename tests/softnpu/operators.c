/* SPDX-License-Identifier: Apache-2.0 */
/* The operator library: numbers of each type, broadcasting, strides, capture. */
#include "common.h"

#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_mul.h"

static aclrtStream s;

static void setup(void)
{
	OK(aclrtSetDevice(0));
	s = stream_new();
}

static void *on_device(const void *data, size_t size)
{
	void *d = device_new(size);

	OK(aclrtMemcpy(d, size, data, size, ACL_MEMCPY_HOST_TO_DEVICE));
	return d;
}

static aclTensor *tensor(void *data, aclDataType type, uint64_t n, const int64_t *dims)
{
	aclTensor *t = aclCreateTensor(dims, n, type, NULL, 0, ACL_FORMAT_ND, dims, n, data);

	TRUE(t);
	return t;
}

#define DIMS(...)                                                                                            \
	COUNT(((int64_t[]){__VA_ARGS__})), (int64_t[])                                                       \
	{                                                                                                    \
		__VA_ARGS__                                                                                  \
	}

static void add(const aclTensor *x, const aclTensor *y, aclScalar *alpha, aclTensor *out)
{
	aclOpExecutor *e = NULL;
	uint64_t workspace = 1;

	OK(aclnnAddGetWorkspaceSize(x, y, alpha, out, &workspace, &e));
	OK(aclnnAdd(NULL, workspace, e, s));
	OK(aclrtSynchronizeStream(s));
}

static void broadcast(void)
{
	float x[6] = {1, 2, 3, 4, 5, 6}, y[3] = {10, 20, 30}, two = 2, out[6];
	void *d;

	setup();
	d = device_new(sizeof(out));
	add(tensor(on_device(x, sizeof(x)), ACL_FLOAT, DIMS(2, 3)),
		tensor(on_device(y, sizeof(y)), ACL_FLOAT, DIMS(3)), aclCreateScalar(&two, ACL_FLOAT),
		tensor(d, ACL_FLOAT, DIMS(2, 3)));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	for (unsigned i = 0; i < 6; i++)
		IS((long)out[i], (long)(x[i] + 2 * y[i % 3]));
}

static void integers_are_exact(void)
{
	int64_t big[2] = {(1ll << 62) + 1, -3}, one = 1, out[2];
	int32_t small[2] = {100000, -7}, product[2];
	aclOpExecutor *e = NULL;
	uint64_t workspace;
	void *d;

	setup();
	d = device_new(sizeof(out));
	add(tensor(on_device(big, sizeof(big)), ACL_INT64, DIMS(2)),
		tensor(on_device(big, sizeof(big)), ACL_INT64, DIMS(2)), aclCreateScalar(&one, ACL_INT64),
		tensor(d, ACL_INT64, DIMS(2)));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	TRUE(out[0] == (int64_t)(2ull * (uint64_t)big[0]));
	IS(out[1], -6);
	OK(aclnnMulGetWorkspaceSize(tensor(on_device(small, sizeof(small)), ACL_INT32, DIMS(2)),
		tensor(on_device(small, sizeof(small)), ACL_INT32, DIMS(2)), tensor(d, ACL_INT32, DIMS(2)),
		&workspace, &e));
	OK(aclnnMul(NULL, 0, e, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(product, sizeof(product), d, sizeof(product), ACL_MEMCPY_DEVICE_TO_HOST));
	IS(product[0], (int32_t)(100000ll * 100000ll));
	IS(product[1], 49);
}

/* 1.5 = 0x3e00, 2.25 = 0x4080, 65504 = 0x7bff the largest, 2^-24 = 0x0001 the smallest. */
static void halves(void)
{
	uint16_t x[4] = {0x3e00, 0x7bff, 0x0001, 0xbe00}, y[4] = {0x4080, 0x7bff, 0x0001, 0x3e00}, out[4];
	float one = 1;
	void *d;

	setup();
	d = device_new(sizeof(out));
	add(tensor(on_device(x, sizeof(x)), ACL_FLOAT16, DIMS(4)),
		tensor(on_device(y, sizeof(y)), ACL_FLOAT16, DIMS(4)), aclCreateScalar(&one, ACL_FLOAT),
		tensor(d, ACL_FLOAT16, DIMS(4)));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	IS(out[0], 0x4380); /* 3.75 */
	IS(out[1], 0x7c00); /* infinity */
	IS(out[2], 0x0002);
	IS(out[3], 0x0000);
}

/* x is 2x3; its transpose (3x2 by strides) times a vector and times x. */
static void matmul(void)
{
	float x[6] = {1, 2, 3, 4, 5, 6}, v[2] = {1, 10}, out[9];
	static const float square[9] = {17, 22, 27, 22, 29, 36, 27, 36, 45};
	int64_t dims[2] = {3, 2}, strides[2] = {1, 3};
	aclTensor *transposed, *plain;
	aclOpExecutor *e = NULL;
	uint64_t workspace;
	void *dx, *d;

	setup();
	d = device_new(sizeof(out));
	dx = on_device(x, sizeof(x));
	plain = tensor(dx, ACL_FLOAT, DIMS(2, 3));
	transposed = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, dx);
	OK(aclnnMatmulGetWorkspaceSize(
		transposed, plain, tensor(d, ACL_FLOAT, DIMS(3, 3)), 0, &workspace, &e));
	OK(aclnnMatmul(NULL, workspace, e, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	IS(memcmp(out, square, sizeof(square)), 0);
	OK(aclnnMatmulGetWorkspaceSize(transposed, tensor(on_device(v, sizeof(v)), ACL_FLOAT, DIMS(2)),
		tensor(d, ACL_FLOAT, DIMS(3)), 0, &workspace, &e));
	OK(aclnnMatmul(NULL, workspace, e, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	IS((long)out[0], 41);
	IS((long)out[2], 63);
	IS(aclnnMatmulGetWorkspaceSize(plain, plain, tensor(d, ACL_FLOAT, DIMS(2, 2)), 0, &workspace, &e),
		161002);
}

static void captured(void)
{
	float x[2] = {1, 2}, one = 1, out[2];
	aclOpExecutor *e = NULL;
	uint64_t workspace;
	void *d;
	aclTensor *t;
	aclmdlRI m;

	setup();
	d = on_device(x, sizeof(x));
	t = tensor(d, ACL_FLOAT, DIMS(2));
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclnnInplaceAddGetWorkspaceSize(t, t, aclCreateScalar(&one, ACL_FLOAT), &workspace, &e));
	OK(aclnnInplaceAdd(NULL, workspace, e, s));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclDestroyTensor(t));
	for (int i = 0; i < 3; i++)
		OK(aclmdlRIExecuteAsync(m, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	IS((long)out[0], 8);
	IS((long)out[1], 16);
}

static void arguments(void)
{
	int64_t values[3] = {1, 2, 3};
	uint64_t size = 0;
	aclIntArray *array;
	aclOpExecutor *e;

	setup();
	IS(aclnnAddGetWorkspaceSize(NULL, NULL, NULL, NULL, &size, &e), 161001);
	IS(aclnnAdd(NULL, 0, NULL, s), 161001);
	array = aclCreateIntArray(values, 3);
	OK(aclGetIntArraySize(array, &size));
	IS(size, 3);
	OK(aclDestroyIntArray(array));
}

/* As the published operator base has it: destroying nothing is right, only an executor has to be one. */
static void nothing_destroyed(void)
{
	OK(aclDestroyTensor(NULL));
	OK(aclDestroyScalar(NULL));
	OK(aclDestroyIntArray(NULL));
	OK(aclDestroyFloatArray(NULL));
	OK(aclDestroyBoolArray(NULL));
	OK(aclDestroyTensorList(NULL));
	OK(aclDestroyScalarList(NULL));
	IS(aclDestroyAclOpExecutor(NULL), 561103);
	IS(aclSetAclOpExecutorRepeatable(NULL), 561103);
}

/* A tensor gets its new data even without an executor, and whatever place is named. */
static void other_data(void)
{
	float x[2] = {1, 2}, y[2] = {10, 20}, one = 1, out[2];
	aclOpExecutor *e = NULL;
	uint64_t workspace;
	aclTensor *t, *to;
	void *d;

	setup();
	d = device_new(sizeof(out));
	t = tensor(on_device(x, sizeof(x)), ACL_FLOAT, DIMS(2));
	to = tensor(device_new(sizeof(out)), ACL_FLOAT, DIMS(2));
	IS(aclSetTensorAddr(NULL, 0, NULL, d), 561103);
	IS(aclSetInputTensorAddr(NULL, 0, t, on_device(y, sizeof(y))), 561103);
	OK(aclnnAddsGetWorkspaceSize(
		t, aclCreateScalar(&one, ACL_FLOAT), aclCreateScalar(&one, ACL_FLOAT), to, &workspace, &e));
	IS(aclSetOutputTensorAddr(e, 0, NULL, d), 561103);
	OK(aclSetOutputTensorAddr(e, 77, to, d));
	OK(aclSetTensorAddr(e, 0, tensor(d, ACL_FLOAT, DIMS(2)), NULL));
	OK(aclnnAdds(NULL, workspace, e, s));
	OK(aclrtSynchronizeStream(s));
	OK(aclrtMemcpy(out, sizeof(out), d, sizeof(out), ACL_MEMCPY_DEVICE_TO_HOST));
	IS((long)out[0], 11);
	IS((long)out[1], 21);
}

static const struct tap_case cases[] = {
	C(broadcast),
	C(integers_are_exact),
	C(halves),
	C(matmul),
	C(captured),
	C(arguments),
	C(nothing_destroyed),
	C(other_data),
};

int main(void)
{
	static const char *const strict[] = {"SOFTNPU_STRICT=1", NULL};

	tap_run(cases, COUNT(cases), "", NULL);
	tap_run(cases, COUNT(cases), "strict: ", strict);
	return tap_done();
}
