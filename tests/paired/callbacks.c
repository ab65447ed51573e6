/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of the rules about callbacks: of streams, of exceptions, and the order of repair. */
#include "paired.h"

#define INFO ((void *)heap_memory)
#define OTHER_INFO ((void *)(heap_memory + 256))

/* --- who runs them ------------------------------------------------------------------------ */

static void report_unsubscribed(void)
{
	aclrtStream s = make_stream();

	/* A loop may begin before its thread is subscribed. */
	pair_thread(1);
	CALL_FAILS(107012, aclrtProcessReport, .timeout = 10);
	pair_thread(0);
	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(bug ? 2 : 1), .stream = s);
	pair_thread(1);
	CALL_FAILS(bug ? 107012 : 507012, aclrtProcessReport, .timeout = 10);
	/* And go on when it is no more. */
	if (!bug) {
		CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
		CALL_FAILS(107012, aclrtProcessReport, .timeout = 10);
	}
	pair_thread(0);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

/* The same of the thread for host functions. */
static void host_functions_unsubscribed(void)
{
	aclrtStream s = make_stream();

	pair_thread(1);
	CALL_FAILS(107012, aclrtProcessHostFunc, .timeout = 10);
	pair_thread(0);
	CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(bug ? 2 : 1), .exeStream = s);
	pair_thread(1);
	CALL_FAILS(bug ? 107012 : 507012, aclrtProcessHostFunc, .timeout = 10);
	if (!bug) {
		CALL(aclrtUnSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
		CALL_FAILS(107012, aclrtProcessHostFunc, .timeout = 10);
	}
	pair_thread(0);
	CALL(aclrtDestroyStream, .stream = s);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

static void host_functions_of_another_thread(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	CALL_FAILS(bug ? 107012 : 0, aclrtUnSubscribeHostFunc,
		.hostFuncThreadId = pair_thread_id(bug ? 2 : 1), .exeStream = s);
}

static void host_functions_unsubscribed_twice(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	CALL(aclrtUnSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	if (!bug)
		CALL(aclrtSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1), .exeStream = s);
	CALL_FAILS(bug ? 107011 : 0, aclrtUnSubscribeHostFunc, .hostFuncThreadId = pair_thread_id(1),
		.exeStream = s);
}

static void nobody_processes(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_NO_BLOCK, .stream = s);
	pair_thread(bug ? 2 : 1);
	CALL_FAILS(bug ? 107012 : 0, aclrtProcessReport, .timeout = 1000);
	pair_thread(0);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 50);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtDestroyStreamForce, .stream = s);
	CALL(aclrtResetDevice, .deviceId = 0);
	CALL(aclFinalize);
	pair_exit();
}

/* The thread that is to run the callback waits for it. */
static void waits_for_itself(void)
{
	aclrtStream s = make_stream();

	pair_thread(1);
	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_BLOCK, .stream = s);
	if (!bug)
		CALL(aclrtProcessReport, .timeout = 1000);
	pair_thread(bug ? 1 : 0);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 50);
	/* Now nothing is left to wait for. */
	pair_thread(1);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	pair_thread(0);
}

/* Another thread is there, and has not asked for callbacks while it was waited for. */
static void nobody_processed_yet(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_BLOCK, .stream = s);
	/* It may just begin. */
	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	pair_thread(0);
	CALL_FAILS(507046, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 50);
	pair_thread(1);
	if (!bug)
		CALL(aclrtProcessReport, .timeout = 1000);
	pair_thread(0);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 60);
	pair_thread(1);
	CALL(aclrtResetDevice, .deviceId = 0);
	pair_thread(0);
}

/* The number that the system has of the thread is no pthread id. */
static void subscribed_by_number(void)
{
	uint64_t thread = bug ? pair_thread_number(1) : pair_thread_id(1);
	aclrtStream s = make_stream();

	pair_thread(1);
	CALL(aclrtSetDevice, .deviceId = 0);
	pair_thread(0);
	CALL(aclrtSubscribeReport, .threadId = thread, .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_NO_BLOCK, .stream = s);
	pair_thread(1);
	CALL_FAILS(bug ? 107012 : 0, aclrtProcessReport, .timeout = 1000);
	CALL(aclrtResetDevice, .deviceId = 0);
	pair_thread(0);
	CALL_FAILS(bug ? 507046 : 0, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 60);
	CALL(aclrtUnSubscribeReport, .threadId = thread, .stream = s);
}

/* This thread is alone, and the stream waits for the callback. */
static void nobody_will_process(void)
{
	aclrtStream s = make_stream();

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .blockType = ACL_CALLBACK_BLOCK, .stream = s);
	/* Threads that have not called yet may come to process. */
	if (!bug)
		pair_unseen(CHECKS_OTHER_THREADS);
	CALL_FAILS(507046, aclrtSynchronizeStreamWithTimeout, .stream = s, .timeout = 50);
}

