/* SPDX-License-Identifier: Apache-2.0 */
/* What several threads and streams do at once: who is woken, what may go away meanwhile. */
#include <pthread.h>
#include <stdlib.h>

#include "softnpu.h"
#include "two_streams.h"

#define LARGE ((size_t)64 << 20)

static atomic_int gate, gate2;
static aclrtStream third;

static void note(void *flag)
{
	atomic_store((atomic_int *)flag, 1);
}

static void await(atomic_int *flag)
{
	while (!atomic_load(flag))
		usleep(100);
}

/* Some hundred milliseconds in which the one worker serves no other stream. */
static void keep_busy(aclrtStream stream)
{
	void *large = device_new(LARGE);

	for (int i = 0; i < 16; i++)
		OK(aclrtMemsetAsync(large, LARGE, i, LARGE, stream));
}

static void one_worker(void)
{
	alarm(60);
	putenv("SOFTNPU_WORKERS=1");
	setup();
	third = stream_new();
}

/* --- the first that waited is aborted before it is served ---------------------------------- */

static void turn_after_an_aborted_one(void)
{
	atomic_int began = 0, ended = 0;
	aclmdlRI m;

	one_worker();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtLaunchHostFunc(s, note, &began));
	OK(aclrtLaunchHostFunc(s, gate_wait, &gate));
	OK(aclrtLaunchHostFunc(s, note, &ended));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIExecuteAsync(m, s));
	keep_busy(s);
	await(&began);
	OK(aclmdlRIExecuteAsync(m, s2));
	OK(aclmdlRIExecuteAsync(m, third));
	usleep(20000);
	gate_open(&gate);
	await(&ended);
	usleep(20000);
	OK(aclrtStreamAbort(s2));
	OK(aclrtSynchronizeStreamWithTimeout(third, 10000));
}

static void notify_after_an_aborted_one(void)
{
	aclrtNotify notify;
	atomic_int ended = 0;

	one_worker();
	OK(aclrtCreateNotify(&notify, 0));
	gate_hold(s, &gate);
	OK(aclrtLaunchHostFunc(s, note, &ended));
	OK(aclrtRecordNotify(notify, s));
	keep_busy(s);
	OK(aclrtWaitAndResetNotify(notify, s2, 0));
	usleep(20000);
	OK(aclrtWaitAndResetNotify(notify, third, 0));
	usleep(20000);
	gate_open(&gate);
	await(&ended);
	usleep(20000);
	OK(aclrtStreamAbort(s2));
	OK(aclrtSynchronizeStreamWithTimeout(third, 10000));
}

/* --- what goes on for ever leaves others their turn ------------------------------------------- */

static void loop_without_tasks(void)
{
	aclmdlRICondHandle handle;
	aclmdlRICondTaskParams params = {.type = ACL_MODEL_RI_COND_TYPE_WHILE, .size = 1};
	uint64_t *word, none = 0;
	aclmdlRI m, body;

	setup();
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclmdlRICaptureGetInfo(s, NULL, &m));
	OK(aclmdlRICondHandleCreate(m, 1, ACL_MODEL_RI_COND_HANDLE_ASSIGN_DEFAULT, &handle));
	OK(aclmdlRICondHandleGetCondPtr(handle, &word));
	params.handle = handle;
	params.modelRIArray = &body;
	OK(aclmdlRIAddCondTask(params, s, 0));
	OK(aclmdlRICaptureToModelRIBegin(s2, body, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclmdlRICaptureEnd(s2, &body));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIExecuteAsync(m, s));
	IS(aclrtSynchronizeStreamWithTimeout(s, 20), 507046);
	OK(aclrtMemcpy(word, sizeof(*word), &none, sizeof(none), TO_DEVICE));
	OK(aclrtSynchronizeStream(s));
	OK(aclmdlRIExecuteAsync(m, s));
	usleep(20000);
	OK(aclrtStreamAbort(s));
	OK(aclmdlRIDestroy(m));
}

