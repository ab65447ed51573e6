/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks on a runtime that leaves it to the program when, how often and on which stack they run:
 * what stack they need, and whose data a task of an updated group gets.
 */
#include <stdio.h>

#include "held_runtime.h"
#include "painted_stack.h"

#define SIZE ((size_t)256 << 10)
#define LAUNCHES 5000 /* records are used again after a thousand */

static aclrtStream stream, other;

static void nothing(void *data)
{
	(void)data;
}

/* Each a finding of its own. */
static void breaks(void *data)
{
	aclrtFree((char *)data + 1);
	aclrtFree(NULL);
}

static void on_exception(aclrtExceptionInfo *info)
{
	(void)info;
}

static void run_held(unsigned unused, const void *unused_either)
{
	(void)unused;
	(void)unused_either;
	held.fn(held.args);
}

static void run_registered(unsigned unused, const void *unused_either)
{
	(void)unused;
	(void)unused_either;
	held.registered(NULL);
}

static void stack(void)
{
	char *at = stack_new(SIZE), data[8];

	for (int i = 0; i < 2; i++) {
		aclrtLaunchHostFunc(stream, nothing, data);
		printf("launch-%d %zu\n", i, on_coroutine(run_held, 0, NULL, at, SIZE));
	}
	aclrtLaunchHostFunc(stream, breaks, data);
	printf("launch-breaks %zu\n", on_coroutine(run_held, 0, NULL, at, SIZE));
	aclrtSetExceptionInfoCallback(on_exception);
	printf("registered %zu\n", on_coroutine(run_registered, 0, NULL, at, SIZE));
}

/* On a stack that a callback just fits in: an overflow ends the program at the guard page. */
static void small(void)
{
	char *at = stack_new(8192), data[8];

	aclrtLaunchHostFunc(stream, breaks, data);
	on_coroutine(run_held, 0, NULL, at, 8192);
	puts("ok");
}

static int wrong;
static const char *expected;

static void ran(void *data)
{
	wrong += data != expected;
}

/* What the runtime holds of a recorded task: it runs at every execution. */
struct task {
	aclrtHostFunc fn;
	void *args;
};

static void run(struct task task, const char *data)
{
	expected = data;
	task.fn(task.args);
}

static struct task launched(aclrtStream on, const char *data)
{
	aclrtLaunchHostFunc(on, ran, (void *)data);
	return (struct task){held.fn, held.args};
}

static void others(void)
{
	for (int i = 0; i < LAUNCHES; i++)
		run(launched(other, "other"), "other");
}

/* A task of a group that was captured, and then updated: each runs again and again, with many launches
 * between. */
static void updated(void)
{
	static char first[] = "first", second[] = "second";
	struct task captured, update;
	aclrtTaskGrp group = NULL;
	aclmdlRI model = NULL;

	aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	aclmdlRICaptureTaskGrpBegin(stream);
	captured = launched(stream, first);
	aclmdlRICaptureTaskGrpEnd(stream, &group);
	aclmdlRICaptureEnd(stream, &model);
	for (int i = 0; i < 3; i++) {
		others();
		run(captured, first);
	}
	aclmdlRICaptureTaskUpdateBegin(stream, group);
	update = launched(stream, second);
	aclmdlRICaptureTaskUpdateEnd(stream);
	for (int i = 0; i < 3; i++) {
		others();
		run(update, second);
	}
	aclmdlRIDestroy(model);
	others();
	printf("%s\n", wrong ? "failed" : "ok");
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtCreateStream(&stream);
	aclrtCreateStream(&other);
	if (!strcmp(which, "stack"))
		stack();
	else if (!strcmp(which, "small"))
		small();
	else if (!strcmp(which, "updated"))
		updated();
	else
		return 2;
	return wrong != 0;
}
