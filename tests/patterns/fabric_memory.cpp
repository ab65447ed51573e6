/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A transfer engine keeps its cache in memory of the host that the devices of other processes and servers
 * reach: physical memory of a NUMA node, exported as a fabric handle.  The other process imports it, several
 * streams copy there, and each gives back what it holds.  "gigabyte" asks for 1 GiB pages first, which are
 * documented for devices only, and takes smaller ones where those are refused.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

namespace
{

const size_t piece = 64 * 1024, streams = 4;

size_t size()
{
	return broken("gigabyte") ? 1024UL << 20 : 2UL << 20;
}

template <typename T> T receive(int from)
{
	T value = {};

	expect(read(from, &value, sizeof(value)) == static_cast<ssize_t>(sizeof(value)),
		"the other process speaks");
	return value;
}

template <typename T> void send(int to, const T &value)
{
	expect(write(to, &value, sizeof(value)) == static_cast<ssize_t>(sizeof(value)),
		"the other process listens");
}

aclrtDrvMemHandle host_memory()
{
	aclrtDrvMemHandle handle = nullptr;
	aclrtPhysicalMemProp prop = {};

	prop.handleType = ACL_MEM_HANDLE_TYPE_NONE;
	prop.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
	prop.memAttr = broken("gigabyte") ? ACL_MEM_P2P_HUGE1G : ACL_MEM_P2P_HUGE;
	prop.location.type = ACL_MEM_LOCATION_TYPE_HOST_NUMA;
	if (aclrtMallocPhysical(&handle, size(), &prop, 0) == ACL_SUCCESS)
		return handle;
	prop.memAttr = ACL_MEM_P2P_HUGE;
	TRY(aclrtMallocPhysical(&handle, size(), &prop, 0));
	return handle;
}

char *map(aclrtDrvMemHandle handle)
{
	void *place = nullptr;

	TRY(aclrtReserveMemAddress(&place, size(), 0, nullptr, 0));
	TRY(aclrtMapMem(place, size(), 0, handle, 0));
	return static_cast<char *>(place);
}

void unmap(char *place, aclrtDrvMemHandle handle)
{
	TRY(aclrtUnmapMem(place));
	TRY(aclrtReleaseMemAddress(place));
	TRY(aclrtFreePhysical(handle));
}

void start(int device)
{
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(device));
}

void finish(int device)
{
	TRY(aclrtResetDevice(device));
	TRY(aclFinalize());
}

/* Writes into the other process's memory. */
int importer(int in, int out)
{
	aclrtMemFabricHandle shared = receive<aclrtMemFabricHandle>(in);
	aclrtDrvMemHandle handle = nullptr;
	aclrtStream stream[streams];
	void *device = nullptr;
	char *place;

	start(1);
	TRY(aclrtMemImportFromShareableHandleV2(&shared, ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, 0, &handle));
	place = map(handle);
	TRY(aclrtMalloc(&device, streams * piece, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(device, streams * piece, 7, streams * piece));
	for (size_t i = 0; i < streams; i++) {
		TRY(aclrtCreateStreamWithConfig(
			&stream[i], 0, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC));
		TRY(aclrtMemcpyAsync(place + i * piece, piece, static_cast<char *>(device) + i * piece, piece,
			ACL_MEMCPY_DEFAULT, stream[i]));
	}
	for (aclrtStream s : stream) {
		TRY(aclrtSynchronizeStreamWithTimeout(s, 10000));
		TRY(aclrtDestroyStream(s));
	}
	unmap(place, handle);
	TRY(aclrtFree(device));
	send(out, 'd');
	finish(1);
	return failures != 0;
}

void exporter(int in, int out)
{
	aclrtMemFabricHandle shared = {};
	aclrtDrvMemHandle handle;
	char *place;

	start(0);
	handle = host_memory();
	place = map(handle);
	TRY(aclrtMemExportToShareableHandleV2(handle, ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION,
		ACL_MEM_SHARE_HANDLE_TYPE_FABRIC, &shared));
	send(out, shared);
	receive<char>(in);
	expect(place[0] == 7 && place[streams * piece - 1] == 7, "what the other process has written");
	unmap(place, handle);
	finish(0);
}

} /* namespace */

int main(int argc, char **argv)
{
	int there[2], back[2], status = 0;
	pid_t child;

	begin(argc, argv);
	if (pipe(there) || pipe(back))
		return 1;
	child = fork();
	/* Who reads sees the end of the other one. */
	close(child ? there[0] : there[1]);
	close(child ? back[1] : back[0]);
	if (!child)
		_exit(importer(there[0], back[1]));
	exporter(back[0], there[1]);
	expect(waitpid(child, &status, 0) == child && status == 0, "the other process succeeds");
	return end();
}