/* The jump leads to itself until another stream writes another index. */
static void loop_of_a_label(void)
{
	uint32_t index = 0;
	aclrtLabel labels[2];
	aclrtLabelList list;
	aclrtStream ms, other;
	aclmdlRI m;

	setup();
	OK(aclrtCreateStreamWithConfig(&ms, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBuildBegin(&m, 0));
	OK(aclmdlRIBindStream(m, ms, 0));
	OK(aclrtCreateLabel(&labels[0]));
	OK(aclrtCreateLabel(&labels[1]));
	OK(aclrtCreateLabelList(labels, 2, &list));
	OK(aclrtSetLabel(labels[0], ms));
	OK(aclrtSwitchLabelByIndex(d, 2, list, ms));
	OK(aclrtSetLabel(labels[1], ms));
	OK(aclmdlRIEndTask(m, ms));
	OK(aclmdlRIBuildEnd(m, NULL));
	OK(aclrtMemcpy(d, sizeof(index), &index, sizeof(index), TO_DEVICE));
	OK(aclmdlRIExecuteAsync(m, s));
	usleep(20000);
	OK(aclrtCreateStream(&other));
	OK(aclrtValueWrite(d, 1, 0, other));
	OK(aclrtSynchronizeStream(s));
}

/* --- tasks that are taken away ------------------------------------------------------------------ */

static aclmdlRI built(aclrtStream *ms)
{
	aclmdlRI m;

	OK(aclrtCreateStreamWithConfig(ms, 0, ACL_STREAM_PERSISTENT));
	OK(aclmdlRIBuildBegin(&m, 0));
	OK(aclmdlRIBindStream(m, *ms, 0));
	OK(aclrtLaunchHostFunc(*ms, gate_wait, &gate));
	OK(aclrtMemsetAsync(d, 64, 1, 64, *ms));
	OK(aclmdlRIEndTask(m, *ms));
	OK(aclmdlRIBuildEnd(m, NULL));
	return m;
}

static void cleaned_tasks(void)
{
	aclmdlRITask tasks[2];
	aclmdlRITaskType type;
	uint32_t n = 2;
	aclrtStream ms;
	aclmdlRI m;

	setup();
	m = built(&ms);
	OK(aclmdlRIGetTasksByStream(ms, tasks, &n));
	IS(n, 2);
	OK(aclmdlRIExecuteAsync(m, s));
	IS(aclrtPersistentTaskClean(ms), 507000); /* it is running */
	gate_open(&gate);
	OK(aclrtSynchronizeStream(s));
	OK(aclrtPersistentTaskClean(ms));
	IS(aclmdlRITaskGetType(tasks[1], &type), 107017);
}

static void nothing(const softnpu_launch *launch)
{
	(void)launch;
}

static atomic_int raised;

static void hold_exception(aclrtExceptionInfo *info)
{
	(void)info;
	atomic_store(&raised, 1);
	gate_wait(&gate);
}

/* A kernel of a group fails, and while the program hears of it another takes its place. */
static void replaced_when_it_failed(void)
{
	aclrtTaskGrp group;
	aclmdlRI m;

	putenv("SOFTNPU_FAULT_TASK=2");
	setup();
	OK(aclrtExceptionInfoCallbackRegister(hold_exception));
	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	OK(aclmdlRICaptureTaskGrpBegin(s));
	OK(softnpu_launch_host("nothing", nothing, NULL, 0, s));
	OK(aclmdlRICaptureTaskGrpEnd(s, &group));
	OK(aclmdlRICaptureEnd(s, &m));
	OK(aclmdlRIExecuteAsync(m, s));
	await(&raised);
	OK(aclmdlRICaptureTaskUpdateBegin(s2, group));
	OK(softnpu_launch_host("nothing", nothing, NULL, 0, s2));
	OK(aclmdlRICaptureTaskUpdateEnd(s2));
	OK(aclrtSynchronizeStream(s2));
	gate_open(&gate);
	IS(aclrtSynchronizeStream(s), 507015);
}

/* --- callbacks ------------------------------------------------------------------------------------- */

/* One that no thread fetches holds up no abort. */
static void abort_without_the_callback(void)
{
	int n = 0;

	alarm(20);
	setup();
	OK(aclrtSubscribeReport((uint64_t)pthread_self(), s));
	OK(aclrtLaunchCallback(note, &n, ACL_CALLBACK_NO_BLOCK, s));
	IS(aclrtSynchronizeStreamWithTimeout(s, 20), 507046);
	OK(aclrtStreamAbort(s));
	OK(aclrtDeviceTaskAbort(0, 0));
	OK(aclrtProcessReport(100));
	IS(n, 1);
	OK(aclrtSynchronizeStream(s));
}

static atomic_int processed;

static void *process_report(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	await(&gate);
	atomic_store(&processed, aclrtProcessReport(-1));
	return arg;
}

static void no_stream_any_more(void)
{
	pthread_t t;

	alarm(20);
	atomic_store(&processed, 1);
	setup();
	OK(pthread_create(&t, NULL, process_report, NULL));
	OK(aclrtSubscribeReport((uint64_t)t, s));
	OK(aclrtSubscribeReport((uint64_t)t, s2));
	gate_open(&gate);
	usleep(20000);
	OK(aclrtUnSubscribeReport((uint64_t)t, s));
	usleep(20000);
	IS(atomic_load(&processed), 1);
	OK(aclrtUnSubscribeReport((uint64_t)t, s2));
	OK(pthread_join(t, NULL));
	IS(atomic_load(&processed), 507012);
}

/* The thread of a stream that is destroyed waits on. */
static void stream_is_destroyed(void)
{
	pthread_t t;

	alarm(20);
	atomic_store(&processed, 1);
	setup();
	OK(pthread_create(&t, NULL, process_report, NULL));
	OK(aclrtSubscribeReport((uint64_t)t, s));
	gate_open(&gate);
	usleep(20000);
	OK(aclrtDestroyStream(s));
	usleep(20000);
	IS(atomic_load(&processed), 1);
	/* It is of no device any more. */
	OK(aclrtSetDevice(1));
	OK(aclrtSubscribeReport((uint64_t)t, stream_new()));
	OK(pthread_cancel(t));
	OK(pthread_join(t, NULL));
}

#ifndef __SANITIZE_THREAD__
static void *create_events(void *arg)
{
	aclrtEvent event;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	OK(aclrtSetDevice(0));
	for (;;) {
		aclrtCreateEvent(&event);
		aclrtDestroyEvent(event);
	}
	return arg;
}

/* A thread that is cancelled in the middle of a call leaves the others theirs. ThreadSanitizer has locks of
 * its own in each. */
static void cancelled_threads(void)
{
	aclrtEvent event;
	pthread_t t;
	int type;

	setup();
	for (int i = 0; i < 100; i++) {
		OK(pthread_create(&t, NULL, create_events, NULL));
		usleep(500);
		OK(pthread_cancel(t));
		OK(pthread_join(t, NULL));
		OK(aclrtCreateEvent(&event));
	}
	OK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &type));
	IS(type, PTHREAD_CANCEL_ENABLE);
}
#endif

