/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs that fetch every function themselves, three ways:
 *	(no argument)	dlopen by name, dlsym on the handle
 *	path		dlopen of the file's real path, private scope
 *	default		dlsym(RTLD_DEFAULT) first, then the handle
 * Names that no runtime has must stay missing.
 */
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <string>

#include "../programs/program.h"

using namespace program;

namespace
{

void *handle;
bool default_first;

template <typename F> F *load(const char *name)
{
	void *address = default_first ? dlsym(RTLD_DEFAULT, name) : nullptr;

	if (!address)
		address = dlsym(handle, name);
	expect(address != nullptr, name);
	return reinterpret_cast<F *>(address);
}
#define LOAD(name) decltype(::name) *name = load<decltype(::name)>(#name)

std::string real_path(void *library)
{
	struct link_map *map = nullptr;
	char path[PATH_MAX];

	dlinfo(library, RTLD_DI_LINKMAP, &map);
	return realpath(map->l_name, path) ? path : "";
}

void work()
{
	const size_t size = 4096;
	uint8_t host[size] = {};
	aclrtStream stream = nullptr;
	void *device = nullptr;
	LOAD(aclInit);
	LOAD(aclFinalize);
	LOAD(aclrtSetDevice);
	LOAD(aclrtResetDevice);
	LOAD(aclrtMalloc);
	LOAD(aclrtFree);
	LOAD(aclrtMemcpy);
	LOAD(aclrtMemsetAsync);
	LOAD(aclrtCreateStream);
	LOAD(aclrtDestroyStream);
	LOAD(aclrtSynchronizeStream);

	TRY(aclInit(nullptr));
	if (broken("init-twice"))
		TRY(aclInit(nullptr));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&stream));
	TRY(aclrtMalloc(&device, size, ACL_MEM_MALLOC_HUGE_FIRST));
	TRY(aclrtMemsetAsync(device, size, 0x66, size, stream));
	TRY(aclrtSynchronizeStream(stream));
	TRY(aclrtMemcpy(host, size, device, size, ACL_MEMCPY_DEVICE_TO_HOST));
	expect(host[size - 1] == 0x66, "the work");
	TRY(aclrtFree(device));
	TRY(aclrtDestroyStream(stream));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
}

} /* namespace */

int main(int argc, char **argv)
{
	begin(argc, argv);
	default_first = broken("default");
	handle = dlopen("libascendcl.so", RTLD_NOW | RTLD_LOCAL);
	expect(handle != nullptr, "libascendcl.so");
	if (!handle)
		return end();
	if (broken("path")) {
		std::string path = real_path(handle);

		handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
	}
	expect(dlsym(handle, "aclrtNoSuchFunction") == nullptr, "a name that no runtime has");
	work();
	return end();
}
