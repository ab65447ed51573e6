/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the runtime by name, in every way a program can ask.
 * Prints one line a question; nothing of the runtime is linked.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*init_fn)(const char *);
typedef int (*none_fn)(void);

/* Which object of the process holds the address, by its file name. */
static const char *home(void *address)
{
	Dl_info info;

	if (!address)
		return "NULL";
	if (!dladdr(address, &info) || !info.dli_fname)
		return "?";
	return strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname;
}

static void ask(const char *way, void *handle, const char *name)
{
	const char *error;
	void *p;

	dlerror();
	p = dlsym(handle, name);
	/* The careful way to ask: not by the pointer, which may be NULL, but by the error. */
	error = dlerror();
	printf("%s %s: %s%s\n", way, name, home(p),
		p                              ? error ? " (dlerror)" : ""
		: error && strstr(error, name) ? ""
					       : " (no dlerror)");
}

static void ask_version(const char *way, void *handle, const char *name, const char *version)
{
	dlerror();
	printf("%s %s@%s: %s", way, name, version, home(dlvsym(handle, name, version)));
	printf("%s\n", dlerror() ? " (dlerror)" : "");
}

static void ask_all(const char *way, void *handle)
{
	ask(way, handle, "aclInit");
	ask(way, handle, "aclrtMalloc");
	ask(way, handle, "aclrtNoSuchFunction");
	ask(way, handle, "aclrtLaunchHostFunc"); /* the small runtime has none */
	ask(way, handle, "strlen");
	ask_version(way, handle, "aclInit", "ACL_1.0");
	ask_version(way, handle, "aclrtNoSuchFunction", "ACL_1.0");
	ask_version(way, handle, "strlen", "GLIBC_2.2.5");
	ask_version(way, handle, "strlen", "GLIBC_1.0");
}

/* Calls through pointers; returns what the second aclInit did. */
static void use(void *handle)
{
	init_fn init = (init_fn)dlsym(handle, "aclInit");
	none_fn finalize = (none_fn)dlsym(handle, "aclFinalize");
	int first, second;

	if (!init || !finalize)
		return;
	first = init(NULL);
	second = init(NULL);
	printf("used %d %s %d\n", first, second ? "refused" : "accepted", finalize());
}

static void reload(const char *runtime)
{
	for (int i = 0; i < 3; i++) {
		void *handle = dlopen(runtime, RTLD_NOW | RTLD_LOCAL);

		use(handle);
		dlclose(handle);
	}
}

static void plugin(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	none_fn fn = handle ? (none_fn)dlsym(handle, "plugin_use") : NULL;

	if (!fn) {
		printf("%s\n", dlerror());
		return;
	}
	printf("plugin %d\n", fn());
	dlclose(handle);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "", *runtime = argc > 2 ? argv[2] : "libascendcl.so";
	void *handle;

	if (!strcmp(mode, "nothing")) {
		ask_all("default", RTLD_DEFAULT);
		ask_all("next", RTLD_NEXT);
		return 0;
	}
	if (!strcmp(mode, "reload") || !strcmp(mode, "plugin")) {
		(strcmp(mode, "reload") ? plugin : reload)(runtime);
		return 0;
	}
	handle = dlopen(runtime, RTLD_NOW | (strcmp(mode, "global") ? RTLD_LOCAL : RTLD_GLOBAL));
	if (!handle) {
		printf("%s\n", dlerror());
		return 1;
	}
	ask_all("handle", handle);
	ask_all("default", RTLD_DEFAULT);
	ask_all("next", RTLD_NEXT);
	ask_all("self", dlopen(NULL, RTLD_NOW));
	if (argc > 3)
		use(handle);
	return 0;
}