/* --- what they call --------------------------------------------------------------------------- */

static void wait_in_exception(void)
{
	CALL(aclrtSetExceptionInfoCallback, .callback = HANDLE);
	pair_callback_begin(ACL_API_aclrtSetExceptionInfoCallback, INFO);
	CALL(aclrtGetDeviceIdFromExceptionInfo, .info = INFO);
	if (bug)
		CALL_FAILS(507000, aclrtSynchronizeDevice);
	pair_callback_end(ACL_API_aclrtSetExceptionInfoCallback, INFO);
	CALL(aclrtSynchronizeDevice);
}

static void info_kept(void)
{
	CALL(aclrtSetExceptionInfoCallback, .callback = HANDLE);
	/* No call shows who received this. */
	CALL(aclrtGetStreamIdFromExceptionInfo, .info = OTHER_INFO);
	pair_callback_begin(ACL_API_aclrtSetExceptionInfoCallback, INFO);
	CALL(aclrtGetTaskIdFromExceptionInfo, .info = INFO);
	/* Another thread may be asked to read it meanwhile. */
	pair_thread(1);
	CALL(aclrtGetThreadIdFromExceptionInfo, .info = INFO);
	pair_thread(0);
	pair_callback_end(ACL_API_aclrtSetExceptionInfoCallback, INFO);
	if (bug)
		CALL(aclrtGetTaskIdFromExceptionInfo, .info = INFO);
}

/* No callback was ever registered. */
static void info_of_nobody(void)
{
	if (!bug)
		CALL(aclrtSetExceptionInfoCallback, .callback = HANDLE);
	CALL(aclrtGetTaskIdFromExceptionInfo, .info = OTHER_INFO);
}

static void info_null(void)
{
	pair_callback_begin(ACL_API_aclrtExceptionInfoCallbackRegister, INFO);
	CALL(aclrtGetErrorCodeFromExceptionInfo, .info = bug ? NULL : INFO);
	pair_callback_end(ACL_API_aclrtExceptionInfoCallbackRegister, INFO);
}

