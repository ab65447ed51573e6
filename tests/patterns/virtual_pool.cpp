/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pool that grows in place: one big reservation of addresses, physical memory
 * mapped at its end piece by piece, tensors across the seams, and both orders of
 * giving back.
 */
#include <vector>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t piece = 2 * 1024 * 1024;
const size_t reserved = 1024 * piece;
const int pieces = 3;

aclrtDrvMemHandle map_piece(char *at)
{
	aclrtPhysicalMemProp prop = {};
	aclrtDrvMemHandle handle = nullptr;

	prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
	prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
	prop.memAttr = ACL_HBM_MEM_HUGE;
	prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
	prop.location.id = 0;
	TRY(aclrtMallocPhysical(&handle, piece, &prop, 0));
	TRY(aclrtMapMem(at, piece, 0, handle, 0));
	return handle;
}

} /* namespace */

int main(int argc, char **argv)
{
	std::vector<uint8_t> back(piece);
	aclrtDrvMemHandle handles[pieces];
	aclrtStream stream = nullptr;
	void *base = nullptr;
	void *host = nullptr;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMallocHost(&host, piece));
	TRY(aclrtReserveMemAddress(&base, reserved, 0, nullptr, 1));
	char *pool = static_cast<char *>(base);
	for (int i = 0; i < pieces; i++)
		handles[i] = map_piece(pool + i * piece);

	/* A tensor that lies across two pieces, and one inside the third. */
	char *tensor = pool + piece / 2;
	char *other = pool + 2 * piece + 4096;
	fill(host, piece, 9);
	TRY(aclrtMemcpyAsync(tensor, piece, host, piece, ACL_MEMCPY_HOST_TO_DEVICE, stream));
	TRY(aclrtMemcpyAsync(other, piece / 2, tensor, piece / 2, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(back.data(), piece, tensor, piece, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), piece, 9), "the tensor across two pieces");
	TRY(aclrtMemcpy(back.data(), piece / 2, other, piece / 2, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(holds(back.data(), piece / 2, 9), "the tensor inside a piece");

	for (int i = pieces - 1; i >= 0; i--) {
		/* Freed while mapped: it goes with the mapping. */
		if (i % 2)
			TRY(aclrtFreePhysical(handles[i]));
		TRY(aclrtUnmapMem(pool + i * piece));
		if (!(i % 2))
			TRY(aclrtFreePhysical(handles[i]));
	}
	TRY(aclrtReleaseMemAddress(base));
	TRY(aclrtFreeHost(host));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
