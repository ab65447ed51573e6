/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two processes share memory of one device by key: the one that is forked
 * exports, this one imports; "exports" the other way round.  The importer asks
 * for peer access in any case, as a client does that knows nothing of the
 * exporter's device.  "direct" copies to the host without a buffer between.
 */
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

#include "../programs/program.h"

using namespace program;

static const size_t size = 2 << 20;
static bool forked;

struct line {
	int in, out;
};

template <typename T> static T get(const line &l)
{
	T value = {};

	expect(read(l.in, &value, sizeof(value)) == static_cast<ssize_t>(sizeof(value)),
		"the other process speaks");
	return value;
}

template <typename T> static void put(const line &l, const T &value)
{
	expect(write(l.out, &value, sizeof(value)) == static_cast<ssize_t>(sizeof(value)),
		"the other process hears");
}

struct key {
	char text[65];
};

/* The process that began the run is the first to use the runtime: it is the one whose report counts. */
static void begin_device(const line &other)
{
	if (forked)
		get<char>(other);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	if (!forked)
		put(other, 'x');
}

static void end_device()
{
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
}

static void exporter(const line &other)
{
	void *memory = nullptr;
	key shared = {};

	begin_device(other);
	TRY(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemset(memory, size, 0x5a, size));
	TRY(aclrtIpcMemGetExportKey(
		memory, size, shared.text, sizeof(shared.text), ACL_RT_IPC_MEM_EXPORT_FLAG_DEFAULT));
	int32_t pid = get<int32_t>(other);
	TRY(aclrtIpcMemSetImportPid(shared.text, &pid, 1));
	put(other, shared);
	get<char>(other);
	TRY(aclrtIpcMemClose(shared.text));
	TRY(aclrtFree(memory));
	end_device();
}

static void importer(const line &other)
{
	void *memory = nullptr, *own = nullptr, *host = nullptr;
	aclrtStream stream = nullptr;

	begin_device(other);
	put(other, static_cast<int32_t>(getpid()));
	key shared = get<key>(other);
	TRY(aclrtIpcMemImportByKey(&memory, shared.text, ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&own, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&host, size));
	TRY(aclrtMemcpyAsync(own, size, memory, size, ACL_MEMCPY_DEVICE_TO_DEVICE, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, broken("direct") ? memory : own, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(static_cast<uint8_t *>(host)[size - 1] == 0x5a, "the shared memory");
	TRY(aclrtIpcMemClose(shared.text));
	put(other, 'x');
	TRY(aclrtFreeHost(host));
	TRY(aclrtFree(own));
	TRY(aclrtDestroyStream(stream));
	end_device();
}

int main(int argc, char **argv)
{
	int down[2], up[2], status = -1;

	begin(argc, argv);
	if (pipe(down) || pipe(up))
		return 1;
	bool exports = broken("exports");
	pid_t pid = fork();
	forked = pid == 0;
	const line other = pid ? line{up[0], down[1]} : line{down[0], up[1]};
	if (forked == exports)
		importer(other);
	else
		exporter(other);
	if (forked)
		std::exit(failures ? 1 : 0);
	expect(waitpid(pid, &status, 0) == pid && status == 0, "the other process");
	return end();
}
