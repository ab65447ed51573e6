/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A built model of five streams: the first one starts others by a word in device memory, which
 * it reads anew in each execution, and whichever ran starts the last one, where the model ends.
 */
#include "../programs/program.h"

using namespace program;

namespace
{

constexpr size_t bytes = 64;
enum { HEAD, LEFT, RIGHT, DETOUR, LAST, STREAMS };

struct chooser {
	aclmdlRI model = nullptr;
	aclrtStream streams[STREAMS] = {}, outside = nullptr;
	char *memory = nullptr; /* the choice, its copy, two constants, the results */
	void *host = nullptr;

	void *at(size_t i) const
	{
		return memory + i * bytes;
	}
};

/* A word of the host, copied behind nothing. */
void put(const chooser &c, size_t i, int32_t value)
{
	std::memcpy(c.host, &value, sizeof(value));
	TRY(aclrtMemcpyAsync(c.at(i), bytes, c.host, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE, c.outside));
	TRY(aclrtSynchronizeStream(c.outside));
}

/* 1 starts the right stream, 2 the left one by a detour. */
void build(chooser *c)
{
	aclrtStream *s = c->streams;

	TRY(aclmdlRIBuildBegin(&c->model, 0));
	for (int i = 0; i < STREAMS; i++)
		TRY(aclmdlRIBindStream(
			c->model, s[i], i ? ACL_MODEL_STREAM_FLAG_DEFAULT : ACL_MODEL_STREAM_FLAG_HEAD));
	TRY(aclrtMemcpyAsync(
		c->at(1), bytes, c->at(0), sizeof(int32_t), ACL_MEMCPY_DEVICE_TO_DEVICE, s[HEAD]));
	TRY(aclrtMemsetAsync(c->at(4), bytes, 4, bytes, s[LEFT]));
	TRY(aclrtActiveStream(s[LAST], s[LEFT]));
	TRY(aclrtMemsetAsync(c->at(5), bytes, 5, bytes, s[RIGHT]));
	TRY(aclrtActiveStream(s[LAST], s[RIGHT]));
	TRY(aclrtSwitchStream(
		c->at(1), ACL_RT_EQUAL, c->at(2), ACL_RT_SWITCH_INT32, s[RIGHT], nullptr, s[HEAD]));
	TRY(aclrtSwitchStream(
		c->at(1), ACL_RT_EQUAL, c->at(3), ACL_RT_SWITCH_INT32, s[DETOUR], nullptr, s[HEAD]));
	TRY(aclrtActiveStream(s[LEFT], s[DETOUR]));
	TRY(aclmdlRIEndTask(c->model, s[LAST]));
	TRY(aclmdlRIBuildEnd(c->model, nullptr));
}

void choose(const chooser &c, int32_t choice)
{
	const char *results = static_cast<char *>(c.host);

	put(c, 0, choice);
	TRY(aclrtMemsetAsync(c.at(4), 2 * bytes, 0, 2 * bytes, c.outside));
	TRY(aclrtSynchronizeStream(c.outside));
	TRY(aclmdlRIExecuteAsync(c.model, c.outside));
	TRY(aclrtSynchronizeStream(c.outside));
	TRY(aclrtMemcpyAsync(c.host, 2 * bytes, c.at(4), 2 * bytes, ACL_MEMCPY_DEVICE_TO_HOST, c.outside));
	TRY(aclrtSynchronizeStream(c.outside));
	expect(results[0] == (choice == 2 ? 4 : 0), "the left stream");
	expect(results[bytes] == (choice == 1 ? 5 : 0), "the right stream");
}

} /* namespace */

int main(int argc, char **argv)
{
	chooser c;

	begin(argc, argv);
	TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	for (aclrtStream &s : c.streams)
		TRY(aclrtCreateStreamWithConfig(&s, 0, ACL_STREAM_PERSISTENT));
	TRY(aclrtCreateStream(&c.outside));
	TRY(aclrtMalloc(reinterpret_cast<void **>(&c.memory), 6 * bytes, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMallocHost(&c.host, 2 * bytes));
	put(c, 2, 1);
	put(c, 3, 2);
	build(&c);
	choose(c, 1);
	choose(c, 2);
	choose(c, 1);

	for (aclrtStream s : c.streams)
		TRY(aclmdlRIUnbindStream(c.model, s));
	TRY(aclmdlRIDestroy(c.model));
	for (aclrtStream s : c.streams)
		TRY(aclrtDestroyStream(s));
	TRY(aclrtDestroyStream(c.outside));
	TRY(aclrtFree(c.memory));
	TRY(aclrtFreeHost(c.host));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	return end();
}
