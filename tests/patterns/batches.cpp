/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cache of blocks that moves many of them at once: pinned memory by the
 * configured allocation, batches both ways, prefetch of what comes next, and the
 * question where an address lies.
 */
#include <utility>
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t block = 4096;
const size_t blocks = 16;

struct cache {
	char *host, *device;
	std::vector<void *> hosts, devices;
	std::vector<size_t> sizes;
};

aclrtMemLocation location(aclrtMemLocationType type)
{
	aclrtMemLocation l = {};

	l.type = type;
	return l;
}

/* Every other block, as they come to lie in a cache. */
cache make()
{
	cache c = {};
	void *p = nullptr;

	TRY(aclrtMallocHostWithCfg(&p, block * blocks, nullptr));
	c.host = static_cast<char *>(p);
	TRY(aclrtMalloc(&p, 2 * block * blocks, ACL_MEM_MALLOC_HUGE_FIRST));
	c.device = static_cast<char *>(p);
	for (size_t i = 0; i < blocks; i++) {
		c.hosts.push_back(c.host + i * block);
		c.devices.push_back(c.device + 2 * i * block);
		c.sizes.push_back(block);
	}
	return c;
}

void move(cache &c, bool in, aclrtStream stream)
{
	aclrtMemLocation host = location(ACL_MEM_LOCATION_TYPE_HOST);
	aclrtMemLocation device = location(ACL_MEM_LOCATION_TYPE_DEVICE);
	aclrtMemcpyBatchAttr attr = {};
	size_t index = 0, failed = 0;

	attr.dstLoc = in ? device : host;
	attr.srcLoc = in ? host : device;
	if (in && broken("locations"))
		std::swap(attr.dstLoc, attr.srcLoc);
	aclError error = aclrtMemcpyBatchAsync(in ? c.devices.data() : c.hosts.data(), c.sizes.data(),
		in ? c.hosts.data() : c.devices.data(), c.sizes.data(), blocks, &attr, &index, 1, &failed,
		stream);
	expect(error == ACL_SUCCESS || broken("locations"), "the batch");
}

} /* namespace */

int main(int argc, char **argv)
{
	aclrtPtrAttributes where = {};
	aclrtStream stream = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	cache c = make();
	TRY(aclrtPointerGetAttributes(c.device + block, &where));
	expect(where.location.type == ACL_MEM_LOCATION_TYPE_DEVICE, "an inner address is on the device");
	fill(c.host, block * blocks, 3);
	move(c, true, stream);
	TRY(aclrtCmoAsync(c.device, block, ACL_RT_CMO_TYPE_PREFETCH, stream));
	TRY(aclrtSynchronizeStream(stream));
	std::memset(c.host, 0, block * blocks);
	move(c, false, stream);
	TRY(aclrtSynchronizeStream(stream));
	expect(holds(c.host, block * blocks, 3) || broken("locations"), "the blocks come back");
	TRY(aclrtFreeHost(c.host));
	TRY(aclrtFree(c.device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
