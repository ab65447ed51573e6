/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that looks for the functions of stream configurations itself and
 * does without them where they are missing: then it creates its stream plainly.
 */
#include <dlfcn.h>

#include "../programs/program.h"

using namespace program;

namespace
{

template <typename F> F *found(const char *name)
{
	return reinterpret_cast<F *>(dlsym(RTLD_DEFAULT, name));
}
#define FOUND(name) decltype(::name) *name = found<decltype(::name)>(#name)

aclrtStream configured()
{
	FOUND(aclrtCreateStreamConfigHandle);
	FOUND(aclrtDestroyStreamConfigHandle);
	FOUND(aclrtSetStreamConfigOpt);
	FOUND(aclrtCreateStreamV2);
	aclrtStream stream = nullptr;
	uint32_t priority = 1;
	size_t flag = ACL_STREAM_FAST_LAUNCH;

	if (!aclrtCreateStreamConfigHandle || !aclrtDestroyStreamConfigHandle || !aclrtSetStreamConfigOpt ||
		!aclrtCreateStreamV2) {
		TRY(aclrtCreateStream(&stream));
		return stream;
	}
	aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
	expect(config != nullptr, "a configuration");
	TRY(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof(flag)));
	TRY(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof(priority)));
	TRY(aclrtCreateStreamV2(&stream, config));
	TRY(aclrtDestroyStreamConfigHandle(config));
	uint32_t got = 0;
	TRY(aclrtStreamGetPriority(stream, &got));
	expect(got == priority, "the priority of the configuration");
	return stream;
}

} /* namespace */

int main(int argc, char **argv)
{
	const size_t size = 4096;
	uint8_t host[size] = {};
	void *device = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	aclrtStream stream = configured();
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, 0x21, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(host[0] == 0x21 && host[size - 1] == 0x21, "the work");
	TRY(aclrtFree(device));
	if (broken("twice"))
		TRY(aclrtDestroyStream(stream));
	if (aclrtDestroyStream(stream) != ACL_SUCCESS)
		expect(broken("twice"), "the stream is destroyed once");
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
