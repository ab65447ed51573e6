/* SPDX-License-Identifier: Apache-2.0 */
/* Document "data transfer", host to host, synchronous: two pinned buffers and one aclrtMemcpy. */
#include "../programs/program.h"

using namespace program;

static void copy_on_stream(void *target, const void *source, size_t size)
{
	aclrtStream stream = nullptr;

	TRY(aclrtCreateStream(&stream));
	/* There is no asynchronous copy inside the host: refused at the call or at the synchronise. */
	TRY(aclrtMemcpyAsync(target, size, source, size, ACL_MEMCPY_HOST_TO_HOST, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtDestroyStream(stream));
}

int main(int argc, char **argv)
{
	const size_t size = 1024 * 1024;
	void *source = nullptr;
	void *target = nullptr;

	begin(argc, argv);
	if (!broken("no-init"))
		TRY(aclInit(nullptr));
	if (!broken("no-device"))
		TRY(aclrtSetDevice(0));

	if (TRY(aclrtMallocHost(&source, size))) {
		TRY(aclrtMallocHost(&target, size));
		fill(source, size, 1);
		std::memset(target, 0, size);

		if (broken("async"))
			copy_on_stream(target, source, size);
		else
			TRY(aclrtMemcpy(target, size, source, size, ACL_MEMCPY_HOST_TO_HOST));
		expect(holds(target, size, 1), "the copy");

		if (!broken("leak"))
			TRY(aclrtFreeHost(source));
		if (broken("device-free"))
			TRY(aclrtFree(target));
		else
			TRY(aclrtFreeHost(target));
		TRY(aclrtResetDevice(0));
	}
	if (!broken("no-init"))
		TRY(aclFinalize());
	return end();
}
