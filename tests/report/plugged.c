/* SPDX-License-Identifier: Apache-2.0 */
/* plugged PLUGIN [deep [close]]: calls by symbol, by dlsym, from a plug-in, and with "deep" from one bound
 * around everything, which "close" unloads before the end. */
#define _GNU_SOURCE
#include <acl/acl.h>
#include <dlfcn.h>

int main(int argc, char **argv)
{
	aclError (*count)(uint32_t *);
	int (*plugin)(void);
	uint32_t n;
	void *h;

	if (argc < 2 || aclInit(NULL) || aclrtSetDevice(0))
		return 2;
	h = dlopen(argv[1], RTLD_NOW | (argc > 2 ? RTLD_DEEPBIND : 0));
	if (!h)
		return 3;
	plugin = (int (*)(void))dlsym(h, "plugin");
	count = (aclError(*)(uint32_t *))dlsym(RTLD_DEFAULT, "aclrtGetDeviceCount");
	if (!plugin || !count || plugin() || count(&n) || count(&n))
		return 4;
	if (argc > 3 && dlclose(h))
		return 5;
	return aclrtResetDevice(0) || aclFinalize();
}
