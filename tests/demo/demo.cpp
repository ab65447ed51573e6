/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `make demo` shows: a program like those of AscendCL's documents, which
 * adds two tensors in a captured model.  Like many programs it does not look at
 * return codes, prints the right sums, and makes seven mistakes on the way.
 */
#include <cstdint>
#include <cstdio>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

static const int64_t elements = 8;
static const size_t bytes = elements * sizeof(float);

struct job {
	float *a_host, *b_host; /* pinned */
	void *a, *b, *sum; /* on the device */
	aclrtStream stream;
};

static aclTensor *describe(void *memory)
{
	const int64_t shape[1] = {elements};
	const int64_t stride[1] = {1};

	return aclCreateTensor(shape, 1, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, shape, 1, memory);
}

static void initialise(job &j)
{
	aclInit(nullptr);
	aclInit(nullptr); /* mistake 1: once a process */
	aclrtSetDevice(0);
	aclrtMallocHost(reinterpret_cast<void **>(&j.a_host), 4096);
	aclrtMallocHost(reinterpret_cast<void **>(&j.b_host), 4096);
	aclrtMalloc(&j.a, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc(&j.b, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc(&j.sum, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtCreateStream(&j.stream);
}

static void upload(job &j)
{
	float *inputs = j.b_host + 1;

	for (int64_t i = 0; i < elements; i++) {
		j.a_host[i] = static_cast<float>(i);
		inputs[i] = 10;
	}
	/* mistake 2: an asynchronous copy from an address that is not a multiple of 64 */
	aclrtMemcpyAsync(j.b, bytes, inputs, bytes, ACL_MEMCPY_HOST_TO_DEVICE, j.stream);
	aclrtSynchronizeStream(j.stream);
	/* mistake 3: there is no asynchronous copy inside the host */
	aclrtMemcpyAsync(j.a_host + 512, bytes, j.a_host, bytes, ACL_MEMCPY_HOST_TO_HOST, j.stream);
	aclrtSynchronizeStream(j.stream);
}

static aclmdlRI capture(job &j, aclOpExecutor *executor, void *workspace, uint64_t workspace_size)
{
	aclmdlRI model = nullptr;

	aclmdlRICaptureBegin(j.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
	aclrtMemcpyAsync(j.a, bytes, j.a_host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, j.stream);
	/* mistake 4: nothing runs while a stream is captured, so there is nothing to wait for */
	aclrtSynchronizeStream(j.stream);
	aclnnAdd(workspace, workspace_size, executor, j.stream);
	aclrtMemcpyAsync(j.a_host, bytes, j.sum, bytes, ACL_MEMCPY_DEVICE_TO_HOST, j.stream);
	aclmdlRICaptureEnd(j.stream, &model);
	return model;
}

static void run(job &j, aclmdlRI model)
{
	for (int times = 0; times < 3; times++) {
		aclmdlRIExecuteAsync(model, j.stream);
		aclrtSynchronizeStream(j.stream);
	}
	std::printf("sums:");
	for (int64_t i = 0; i < elements; i++)
		std::printf(" %g", static_cast<double>(j.a_host[i]));
	std::printf("\n");
	std::fflush(stdout);
}

static void release(job &j, aclmdlRI model)
{
	aclrtFree(j.sum); /* mistake 5: the model still writes to it when executed */
	aclmdlRIDestroy(model);
	aclrtFree(j.a);
	aclrtFree(j.b);
	aclrtFreeHost(j.a_host); /* mistake 6: b_host is forgotten */
	aclrtResetDevice(0); /* mistake 7: the stream was not destroyed */
	aclFinalize();
}

int main()
{
	job j = {};
	aclOpExecutor *executor = nullptr;
	uint64_t workspace_size = 0;
	void *workspace = nullptr;
	float one = 1;

	initialise(j);
	upload(j);
	aclTensor *a = describe(j.a), *b = describe(j.b), *sum = describe(j.sum);
	aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
	aclnnAddGetWorkspaceSize(a, b, alpha, sum, &workspace_size, &executor);
	if (workspace_size)
		aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST);
	aclmdlRI model = capture(j, executor, workspace, workspace_size);
	run(j, model);
	aclDestroyTensor(a);
	aclDestroyTensor(b);
	aclDestroyTensor(sum);
	aclDestroyScalar(alpha);
	if (workspace)
		aclrtFree(workspace);
	release(j, model);
	return 0;
}
