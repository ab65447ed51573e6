/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a name leads to: lookup default | next | handle FILE | null | twice FILE | copy FILE | clean
 * The function that was found is called, and its value printed.  OWN: the program defines the name itself.
 * FETCH=VERSION: the function that looks names up is looked up itself, with that version unless it is empty.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

typedef aclError (*count_fn)(uint32_t *);

#ifdef OWN
__attribute__((visibility("default"))) aclError aclrtGetDeviceCount(uint32_t *count)
{
	*count = 50;
	return ACL_SUCCESS;
}
#endif

static void *(*look_up)(void *, const char *) = dlsym;

static void fetch(const char *version)
{
	void *libc = dlopen("libdl.so.2", RTLD_LAZY), *p;

	p = *version ? dlvsym(libc, "dlsym", version) : dlsym(libc, "dlsym");
	if (p)
		look_up = (void *(*)(void *, const char *))p;
	printf("fetched %d\n", p != NULL);
}

static void ask(const char *how, void *handle)
{
	count_fn fn =
		handle || !strcmp(how, "default") ? (count_fn)look_up(handle, "aclrtGetDeviceCount") : NULL;
	uint32_t n = 0;

	if (fn)
		printf("%s %d", how, fn(&n));
	else
		printf("%s none", how);
	printf(" %u\n", n);
}

/* Everything of the second runtime, in its order. */
static void use_other(void *handle)
{
	int (*init)(const char *) = (int (*)(const char *))dlsym(handle, "aclInit");
	int (*set)(int32_t) = (int (*)(int32_t))dlsym(handle, "aclrtSetDevice");
	int (*reset)(int32_t) = (int (*)(int32_t))dlsym(handle, "aclrtResetDevice");
	int (*finalize)(void) = (int (*)(void))dlsym(handle, "aclFinalize");

	if (!init || !set || !reset || !finalize)
		return;
	printf("other %d %d %d %d\n", init(NULL), set(1), reset(1), finalize());
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "clean", *file = argc > 2 ? argv[2] : "";
	void *handle = NULL;

	setvbuf(stdout, NULL, _IONBF, 0);
	if (getenv("FETCH"))
		fetch(getenv("FETCH"));
	aclInit(NULL);
	aclrtSetDevice(0);
	if (!strcmp(how, "default"))
		ask(how, RTLD_DEFAULT);
	if (!strcmp(how, "next"))
		ask(how, RTLD_NEXT);
	if (!strcmp(how, "null"))
		ask(how, dlopen(NULL, RTLD_NOW));
	if (!strcmp(how, "handle") || !strcmp(how, "twice"))
		handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!strcmp(how, "copy"))
		handle = dlmopen(LM_ID_NEWLM, file, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		ask(how, handle);
	if (handle && strcmp(how, "handle"))
		use_other(handle);
	aclrtResetDevice(0);
	return aclFinalize();
}