static void registered_late(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(4096);

	if (!bug)
		CALL(aclrtSetExceptionInfoCallback, .callback = HANDLE);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	/* Taken back and set again it is no first registration. */
	CALL(aclrtSetExceptionInfoCallback, .callback = NULL);
	CALL(aclrtSetExceptionInfoCallback, .callback = HANDLE);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void registered_late_for_binary(void)
{
	aclrtBinHandle b = NULL;
	aclrtFuncHandle f = NULL;
	aclrtStream s = make_stream();

	CALL_DOES(aclrtBinaryLoadFromData, 0, b = make_address(), .data = heap_memory, .length = 4096,
		.binHandle = &b);
	CALL_DOES(aclrtBinaryGetFunction, 0, f = make_address(), .binHandle = b, .kernelName = "add",
		.funcHandle = &f);
	if (!bug)
		CALL(aclrtBinarySetExceptionCallback, .binHandle = b, .callback = HANDLE);
	CALL(aclrtLaunchKernelV2, .funcHandle = f, .numBlocks = 1, .argsData = DEVICE, .argsSize = 64,
		.stream = s);
	CALL(aclrtBinarySetExceptionCallback, .binHandle = b, .callback = HANDLE);
	CALL(aclrtSynchronizeStream, .stream = s);
}

/* --- repair ---------------------------------------------------------------------------------------- */

static aclrtErrorInfo info;

static void verbose_after_abort(void)
{
	if (!bug)
		CALL(aclrtGetErrorVerbose, .deviceId = 0, .errorInfo = &info);
	CALL(aclrtDeviceTaskAbort, .deviceId = 0);
	CALL(aclrtGetErrorVerbose, .deviceId = 0, .errorInfo = &info);
	if (!bug)
		CALL_FAILS(207000, aclrtRepairError, .deviceId = 0, .errorInfo = &info);
}

static void repair_unaborted(void)
{
	CALL(aclrtGetErrorVerbose, .deviceId = 0, .errorInfo = &info);
	if (!bug)
		CALL(aclrtDeviceTaskAbort, .deviceId = 0);
	CALL_FAILS(207000, aclrtRepairError, .deviceId = 0, .errorInfo = &info);
}

/* The device went on after an abort: the next error is another one. */
static void verbose_of_next(void)
{
	aclrtStream s = make_stream();
	void *d = make_device_memory(4096);

	CALL(aclrtDeviceTaskAbort, .deviceId = 0);
	CALL(aclrtMemsetAsync, .devPtr = d, .maxCount = 4096, .count = 4096, .stream = s);
	CALL(aclrtGetErrorVerbose, .deviceId = 0, .errorInfo = &info);
	if (!bug)
		CALL(aclrtDeviceTaskAbort, .deviceId = 0);
	CALL_FAILS(207000, aclrtRepairError, .deviceId = 0, .errorInfo = &info);
}

static void abort_captured(void)
{
	aclrtStream s = make_stream(), other = make_stream();
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	CALL(aclrtStreamAbort, .stream = bug ? s : other);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

static void abort_captured_device(void)
{
	aclrtStream s = make_stream();
	aclmdlRI m = NULL;

	CALL(aclmdlRICaptureBegin, .stream = s, .mode = ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
	if (bug)
		CALL(aclrtDeviceTaskAbort, .deviceId = 0);
	/* A device that is not used. */
	CALL_FAILS(107002, aclrtDeviceTaskAbort, .deviceId = 1);
	CALL_DOES(aclmdlRICaptureEnd, 0, m = make_address(), .stream = s, .modelRI = &m);
}

/* --- what a callback is given -------------------------------------------------------------------------- */

static void data_of_host_function(void)
{
	aclrtStream s = make_stream();
	char *h = make_host_memory(4096);

	make_busy(s);
	CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE, .args = h + 64);
	if (!bug)
		CALL(aclrtSynchronizeStream, .stream = s);
	CALL(aclrtFreeHost, .hostPtr = h);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static void data_of_callback(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(4096);

	CALL(aclrtSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
	CALL(aclrtLaunchCallback, .fn = HANDLE, .userData = h, .blockType = ACL_CALLBACK_BLOCK, .stream = s);
	if (bug)
		CALL(aclrtFreeHost, .hostPtr = h);
	pair_thread(1);
	CALL(aclrtProcessReport, .timeout = 1000);
	pair_thread(0);
	CALL(aclrtSynchronizeStream, .stream = s);
	if (!bug)
		CALL(aclrtFreeHost, .hostPtr = h);
	CALL(aclrtUnSubscribeReport, .threadId = pair_thread_id(1), .stream = s);
}

/* A callback that has begun may have told that it needs its data no more. */
static void data_of_begun_callback(void)
{
	aclrtStream s = make_stream();
	void *h = make_host_memory(4096);

	make_busy(s);
	CALL(aclrtLaunchHostFunc, .stream = s, .fn = HANDLE, .args = h);
	pair_thread(1);
	if (!bug)
		pair_callback_begin(ACL_API_aclrtLaunchHostFunc, h);
	pair_thread(0);
	CALL(aclrtFreeHost, .hostPtr = h);
	pair_thread(1);
	if (!bug)
		pair_callback_end(ACL_API_aclrtLaunchHostFunc, h);
	pair_thread(0);
	CALL(aclrtSynchronizeStream, .stream = s);
}

static const struct pair pairs[] = {
	PAIR_AVOIDS("free-host-in-flight", data_of_host_function),
	PAIR_AVOIDS("free-host-in-flight", data_of_callback),
	PAIR_AVOIDS("free-host-in-flight", data_of_begun_callback),
	PAIR("processreport-not-subscribed", report_unsubscribed),
	PAIR("processreport-not-subscribed", host_functions_unsubscribed),
	PAIR_ALSO("subscribe-thread-not-processing", nobody_processes, "processreport-not-subscribed"),
	PAIR("subscribe-thread-not-processing", waits_for_itself),
	PAIR("subscribe-thread-not-processing", nobody_processed_yet),
	PAIR_AVOIDS("subscribe-thread-not-processing", nobody_will_process),
	PAIR_ALSO("subscribe-thread-not-processing", subscribed_by_number, "processreport-not-subscribed"),
	PAIR("exc-callback-calls-runtime", wait_in_exception),
	PAIR("exc-info-escaped", info_kept),
	PAIR_AVOIDS("exc-info-escaped", info_of_nobody),
	PAIR("exc-info-escaped", info_null),
	PAIR("exc-callback-register-late", registered_late),
	PAIR("exc-callback-register-late", registered_late_for_binary),
	PAIR("exc-verbose-order", verbose_after_abort),
	PAIR("exc-verbose-order", repair_unaborted),
	PAIR("exc-verbose-order", verbose_of_next),
	PAIR("exc-abort-during-capture", abort_captured),
	PAIR("exc-abort-during-capture", abort_captured_device),
	PAIR("unsubscribe-not-subscribed", host_functions_of_another_thread),
	PAIR("unsubscribe-not-subscribed", host_functions_unsubscribed_twice),
};

PAIRS_MAIN("callback rules", pairs)
