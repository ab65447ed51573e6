/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the program that the runtime calls: own arguments, own results, calls from inside them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define LAUNCHES 2000

static int wrong;

static void expect(bool right, const char *what)
{
	if (!right && wrong++ < 5)
		printf("wrong: %s\n", what);
}

static _Atomic int ran, sum;

static void add(void *data)
{
	atomic_fetch_add(&sum, *(int *)data);
	atomic_fetch_add(&ran, 1);
}

static void use_inside(void *data)
{
	aclrtContext context = NULL;

	aclrtGetCurrentContext(&context);
	add(data);
}

static void *launch_many(void *data)
{
	aclrtStream stream = data;
	static int one = 1, two = 2;

	aclrtSetDevice(0);
	for (int i = 0; i < LAUNCHES; i++)
		expect(!aclrtLaunchHostFunc(stream, i % 2 ? add : use_inside, i % 2 ? &two : &one), "launch");
	aclrtSynchronizeStream(stream);
	return NULL;
}

/* From two threads at once: records are reused while others run. */
static void launches(void)
{
	aclrtStream streams[2] = {NULL};
	pthread_t threads[2];

	aclInit(NULL);
	aclrtSetDevice(0);
	for (int i = 0; i < 2; i++)
		aclrtCreateStream(&streams[i]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, launch_many, streams[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	expect(ran == 2 * LAUNCHES, "every launch ran once");
	expect(sum == 3 * LAUNCHES, "with its own data");
	for (int i = 0; i < 2; i++)
		aclrtDestroyStream(streams[i]);
	aclrtResetDevice(0);
	aclFinalize();
}

/* A captured launch runs at every execution of its model. */
static void captured(void)
{
	static int three = 3;
	aclmdlRI model = NULL;
	aclrtStream stream = NULL;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	expect(!aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), "capture begins");
	expect(!aclrtLaunchHostFunc(stream, add, &three), "launch while capturing");
	expect(!aclmdlRICaptureEnd(stream, &model), "capture ends");
	expect(ran == 0, "nothing runs while capturing");
	for (int i = 0; i < 5; i++)
		expect(!aclmdlRIExecuteAsync(model, stream), "execute");
	aclrtSynchronizeStream(stream);
	expect(ran == 5 && sum == 15, "once an execution");
	aclmdlRIDestroy(model);
	aclrtDestroyStream(stream);
	aclrtResetDevice(0);
	aclFinalize();
}

static char order[16];

static aclError note(void *data)
{
	strcat(order, data);
	return ACL_SUCCESS;
}

static aclError note_too(void *data)
{
	strcat(order, data);
	return ACL_SUCCESS;
}

static bool excepted;

static void on_exception(aclrtExceptionInfo *info)
{
	excepted = info == NULL;
	aclrtSetDevice(0);
}

/* Registered functions of the small runtime; taking one back must take that one. */
static void registered(void)
{
	aclInit(NULL);
	aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, note, (void *)"a");
	aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, note_too, (void *)"b");
	aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, note, (void *)"c");
	expect(!aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, note_too), "taken back");
	expect(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, note_too) == ACL_ERROR_INVALID_PARAM,
		"only once");
	aclrtSetExceptionInfoCallback(on_exception);
	aclrtSetDevice(7);
	expect(excepted, "a callback without user data ran");
	aclrtSetExceptionInfoCallback(NULL);
	aclFinalize();
	expect(!strcmp(order, "ac"), "the others ran with their data");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "launches"))
		launches();
	else if (!strcmp(argv[1], "captured"))
		captured();
	else
		registered();
	printf("%s\n", wrong ? "failed" : "ok");
	return wrong != 0;
}
