/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An inference loop on two devices, as an application would write it: one
 * thread a device, out = input * weights + bias by operators, three streams
 * (upload, compute, download) tied together by events, and two slots of pinned
 * buffers so that one batch is copied while the other is computed.
 */
#include <thread>
#include <vector>

#include "../programs/program.h"
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_matmul.h"

using namespace program;

namespace
{

const int64_t rows = 8;
const int64_t columns = 16;
const int batches = 24;
const int slots = 2;

/* A matrix on the device with the operators' description of it. */
struct matrix {
	void *memory = nullptr;
	aclTensor *tensor = nullptr;

	static size_t bytes(int64_t height, int64_t width)
	{
		return sizeof(float) * height * width;
	}

	void create(int64_t height, int64_t width)
	{
		const int64_t dims[2] = {height, width};
		const int64_t strides[2] = {width, 1};

		TRY(aclrtMalloc(&memory, bytes(height, width), ACL_MEM_MALLOC_HUGE_FIRST));
		tensor = aclCreateTensor(dims, 2, ACL_FLOAT, strides, 0, ACL_FORMAT_ND, dims, 2, memory);
	}

	void destroy()
	{
		aclDestroyTensor(tensor);
		TRY(aclrtFree(memory));
	}
};

/* An operator's temporary memory: grows when one needs more. */
struct workspace {
	void *memory = nullptr;
	uint64_t size = 0;

	void *at_least(uint64_t wanted, aclrtStream used_on)
	{
		if (wanted <= size)
			return memory;
		TRY(aclrtSynchronizeStream(used_on));
		destroy();
		TRY(aclrtMalloc(&memory, wanted, ACL_MEM_MALLOC_HUGE_FIRST));
		size = wanted;
		return memory;
	}

	void destroy()
	{
		if (memory)
			TRY(aclrtFree(memory));
		memory = nullptr;
		size = 0;
	}
};

struct slot {
	matrix in, product, out;
	float *in_host = nullptr, *out_host = nullptr; /* pinned */
	aclrtEvent uploaded = nullptr, computed = nullptr, downloaded = nullptr;
	int batch = -1; /* under way, -1 = none */
};

class engine
{
      public:
	explicit engine(int device) : device_(device)
	{
	}

	void run()
	{
		start();
		for (int batch = 0; batch < batches; batch++) {
			slot &s = slots_[batch % slots];

			finish(s);
			submit(s, batch);
		}
		for (slot &s : slots_)
			finish(s);
		stop();
	}

	int wrong = 0;

      private:
	float input(int batch, int64_t i) const
	{
		return static_cast<float>((batch * 7 + device_ * 3 + i) % 11);
	}
	static float weight(int64_t row, int64_t column)
	{
		return row == column ? 2.0f : row == 0 ? 1.0f : 0.0f;
	}

