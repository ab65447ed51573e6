/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers go to the device on one stream and come back on another. It works, most of the time. */
#include <stdio.h>

#include <acl/acl.h>

#define NUMBERS 4096
#define BYTES (NUMBERS * sizeof(int))

static void send(void *device, const void *numbers, aclrtStream stream)
{
	aclrtMemcpyAsync(device, BYTES, numbers, BYTES, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static void fetch(void *numbers, const void *device, aclrtStream stream)
{
	aclrtMemcpyAsync(numbers, BYTES, device, BYTES, ACL_MEMCPY_DEVICE_TO_HOST, stream);
}

int main(void)
{
	aclrtStream up = NULL, down = NULL;
	aclrtEvent sent = NULL;
	void *device = NULL, *memory = NULL;
	int *numbers, *back;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&up);
	aclrtCreateStream(&down);
	aclrtCreateEvent(&sent);
	aclrtMalloc(&device, BYTES, ACL_MEM_MALLOC_HUGE_FIRST);
	aclrtMallocHost(&memory, 2 * BYTES);
	numbers = memory;
	back = numbers + NUMBERS;
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = 2 * i;

	send(device, numbers, up);
	fetch(back, device, down);
	aclrtSynchronizeStream(up);
	aclrtSynchronizeStream(down);
	printf("the last number is %d\n", back[NUMBERS - 1]);

	aclrtFreeHost(memory);
	aclrtDestroyEvent(sent);
	aclrtDestroyStream(down);
	aclrtDestroyStream(up);
	aclrtResetDevice(0);
	return aclFinalize();
}
