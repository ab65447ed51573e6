/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second program of `make demo`: a double-buffered pipeline.  One stream
 * uploads batches, in turn into two buffers, the other one works on them.  It
 * waits for each upload; but the upload that uses a buffer again does not wait
 * for the work on what was in it.
 */
#include <cstdint>
#include <cstdio>

#include "acl/acl.h"

static const size_t bytes = 1 << 16;
static const unsigned batches = 3;

struct buffer {
	void *batch, *result; /* on the device */
	aclrtEvent uploaded, used;
};

static void upload(const buffer &b, const void *host, aclrtStream stream)
{
	/* mistake: aclrtStreamWaitEvent(stream, b.used) is missing */
	aclrtMemcpyAsync(b.batch, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE, stream);
	aclrtRecordEvent(b.uploaded, stream);
}

static void work(const buffer &b, aclrtStream stream)
{
	aclrtStreamWaitEvent(stream, b.uploaded);
	aclrtMemcpyAsync(b.result, bytes, b.batch, bytes, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
	aclrtRecordEvent(b.used, stream);
}

static void make(buffer &b)
{
	aclrtMalloc(&b.batch, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMalloc(&b.result, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtCreateEvent(&b.uploaded);
	aclrtCreateEvent(&b.used);
}

static void release(buffer &b)
{
	aclrtDestroyEvent(b.uploaded);
	aclrtDestroyEvent(b.used);
	aclrtFree(b.batch);
	aclrtFree(b.result);
}

int main()
{
	aclrtStream copies = nullptr, compute = nullptr;
	buffer buffers[2] = {};
	void *host = nullptr;

	aclInit(nullptr);
	aclrtSetDevice(0);
	aclrtCreateStream(&copies);
	aclrtCreateStream(&compute);
	aclrtMallocHost(&host, batches * bytes);
	for (buffer &b : buffers)
		make(b);
	for (unsigned i = 0; i < batches; i++) {
		upload(buffers[i % 2], static_cast<char *>(host) + i * bytes, copies);
		work(buffers[i % 2], compute);
	}
	aclrtSynchronizeStream(compute);
	std::printf("%u batches\n", batches);
	std::fflush(stdout);
	for (buffer &b : buffers)
		release(b);
	aclrtFreeHost(host);
	aclrtDestroyStream(copies);
	aclrtDestroyStream(compute);
	aclrtResetDevice(0);
	aclFinalize();
	return 0;
}