	void start()
	{
		std::vector<float> weights(columns * columns);
		std::vector<float> ones(rows * columns, 0.5f);
		const size_t bytes = matrix::bytes(rows, columns);
		const size_t weight_bytes = matrix::bytes(columns, columns);
		float one = 1.0f;

		TRY(aclrtSetDevice(device_));
		TRY(aclrtCreateStream(&upload_));
		TRY(aclrtCreateStreamWithConfig(&compute_, 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
		TRY(aclrtCreateStream(&download_));
		for (int64_t row = 0; row < columns; row++)
			for (int64_t column = 0; column < columns; column++)
				weights[row * columns + column] = weight(row, column);
		weights_.create(columns, columns);
		bias_.create(rows, columns);
		TRY(aclrtMemcpy(weights_.memory, weight_bytes, weights.data(), weight_bytes,
			ACL_MEMCPY_HOST_TO_DEVICE));
		TRY(aclrtMemcpy(bias_.memory, bytes, ones.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE));
		alpha_ = aclCreateScalar(&one, ACL_FLOAT);
		for (slot &s : slots_) {
			s.in.create(rows, columns);
			s.product.create(rows, columns);
			s.out.create(rows, columns);
			TRY(aclrtMallocHost(reinterpret_cast<void **>(&s.in_host), bytes));
			TRY(aclrtMallocHost(reinterpret_cast<void **>(&s.out_host), bytes));
			for (aclrtEvent *event : {&s.uploaded, &s.computed, &s.downloaded})
				TRY(aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC));
		}
	}

	void submit(slot &s, int batch)
	{
		const size_t bytes = matrix::bytes(rows, columns);

		for (int64_t i = 0; i < rows * columns; i++)
			s.in_host[i] = input(batch, i);
		TRY(aclrtMemcpyAsync(
			s.in.memory, bytes, s.in_host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, upload_));
		TRY(aclrtRecordEvent(s.uploaded, upload_));
		TRY(aclrtStreamWaitEvent(compute_, s.uploaded));
		multiply(s);
		add(s);
		TRY(aclrtRecordEvent(s.computed, compute_));
		TRY(aclrtStreamWaitEvent(download_, s.computed));
		TRY(aclrtMemcpyAsync(
			s.out_host, bytes, s.out.memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST, download_));
		TRY(aclrtRecordEvent(s.downloaded, download_));
		s.batch = batch;
	}

	void multiply(const slot &s)
	{
		aclOpExecutor *executor = nullptr;
		uint64_t size = 0;

		TRY(aclnnMatmulGetWorkspaceSize(
			s.in.tensor, weights_.tensor, s.product.tensor, 0, &size, &executor));
		TRY(aclnnMatmul(workspace_.at_least(size, compute_), size, executor, compute_));
	}

	void add(const slot &s)
	{
		aclOpExecutor *executor = nullptr;
		uint64_t size = 0;

		TRY(aclnnAddGetWorkspaceSize(
			s.product.tensor, bias_.tensor, alpha_, s.out.tensor, &size, &executor));
		TRY(aclnnAdd(workspace_.at_least(size, compute_), size, executor, compute_));
	}

	/* Waits for the slot's batch, if there is one, and compares every element. */
	void finish(slot &s)
	{
		if (s.batch < 0)
			return;
		TRY(aclrtSynchronizeEvent(s.downloaded));
		for (int64_t row = 0; row < rows; row++) {
			float first = input(s.batch, row * columns);

			for (int64_t column = 0; column < columns; column++) {
				float own = input(s.batch, row * columns + column);
				float wanted = (column == 0 ? 2.0f * own : 2.0f * own + first) + 0.5f;

				wrong += s.out_host[row * columns + column] != wanted;
			}
		}
		s.batch = -1;
	}

	void stop()
	{
		for (slot &s : slots_) {
			for (aclrtEvent event : {s.uploaded, s.computed, s.downloaded})
				TRY(aclrtDestroyEvent(event));
			TRY(aclrtFreeHost(s.in_host));
			TRY(aclrtFreeHost(s.out_host));
			s.in.destroy();
			s.product.destroy();
			s.out.destroy();
		}
		aclDestroyScalar(alpha_);
		weights_.destroy();
		bias_.destroy();
		workspace_.destroy();
		for (aclrtStream stream : {upload_, compute_, download_})
			TRY(aclrtDestroyStream(stream));
		TRY(aclrtResetDevice(device_));
	}

	int device_;
	aclrtStream upload_ = nullptr, compute_ = nullptr, download_ = nullptr;
	matrix weights_, bias_;
	aclScalar *alpha_ = nullptr;
	workspace workspace_;
	slot slots_[slots];
};

} /* namespace */

int main(int argc, char **argv)
{
	engine first(0);
	engine second(1);

	begin(argc, argv);
	TRY(aclInit(nullptr));
	std::thread other([&] { second.run(); });
	first.run();
	other.join();
	TRY(aclFinalize());
	expect(first.wrong == 0 && second.wrong == 0, "the elements of all batches");
	std::printf("%d batches on each of two devices\n", batches);
	return end();
}
