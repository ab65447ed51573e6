/* SPDX-License-Identifier: Apache-2.0 */
/* Another process, which shares memory and a notify with the scenarios for as long as the program runs. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "real.h"

#define KEY 65

static struct shared {
	char memory[2][KEY], notify[KEY];
	uint64_t handle;
} * shared;

static void share_all(void)
{
	static const aclrtPhysicalMemProp prop = {
		.memAttr = ACL_HBM_MEM_HUGE, .location = {.type = ACL_MEM_LOCATION_TYPE_DEVICE}};
	aclrtDrvMemHandle physical = NULL;
	aclrtNotify notify = NULL;
	void *p = NULL;

	aclInit(NULL);
	for (int32_t device = 1; device >= 0; device--) {
		aclrtSetDevice(device);
		aclrtMalloc(&p, 1u << 20, ACL_MEM_MALLOC_HUGE_FIRST);
		aclrtIpcMemGetExportKey(p, 1u << 20, shared->memory[device], KEY,
			ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	}
	aclrtCreateNotify(&notify, 0);
	aclrtNotifyGetExportKey(
		notify, shared->notify, KEY, ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION);
	aclrtMallocPhysical(&physical, 2u << 20, &prop, 0);
	aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE,
		ACL_RT_VMM_EXPORT_FLAG_DISABLE_PID_VALIDATION, &shared->handle);
}

bool neighbour_start(void)
{
	int ready[2], stay[2];
	char byte = 0;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(ready) || pipe(stay))
		return false;
	if (!fork()) {
		close(ready[0]);
		close(stay[1]);
		share_all();
		/* Ends when the program and all of its scenarios have. */
		if (write(ready[1], &byte, 1) == 1 && read(stay[0], &byte, 1))
			_exit(1);
		_exit(0);
	}
	close(ready[1]);
	close(stay[0]);
	return read(ready[0], &byte, 1) == 1;
}

const char *pair_memory_key(int32_t device)
{
	return shared->memory[device];
}

const char *pair_notify_key(void)
{
	return shared->notify;
}

uint64_t pair_shareable(void)
{
	return shared->handle;
}
