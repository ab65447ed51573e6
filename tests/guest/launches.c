/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host functions that the runtime runs later: each runs with its own data, however many models were
 * captured, built, refused and destroyed between the launch and the run.
 */
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"

#define REFUSED 200000

static int wrong;

static void expect(bool right, const char *what)
{
	if (!right && wrong++ < 5)
		printf("wrong: %s\n", what);
}

#define TRY(call) expect((call) == ACL_SUCCESS, #call)

static char order[256];

static void append(const char *prefix, const void *data)
{
	strncat(order, prefix, sizeof(order) - strlen(order) - 1);
	strncat(order, data, sizeof(order) - strlen(order) - 1);
}

/* Three functions, so that one run in another's place is seen. */
static void first(void *data)
{
	append("a", data);
}

static void second(void *data)
{
	append("b", data);
}

static void third(void *data)
{
	append("c", data);
}

static void other(void *data)
{
	append("-", data);
}

static void ran(const char *right)
{
	if (strcmp(order, right))
		printf("%s instead of %s\n", order, right);
	expect(!strcmp(order, right), "what ran");
	order[0] = '\0';
}

static sem_t gate;

static void wait_at_gate(void *unused)
{
	(void)unused;
	sem_wait(&gate);
}

static aclrtStream work, capture;

static void launch_three(aclrtStream stream)
{
	TRY(aclrtLaunchHostFunc(stream, first, (void *)"1"));
	TRY(aclrtLaunchHostFunc(stream, second, (void *)"2"));
	TRY(aclrtLaunchHostFunc(stream, third, (void *)"3"));
}

static void launch_others(aclrtStream stream)
{
	for (int i = 0; i < 6; i++)
		TRY(aclrtLaunchHostFunc(stream, other, (void *)"."));
	TRY(aclrtSynchronizeStream(stream));
	order[0] = '\0';
}

