/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Document "capture": copies and an addition on one stream are captured into a
 * model, which is then executed eight times.  One input is copied while
 * capturing, at once, with the thread's mode exchanged to RELAXED.  As there,
 * the two pinned buffers are never freed.
 */
#include <cstdlib>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../programs/program.h"
#include "aclnnop/aclnn_add.h"

using namespace program;

static const std::vector<int64_t> shape = {4, 2};
static const size_t elements = 8;
static const size_t bytes = elements * sizeof(float);

static aclTensor *create_tensor(void **device)
{
	std::vector<int64_t> strides(shape.size(), 1);

	TRY(aclrtMalloc(device, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	for (size_t i = shape.size() - 1; i-- > 0;)
		strides[i] = shape[i + 1] * strides[i + 1];
	return aclCreateTensor(shape.data(), shape.size(), ACL_FLOAT, strides.data(), 0, ACL_FORMAT_ND,
		shape.data(), shape.size(), *device);
}

struct buffers {
	void *self, *other, *out; /* on the device */
	float *self_host, *other_host; /* pinned */
	aclrtStream stream;
	aclrtEvent event;
	aclrtNotify notify;
	aclrtBinHandle binary;
};

/* What must not be done between Begin and End, one mistake a run. */
static void forbidden_while_capturing(buffers &b)
{
	aclrtEventRecordedStatus recorded;
	aclrtStreamStatus status;
	aclrtDeviceStatus device_status;
	aclrtStream default_stream = nullptr;
	aclrtContext context = nullptr;
	aclmdlRI model = nullptr;
	std::vector<float> pageable(elements);
	void *unrelated = nullptr;

	if (broken("sync-stream"))
		TRY(aclrtSynchronizeStream(b.stream));
	if (broken("query-stream"))
		TRY(aclrtStreamQuery(b.stream, &status));
	if (broken("sync-device"))
		TRY(aclrtSynchronizeDevice());
	if (broken("query-device"))
		TRY(aclrtQueryDeviceStatus(0, &device_status));
	if (broken("sync-event") || broken("query-event") || broken("old-event")) {
		if (broken("old-event"))
			TRY(aclrtCreateEvent(&b.event));
		else
			TRY(aclrtCreateEventExWithFlag(&b.event, ACL_EVENT_SYNC));
		TRY(aclrtRecordEvent(b.event, b.stream));
		if (broken("sync-event"))
			TRY(aclrtSynchronizeEvent(b.event));
		if (broken("query-event"))
			TRY(aclrtQueryEventStatus(b.event, &recorded));
	}
	if (broken("unrecorded-event")) {
		TRY(aclrtCreateEventExWithFlag(&b.event, ACL_EVENT_SYNC));
		TRY(aclrtStreamWaitEvent(b.stream, b.event));
	}
	if (broken("event-on-default-stream")) {
		TRY(aclrtCreateEventExWithFlag(&b.event, ACL_EVENT_SYNC));
		TRY(aclrtRecordEvent(b.event, b.stream));
		TRY(aclrtStreamWaitEvent(nullptr, b.event));
	}

	if (broken("notify-destroyed-first")) {
		TRY(aclrtCreateNotify(&b.notify, 0));
		TRY(aclrtRecordNotify(b.notify, b.stream));
	}

	if (broken("binary-unloaded-first")) {
		const char kernels[] = "stands for a binary of operators";
		aclrtFuncHandle function = nullptr;

		TRY(aclrtBinaryLoadFromData(kernels, sizeof(kernels), nullptr, &b.binary));
		TRY(aclrtBinaryGetFunction(b.binary, "scale", &function));
		TRY(aclrtLaunchKernelV2(function, 1, b.other, bytes, nullptr, b.stream));
	}

	if (broken("set"))
		TRY(aclrtMemset(b.out, bytes, 0, bytes));
	TRY(aclrtGetCurrentContext(&context));
	if (broken("other-thread"))
		std::thread([&] {
			TRY(aclrtSetCurrentContext(context));
			TRY(aclrtMemset(b.out, bytes, 0, bytes));
		}).join();
	if (broken("unchecked-set"))
		TRY(aclrtMemsetD32(b.out, bytes, 0, elements));
	if (broken("pageable"))
		TRY(aclrtMemcpyAsync(
			b.self, bytes, pageable.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE, b.stream));
	if (broken("host-to-host"))
		TRY(aclrtMemcpyAsync(
			b.self_host, bytes, b.other_host, bytes, ACL_MEMCPY_HOST_TO_HOST, b.stream));
	if (broken("default-stream"))
		TRY(aclrtMemsetAsync(b.out, bytes, 0, bytes, nullptr));
	if (broken("begin-default-stream")) {
		TRY(aclrtCtxGetCurrentDefaultStream(&default_stream));
		TRY(aclmdlRICaptureBegin(default_stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	}
	if (broken("end-null-stream"))
		TRY(aclmdlRICaptureEnd(nullptr, &model));
	if (broken("overflow"))
		TRY(aclrtSetStreamOverflowSwitch(b.stream, 1));
	if (broken("config"))
		TRY(aclrtSetDeviceSatMode(ACL_RT_OVERFLOW_MODE_SATURATION));
	if (broken("free-with-sync")) {
		TRY(aclrtMalloc(&unrelated, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
		/* Refused: the plain function is what frees it in the end. */
		if (!TRY(aclrtFreeWithDevSync(unrelated)))
			TRY(aclrtFree(unrelated));
	}
}

static aclmdlRI capture(buffers &b, void *workspace, uint64_t workspace_size, aclOpExecutor *executor)
{
	aclmdlRI model = nullptr;

	if (broken("begin-null-stream"))
		TRY(aclmdlRICaptureBegin(nullptr, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	TRY(aclmdlRICaptureBegin(b.stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	if (broken("reset-while-capturing"))
		return nullptr;
	TRY(aclrtMemcpyAsync(b.self, bytes, b.self_host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, b.stream));

	aclmdlRICaptureMode mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
	if (!broken("no-exchange"))
		TRY(aclmdlRICaptureThreadExchangeMode(&mode));
	TRY(aclrtMemcpy(b.other, bytes, b.other_host, bytes, ACL_MEMCPY_HOST_TO_DEVICE));
	if (!broken("no-exchange"))
		TRY(aclmdlRICaptureThreadExchangeMode(&mode));

	TRY(aclnnAdd(workspace, workspace_size, executor, b.stream));
	forbidden_while_capturing(b);
	TRY(aclrtMemcpyAsync(b.self_host, bytes, b.out, bytes, ACL_MEMCPY_DEVICE_TO_HOST, b.stream));
	TRY(aclmdlRICaptureEnd(b.stream, &model));
	return model;
}

/* Each execution adds the other input, times alpha, to what the one before left in self. */
static void execute(aclmdlRI model, const buffers &b)
{
	for (int run = 1; run <= 8; run++) {
		TRY(aclmdlRIExecuteAsync(model, b.stream));
		TRY(aclrtSynchronizeStream(b.stream));
		std::printf("%d:", run);
		for (size_t i = 0; i < elements; i++) {
			float wanted = 1.1f * static_cast<float>(run);

			std::printf(" %f", static_cast<double>(b.self_host[i]));
			expect(b.self_host[i] > wanted - 0.001f && b.self_host[i] < wanted + 0.001f,
				"the sum");
		}
		std::printf("\n");
	}
}

static void describe(aclmdlRI model)
{
	char path[64];

	std::snprintf(path, sizeof(path), "/tmp/aclcheck-model-%ld.json", static_cast<long>(getpid()));
	TRY(aclmdlRIDebugJsonPrint(model, path, 0));
	std::remove(path);
}

int main(int argc, char **argv)
{
	buffers b = {};
	uint64_t workspace_size = 0;
	void *workspace = nullptr;
	aclOpExecutor *executor = nullptr;
	float factor = 1.1f;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	aclTensor *self = create_tensor(&b.self);
	aclTensor *other = create_tensor(&b.other);
	aclTensor *out = create_tensor(&b.out);
	aclScalar *alpha = aclCreateScalar(&factor, ACL_FLOAT);
	TRY(aclnnAddGetWorkspaceSize(self, other, alpha, out, &workspace_size, &executor));
	if (workspace_size > 0)
		TRY(aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_HUGE_FIRST));

	TRY(aclrtMallocHost(reinterpret_cast<void **>(&b.self_host), bytes));
	TRY(aclrtMallocHost(reinterpret_cast<void **>(&b.other_host), bytes));
	for (size_t i = 0; i < elements; i++) {
		b.self_host[i] = 0;
		b.other_host[i] = 1;
	}
	TRY(aclrtCreateStream(&b.stream));
	aclmdlRI model = capture(b, workspace, workspace_size, executor);
	if (model && !*mistake) {
		describe(model);
		execute(model, b);
	}

	if (broken("buffer-freed-first")) {
		TRY(aclrtFree(b.self));
		b.self = nullptr;
	}
	if (b.notify)
		TRY(aclrtDestroyNotify(b.notify));
	if (b.binary)
		TRY(aclrtBinaryUnLoad(b.binary));
	if (broken("host-buffer-freed-first"))
		TRY(aclrtFreeHost(b.self_host));
	if (model)
		TRY(aclmdlRIDestroy(model));
	if (b.event)
		TRY(aclrtDestroyEvent(b.event));
	if (!broken("reset-while-capturing"))
		TRY(aclrtDestroyStream(b.stream));
	aclDestroyTensor(self);
	aclDestroyTensor(other);
	aclDestroyTensor(out);
	aclDestroyScalar(alpha);
	if (b.self)
		TRY(aclrtFree(b.self));
	TRY(aclrtFree(b.other));
	TRY(aclrtFree(b.out));
	if (workspace)
		TRY(aclrtFree(workspace));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
