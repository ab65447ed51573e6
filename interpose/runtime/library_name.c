/* SPDX-License-Identifier: Apache-2.0 */
/* The file name decides, wherever it lies. */
#include "interpose/runtime/library_name.h"

#include <string.h>

static bool begins(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool library_is_named(const char *module, const char *const names[], unsigned n)
{
	const char *base = strrchr(module, '/');

	base = base ? base + 1 : module;
	for (unsigned i = 0; i < n; i++)
		if (begins(base, names[i]))
			return true;
	return false;
}

bool is_cann_library(const char *module)
{
	static const char *const names[] = {"libascendcl", "libacl_", "libruntime", "libopapi", "libnnopbase",
		"libge_", "libgraph", "libhccl", "libhcomm", "libascend", "libtsdclient", "libprofapi",
		"libmsprof", "liberror_manager", "libop_", "libexe_graph"};

	return library_is_named(module, names, sizeof(names) / sizeof(*names));
}

bool is_python_library(const char *module)
{
	static const char *const names[] = {"libpython", "python3", "libffi", "_cffi_backend"};

	/* The standard library's own extension modules lie in one directory. */
	return strstr(module, "/lib-dynload/") ||
	       library_is_named(module, names, sizeof(names) / sizeof(*names));
}
