/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transfer that no call waits for but those that release: the source goes while the copy of it may
 * still run, the middle while it is read, each by a function that waits for the device first.  What
 * the direction is, the addresses say.
 */
#include "../programs/program.h"

using namespace program;

namespace
{

const size_t size = 4096;

bool on_device(const void *address)
{
	aclrtPtrAttributes what = {};

	TRY(aclrtPointerGetAttributes(address, &what));
	return what.location.type == ACL_MEM_LOCATION_TYPE_DEVICE;
}

void copy(void *dst, const void *src, aclrtStream stream)
{
	aclrtMemcpyKind kind = !on_device(src)  ? ACL_MEMCPY_HOST_TO_DEVICE
			       : on_device(dst) ? ACL_MEMCPY_DEVICE_TO_DEVICE
						: ACL_MEMCPY_DEVICE_TO_HOST;

	TRY(aclrtMemcpyAsync(dst, size, src, size, kind, stream));
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtMallocAttribute module = {};
	aclrtMallocConfig config = {&module, 1};
	void *in = nullptr, *out = nullptr, *staging = nullptr, *cached = nullptr;
	aclrtStream stream = nullptr;
	uint32_t matched = 0;

	begin(argc, argv);
	module.attr = ACL_RT_MEM_ATTR_MODULE_ID;
	module.value.moduleId = 33;
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtMallocHostWithCfg(&in, size, &config));
	TRY(aclrtMallocHostWithCfg(&out, size, &config));
	TRY(aclrtMallocWithCfg(&staging, size, ACL_MEM_MALLOC_NORMAL_ONLY, &config));
	TRY(aclrtMallocCached(&cached, size, ACL_MEM_MALLOC_NORMAL_ONLY));
	TRY(aclrtCreateStream(&stream));
	fill(in, size, 1);
	void *both[] = {staging, cached};
	TRY(aclrtCheckMemType(both, 2, ACL_RT_MEM_TYPE_DEV, &matched, 0));
	expect(matched, "both are of the device");

	copy(staging, in, stream);
	if (broken("plain_free"))
		TRY(aclrtFreeHost(in));
	else
		TRY(aclrtFreeHostWithDevSync(in));
	copy(cached, staging, stream);
	copy(out, cached, stream);
	TRY(aclrtFreeWithDevSync(cached));
	if (!broken("plain_free"))
		expect(holds(out, size, 1), "what was copied");

	TRY(aclrtDestroyStreamForce(stream));
	TRY(aclrtFreeWithDevSync(staging));
	TRY(aclrtFreeHostWithDevSync(out));
	TRY(aclrtResetDeviceForce(0));
	TRY(aclFinalize());
	return end();
}
