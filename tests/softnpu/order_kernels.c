/* SPDX-License-Identifier: Apache-2.0 */
/* Argument lists of kernels, shared buffers. */
#include "order.h"

#include <stdlib.h>
#include <string.h>

static aclrtFuncHandle func;

static void load(void)
{
	aclrtBinHandle bin;

	setup();
	OK(aclrtBinaryLoadFromData("binary", 6, NULL, &bin));
	OK(aclrtBinaryGetFunction(bin, "kernel", &func));
}

/* --- argument lists ----------------------------------------------------------------------- */

/* A list is filled without a device, and completed with one. */
static void lists_apart(void)
{
	uint64_t value = 1;
	aclrtArgsHandle list;
	aclrtParamHandle param, holder;
	size_t n;
	void *buffer;

	OK(aclrtKernelArgsGetMemSize(func, 16, &n));
	OK(aclrtKernelArgsGetHandleMemSize(func, &n));
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &param));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	OK(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 64, &buffer));
	OK(aclrtKernelArgsParaUpdate(list, param, &value, sizeof(value)));
	IS(aclrtKernelArgsFinalize(list), 107002);
	IS(aclrtKernelArgsFinalize(NULL), 100000);
}

static void filling(void)
{
	uint64_t value = 1;
	aclrtArgsHandle list;
	aclrtParamHandle param, holder, more;
	void *buffer;

	load();
	without_context(lists_apart);
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &param));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	IS(aclrtKernelArgsAppend(list, NULL, 0, NULL), 100000);
	IS(aclrtKernelArgsAppend(list, &value, (size_t)1 << 20, &more), 107000);
	IS(aclrtKernelArgsParaUpdate(list, holder, NULL, 0), 100000);
	IS(aclrtKernelArgsParaUpdate(list, holder, &value, sizeof(value)), 107000);
	IS(aclrtKernelArgsParaUpdate(list, param, &value, 4), 107000);
	IS(aclrtKernelArgsParaUpdate(list, param, &value, 16), 107000);
	OK(aclrtKernelArgsParaUpdate(list, param, &value, sizeof(value)));
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 0, &buffer), 100000);
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, param, (size_t)1 << 20, &buffer), 107000);
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, (size_t)1 << 20, &buffer), 107000);
	OK(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 64, &buffer));
	IS(aclrtKernelArgsAppend(list, &value, sizeof(value), &more), 207000);
	IS(aclrtKernelArgsAppend(list, &value, (size_t)1 << 20, &more), 207000);
	IS(aclrtKernelArgsAppendPlaceHolder(list, &more), 207000);
	OK(aclrtKernelArgsFinalize(list));
}

/* An update does not open a completed list again. */
static void completed(void)
{
	uint64_t value = 1;
	aclrtArgsHandle list;
	aclrtParamHandle param, holder, more;
	void *buffer;

	load();
	OK(aclrtKernelArgsInit(func, &list));
	OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &param));
	OK(aclrtKernelArgsAppendPlaceHolder(list, &holder));
	IS(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL), 107000);
	OK(aclrtKernelArgsFinalize(list));
	IS(aclrtKernelArgsAppend(list, &value, sizeof(value), &more), 207000);
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, param, 64, &buffer), 107000);
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 64, &buffer), 207000);
	OK(aclrtKernelArgsParaUpdate(list, param, &value, sizeof(value)));
	IS(aclrtKernelArgsAppend(list, &value, sizeof(value), &more), 207000);
	IS(aclrtKernelArgsAppendPlaceHolder(list, &more), 207000);
	IS(aclrtKernelArgsGetPlaceHolderBuffer(list, holder, 64, &buffer), 207000);
	IS(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL), 107000);
	OK(aclrtKernelArgsFinalize(list));
	OK(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL));
	OK(aclrtSynchronizeStream(s));
}

static void launch_from(void *list, void *args, size_t size)
{
	uint64_t value = 1;
	aclrtParamHandle param;

	OK(aclrtKernelArgsInitByUserMem(func, list, args, size));
	OK(aclrtKernelArgsAppend(list, &value, sizeof(value), &param));
	OK(aclrtKernelArgsParaUpdate(list, param, &value, sizeof(value)));
	OK(aclrtKernelArgsFinalize(list));
	OK(aclrtLaunchKernelWithConfig(func, 1, s, NULL, list, NULL));
}

/* Nothing ends a list in the program's memory: in between, that holds other things. */
static void memory_used_again(void)
{
	size_t size, args;
	char *memory;

	load();
	OK(aclrtKernelArgsGetHandleMemSize(func, &size));
	OK(aclrtKernelArgsGetMemSize(func, 8, &args));
	memory = malloc(2 * size + args);
	for (size_t at = 0; at <= size; at += size / 2 & ~(size_t)7) {
		launch_from(memory + at, memory + 2 * size, args);
		memset(memory, 0x5a, 2 * size);
		launch_from(memory, memory + 2 * size, args);
		memset(memory, 0xa5, 2 * size);
	}
	OK(aclrtSynchronizeStream(s));
	free(memory);
}

/* --- shared buffers ------------------------------------------------------------------------- */

static void buffers_apart(void)
{
	aclrtMbuf b, ref;
	char data[96];
	size_t n;
	void *p;

	OK(aclrtAllocBuf(&b, 64));
	OK(aclrtGetBufData(b, &p, &n));
	OK(aclrtSetBufDataLen(b, 64));
	OK(aclrtGetBufUserData(b, data, 96, 0));
	OK(aclrtCopyBufRef(b, &ref));
	OK(aclrtFreeBuf(ref));
	OK(aclrtFreeBuf(b));
}

static void buffers(void)
{
	aclrtMbuf b;
	char data[200] = "";

	setup();
	without_context(buffers_apart);
	OK(aclrtAllocBuf(&b, 64));
	IS(aclrtAllocBuf(NULL, 0), 100000);
	IS(aclrtGetBufUserData(b, NULL, 97, 0), 100000);
	IS(aclrtSetBufUserData(NULL, NULL, 60, 37), 100000);
	IS(aclrtGetBufUserData(b, NULL, 8, 0), 100000);
	IS(aclrtGetBufUserData(b, data, 0, 0), ACL_ERROR_FAILURE);
	OK(aclrtSetBufUserData(b, data, 0, 0));
	OK(aclrtSetBufUserData(b, data, 96, 0));
	OK(aclrtFreeBuf(b));
}

static const struct tap_case cases[] = {C(filling), C(completed), C(memory_used_again), C(buffers)};

ORACLE_MAIN(cases)