static aclmdlRI captured(void)
{
	aclmdlRI model = NULL;

	TRY(aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	launch_three(capture);
	TRY(aclmdlRICaptureEnd(capture, &model));
	return model;
}

/* Rounds of models that come and go. */
static void models_go(void)
{
	for (int i = 0; i < 3; i++)
		TRY(aclmdlRIDestroy(captured()));
}

static void execute(aclmdlRI model)
{
	TRY(aclmdlRIExecuteAsync(model, work));
	TRY(aclrtSynchronizeStream(work));
}

static void built_and_destroyed(void)
{
	aclmdlRI model = NULL;
	aclrtStream stream = NULL;

	TRY(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
	TRY(aclmdlRIBuildBegin(&model, 0));
	TRY(aclmdlRIBindStream(model, stream, ACL_MODEL_STREAM_FLAG_HEAD));
	TRY(aclmdlRIEndTask(model, stream));
	TRY(aclmdlRIBuildEnd(model, NULL));
	TRY(aclmdlRIUnbindStream(model, stream));
	TRY(aclmdlRIDestroy(model));
	TRY(aclrtDestroyStream(stream));
}

/* Queued on a stream that takes no part in the capture that is open. */
static void queued(void)
{
	TRY(aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	TRY(aclrtLaunchHostFunc(work, wait_at_gate, NULL));
	launch_three(work);
	aclmdlRI model = NULL;
	TRY(aclmdlRICaptureEnd(capture, &model));
	TRY(aclmdlRIDestroy(model));
	models_go();
	models_go();
	aclrtStream more = NULL;
	TRY(aclrtCreateStream(&more));
	launch_others(more);
	TRY(aclrtDestroyStream(more));
	sem_post(&gate);
	TRY(aclrtSynchronizeStream(work));
	ran("a1b2c3");
}

/* Models built task by task are no captured ones. */
static void built(void)
{
	aclmdlRI model = captured();

	built_and_destroyed();
	TRY(aclmdlRIDestroy(captured()));
	launch_others(work);
	execute(model);
	ran("a1b2c3");
	TRY(aclmdlRIDestroy(model));
}

/* What a bound stream is given runs with the model, each time. */
static void bound(void)
{
	aclmdlRI model = NULL;
	aclrtStream stream = NULL;

	TRY(aclrtCreateStreamWithConfig(&stream, 0, ACL_STREAM_PERSISTENT));
	TRY(aclmdlRIBuildBegin(&model, 0));
	TRY(aclmdlRIBindStream(model, stream, ACL_MODEL_STREAM_FLAG_HEAD));
	launch_three(stream);
	TRY(aclmdlRIEndTask(model, stream));
	TRY(aclmdlRIBuildEnd(model, NULL));
	for (int i = 0; i < 3; i++) {
		TRY(aclmdlRIExecute(model, -1));
		ran("a1b2c3");
		launch_others(work);
	}
	TRY(aclmdlRIUnbindStream(model, stream));
	TRY(aclmdlRIDestroy(model));
	TRY(aclrtDestroyStream(stream));
}

/* A condition's model: its capture has another beginning and the same end. */
static void sub(void)
{
	aclmdlRICaptureStatus status;
	aclmdlRI early = NULL, body = NULL, graph = NULL;
	aclmdlRICondHandle handle = NULL;
	aclmdlRICondTaskParams params = {0};
	aclrtStream inner = NULL;

	TRY(aclrtCreateStream(&inner));
	TRY(aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	TRY(aclmdlRICaptureGetInfo(capture, &status, &early));
	TRY(aclmdlRICondHandleCreate(early, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
	params.handle = handle;
	params.type = ACL_MODEL_RI_COND_TYPE_IF;
	params.size = 1;
	params.modelRIArray = &body;
	TRY(aclmdlRIAddCondTask(params, capture, 0));
	TRY(aclmdlRICaptureToModelRIBegin(inner, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	launch_three(inner);
	TRY(aclmdlRICaptureEnd(inner, NULL));
	TRY(aclrtLaunchHostFunc(capture, first, (void *)"+"));
	TRY(aclmdlRICaptureEnd(capture, &graph));
	TRY(aclrtDestroyStream(inner));
	models_go();
	for (int i = 0; i < 3; i++) {
		launch_others(work);
		execute(graph);
		ran("a1b2c3a+");
	}
	TRY(aclmdlRIDestroy(graph));
	aclmdlRI after = captured();
	for (int i = 0; i < 3; i++) {
		execute(after);
		ran("a1b2c3");
		launch_others(work);
	}
	TRY(aclmdlRIDestroy(after));
}

static unsigned long resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages / 256;
}

/* argument: MiB by which the process may grow. */
static void refused(unsigned long bound)
{
	unsigned long before = 0;
	aclmdlRI model = captured();
	aclrtEvent event = NULL;

	TRY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC));
	for (int i = 0; i < REFUSED; i++) {
		aclmdlRI none = NULL;
		aclrtStream side = work;

		/* The side stream is not joined again: the end is refused, and the capture is over. */
		TRY(aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
		TRY(aclrtRecordEvent(event, capture));
		TRY(aclrtStreamWaitEvent(side, event));
		TRY(aclrtLaunchHostFunc(capture, first, (void *)"1"));
		TRY(aclrtLaunchHostFunc(side, first, (void *)"1"));
		expect(aclmdlRICaptureEnd(capture, &none) != ACL_SUCCESS, "an end that is refused");
		if (wrong)
			return;
		if (i == REFUSED / 10)
			before = resident();
	}
	expect(resident() - before <= bound, "memory");
	if (resident() - before > bound)
		printf("%lu MiB\n", resident() - before);
	launch_others(work);
	execute(model);
	ran("a1b2c3");
	TRY(aclmdlRIDestroy(model));
	TRY(aclrtDestroyEvent(event));
}

/* Many replays between other launches, and of two models by turns. */
static void replayed(void)
{
	aclmdlRI models[2] = {captured(), captured()};

	for (int i = 0; i < 2000; i++) {
		execute(models[i % 2]);
		ran("a1b2c3");
		if (i % 100 == 0) {
			launch_others(work);
			models_go();
		}
	}
	for (int i = 0; i < 2; i++)
		TRY(aclmdlRIDestroy(models[i]));
}

/* A stream that joined the capture through an event is captured as well. */
static void joined(void)
{
	aclmdlRI model = NULL;
	aclrtEvent forth = NULL, back = NULL;
	aclrtStream side = NULL;

	TRY(aclrtCreateStream(&side));
	TRY(aclrtCreateEventExWithFlag(&forth, ACL_EVENT_SYNC));
	TRY(aclrtCreateEventExWithFlag(&back, ACL_EVENT_SYNC));
	TRY(aclmdlRICaptureBegin(capture, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	TRY(aclrtRecordEvent(forth, capture));
	TRY(aclrtStreamWaitEvent(side, forth));
	launch_three(side);
	TRY(aclrtRecordEvent(back, side));
	TRY(aclrtStreamWaitEvent(capture, back));
	TRY(aclmdlRICaptureEnd(capture, &model));
	for (int i = 0; i < 3; i++) {
		launch_others(side);
		execute(model);
		ran("a1b2c3");
	}
	TRY(aclmdlRIDestroy(model));
	TRY(aclrtDestroyStream(side));
	TRY(aclrtDestroyEvent(forth));
	TRY(aclrtDestroyEvent(back));
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";

	sem_init(&gate, 0, 0);
	TRY(aclInit(NULL));
	TRY(aclrtSetDevice(0));
	TRY(aclrtCreateStream(&work));
	TRY(aclrtCreateStream(&capture));
	if (!strcmp(which, "queued"))
		queued();
	else if (!strcmp(which, "built"))
		built();
	else if (!strcmp(which, "bound"))
		bound();
	else if (!strcmp(which, "sub"))
		sub();
	else if (!strcmp(which, "refused"))
		refused(argc > 2 ? strtoul(argv[2], NULL, 10) : 1);
	else if (!strcmp(which, "replayed"))
		replayed();
	else if (!strcmp(which, "joined"))
		joined();
	else
		expect(false, "which test");
	TRY(aclrtDestroyStream(capture));
	TRY(aclrtDestroyStream(work));
	TRY(aclrtResetDevice(0));
	TRY(aclFinalize());
	printf("%s\n", wrong ? "failed" : "ok");
	return wrong != 0;
}
