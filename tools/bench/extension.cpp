// SPDX-License-Identifier: Apache-2.0
// As torch_npu comes: a C++ extension of Python that is linked to the runtime, and when it is loaded looks up
// by name every function that it may use.
#include <Python.h>
#include <dlfcn.h>

#include <map>
#include <string>

extern "C" {
#include "bench.h"
}

namespace
{
#define NAME(function) #function,
const char *const names[] = {BENCH_FUNCTIONS(NAME)};

std::map<std::string, void *> functions;

void look_up()
{
	for (const char *name : names)
		functions[name] = dlsym(RTLD_DEFAULT, name);
}

PyModuleDef module = {
	PyModuleDef_HEAD_INIT, "bench_extension", nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
} // namespace

PyMODINIT_FUNC PyInit_bench_extension()
{
	look_up();
	aclInit(nullptr);
	aclrtSetDevice(0);
	return PyModule_Create(&module);
}