static atomic_int reading, ended;

static aclError slow_callback(const char *config, size_t length, void *data)
{
	atomic_store(&reading, 1);
	gate_wait(&gate);
	IS(length, strlen(config));
	IS(strcmp(config, data), 0);
	return ACL_SUCCESS;
}

static void *end_and_begin(void *path)
{
	OK(aclFinalize());
	OK(aclInit(path));
	atomic_store(&ended, 1);
	return NULL;
}

static void *register_late(void *data)
{
	OK(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, slow_callback, data));
	return NULL;
}

/* The configuration that a late callback is given is there until it returns. */
static void configuration_stays(void)
{
	char path[] = "/tmp/softnpu-configuration-XXXXXX", text[] = "{\"a\": 1}";
	pthread_t late, other;
	int fd = mkstemp(path);

	IS(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	OK(aclInit(path));
	OK(pthread_create(&late, NULL, register_late, text));
	await(&reading);
	OK(pthread_create(&other, NULL, end_and_begin, path));
	usleep(20000);
	OK(atomic_load(&ended));
	gate_open(&gate);
	OK(pthread_join(late, NULL));
	OK(pthread_join(other, NULL));
	unlink(path);
}

/* --- devices ------------------------------------------------------------------------------------------ */

static void *reset(void *arg)
{
	OK(aclrtResetDevice(0));
	return arg;
}

/* Another thread sets the device while a reset of it waits for its work. */
static void set_during_a_reset(void)
{
	int32_t active = 1;
	pthread_t t;

	alarm(20);
	setup();
	gate_hold(s, &gate);
	OK(pthread_create(&t, NULL, reset, NULL));
	while (active)
		OK(aclrtGetPrimaryCtxState(0, NULL, &active));
	OK(aclrtSetDevice(0));
	device_new(64);
	gate_open(&gate);
	OK(pthread_join(t, NULL));
	for (int i = 0; i < 3; i++)
		device_new(64);
	OK(aclrtResetDevice(0));
	IS(aclrtResetDevice(0), 507007);
	OK(aclrtSetDevice(0));
	device_new(64);
}

/* --- shared events -------------------------------------------------------------------------------------- */

static void status_is(aclrtEvent event, int want)
{
	aclrtEventRecordedStatus status;

	OK(aclrtQueryEventStatus(event, &status));
	IS(status, want);
}

/* Two records are pending when the event is shared: the latest counts. */
static void shared_after_two_records(void)
{
	aclrtIpcEventHandle key;
	aclrtEvent event;

	setup();
	event = event_ex(ACL_EVENT_IPC);
	gate_hold(s, &gate);
	OK(aclrtRecordEvent(event, s));
	gate_hold(s2, &gate2);
	OK(aclrtRecordEvent(event, s2));
	OK(aclrtIpcGetEventHandle(event, &key));
	gate_open(&gate);
	OK(aclrtSynchronizeStream(s));
	status_is(event, ACL_EVENT_RECORDED_STATUS_NOT_READY);
	gate_open(&gate2);
	OK(aclrtSynchronizeStream(s2));
	status_is(event, ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

/* Nothing waits for a record that was refused. */
static void refused_record_of_a_shared_event(void)
{
	aclrtIpcEventHandle key;
	aclrtEvent event;

	alarm(20);
	putenv("SOFTNPU_FAULT_TASK=1");
	setup();
	event = event_ex(ACL_EVENT_IPC);
	OK(aclrtIpcGetEventHandle(event, &key));
	OK(aclrtSetStreamFailureMode(s, ACL_STOP_ON_FAILURE));
	OK(aclrtMemsetAsync(d, 64, 1, 64, s));
	IS(aclrtSynchronizeStream(s), 507015);
	IS(aclrtRecordEvent(event, s), 507015);
	status_is(event, ACL_EVENT_RECORDED_STATUS_COMPLETE);
	OK(aclrtSynchronizeEvent(event));
}

static const struct tap_case cases[] = {
	C(turn_after_an_aborted_one),
	C(notify_after_an_aborted_one),
	C(loop_without_tasks),
	C(loop_of_a_label),
	C(cleaned_tasks),
	C(replaced_when_it_failed),
	C(abort_without_the_callback),
	C(no_stream_any_more),
	C(stream_is_destroyed),
#ifndef __SANITIZE_THREAD__
	C(cancelled_threads),
#endif
	C(configuration_stays),
	C(shared_after_two_records),
	C(refused_record_of_a_shared_event),
	C(set_during_a_reset),
};

int main(void)
{
	static const char *const newest[] = {"SOFTNPU_CANN=9.2", NULL};

	tap_run(cases, COUNT(cases), "", NULL);
	tap_run(&cases[COUNT(cases) - 1], 1, "9.2: ", newest);
	return tap_done();
}
