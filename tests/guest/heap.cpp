// SPDX-License-Identifier: Apache-2.0
// A program whose heap is looked at: C++ names, findings at several places, and after each step what malloc
// answers.
//	heap WORD...	clean, bug, leak, threads, host, lose, exits, names, time
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <string>
#include <vector>

#include "acl/acl.h"

namespace
{

aclrtStream stream;
void *device;

void step(const char *what)
{
	// Of the brk heap, a thread's heap, and a block with a mapping of its own (its place in the page).
	void *small = malloc(24), *middle = malloc(1000), *large = malloc(400000);

	printf("%s %p %p %#zx\n", what, small, middle, (size_t)large & 0xfff);
	free(small);
	free(large);
	free(middle);
}

template <typename T> class copier
{
      public:
	explicit copier(std::vector<T> &from) : from_(from)
	{
	}
	// src must lie on a 64-byte boundary where both are on the device: broken on purpose
	__attribute__((noinline)) void unaligned(size_t off)
	{
		char *p = static_cast<char *>(device);

		aclrtMemcpyAsync(p + 4096, 4096, p + off, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
		aclrtSynchronizeStream(stream);
	}

      private:
	std::vector<T> &from_;
};

void clean()
{
	std::vector<char> host(4096);

	for (int i = 0; i < 100; i++)
		aclrtMemcpy(device, 8192, host.data(), host.size(), ACL_MEMCPY_HOST_TO_DEVICE);
}

void bug()
{
	std::vector<std::string> names = {"one", "two"};
	copier<std::string> c(names);

	c.unaligned(12);
	step("first finding");
	for (int i = 0; i < 20; i++)
		c.unaligned(20);
	step("repeats");
	aclrtDestroyStream(reinterpret_cast<aclrtStream>(0x10));
	aclrtFree(nullptr);
	step("others");
}

void leak()
{
	void *lost;

	aclrtMalloc(&lost, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&lost, 1 << 16);
}

void *work(void *)
{
	aclrtSetDevice(0);
	clean();
	bug();
	step("thread");
	return nullptr;
}

void threads()
{
	for (int i = 0; i < 4; i++) {
		pthread_t t;

		pthread_create(&t, nullptr, work, nullptr);
		pthread_join(t, nullptr);
		step("joined");
	}
}

void nothing()
{
}

// glibc's table of exit functions grows by malloc when 32 are there
void exits()
{
	for (int i = 0; i < 100; i++) {
		atexit(nothing);
		step("exits");
	}
}

void names()
{
	for (const char *name : {"aclrtMalloc", "aclrtNoSuchName", "aclrtMemcpy", "malloc"})
		printf("%s %d\n", name, dlsym(RTLD_DEFAULT, name) != nullptr);
	dlerror();
	step("names");
}

// What kind of memory a host address is: looked up in the C library it would allocate.
void *host_addresses(void *)
{
	static char global[256];
	char local[256];
	std::vector<char> heap(256);

	aclrtSetDevice(0);
	for (char *p : {local, global, heap.data(), static_cast<char *>(nullptr)}) {
		aclrtMemcpyAsync(device, 256, p, 256, ACL_MEMCPY_HOST_TO_DEVICE, stream);
		aclrtMemcpyAsync(p, 256, device, 256, ACL_MEMCPY_DEVICE_TO_HOST, stream);
		aclrtSynchronizeStream(stream);
		aclrtFree(p);
		step("host address");
	}
	return nullptr;
}

void host()
{
	pthread_t t;

	host_addresses(nullptr);
	pthread_create(&t, nullptr, host_addresses, nullptr);
	pthread_join(t, nullptr);
	step("joined");
}

void *volatile lost;

void lose()
{
	lost = malloc(77);
	lost = nullptr;
}

void local_time()
{
	time_t t = 0;
	char text[64];

	strftime(text, sizeof(text), "%c", localtime(&t));
	puts(text);
	step("time");
}

} // namespace

int main(int argc, char **argv)
{
	step("start");
	aclInit(nullptr);
	step("init");
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtMalloc(&device, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
	step("ready");
	for (int i = 1; i < argc; i++) {
		const struct {
			const char *word;
			void (*run)();
		} words[] = {{"clean", clean}, {"bug", bug}, {"leak", leak}, {"threads", threads},
			{"exits", exits}, {"names", names}, {"host", host}, {"lose", lose},
			{"time", local_time}};

		for (const auto &w : words)
			if (!strcmp(argv[i], w.word))
				w.run();
		step(argv[i]);
	}
	aclrtFree(device);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
	step("end");
	return 0;
}
