/* SPDX-License-Identifier: Apache-2.0 */
/* Live pairs of initialisation, devices, contexts, events and leaks. */
#include "live.h"

PAIR("init-repeat", init_twice)
{
	if (bug)
		aclInit(NULL);
}

PAIR_WITH("init-missing", no_init, .bare = true)
{
	if (!bug)
		aclInit(NULL);
	aclrtSetDevice(0);
	aclrtResetDevice(0);
	if (!bug)
		aclFinalize();
}

PAIR_WITH("finalize-missing-at-exit", no_finalize, .bare = true)
{
	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtResetDevice(0);
	if (!bug)
		aclFinalize();
}

PAIR_WITH("finalize-before-reset", finalize_first, .bare = true)
{
	aclInit(NULL);
	aclrtSetDevice(0);
	if (bug)
		aclFinalize();
	aclrtResetDevice(0);
	if (!bug)
		aclFinalize();
}

PAIR("device-reset-with-live-objects", event_left)
{
	aclrtEvent e;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	if (!bug)
		aclrtDestroyEvent(e);
}

PAIR("device-reset-release-order", event_last)
{
	aclrtEvent e;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	aclrtRecordEvent(e, s);
	aclrtSynchronizeStream(s);
	if (!bug)
		aclrtDestroyEvent(e);
	aclrtDestroyStream(s);
	s = NULL;
	if (bug)
		aclrtDestroyEvent(e);
}

PAIR_WITH("device-unbalanced-set-reset", set_again, .settings = "ACLCHECK_TARGET_CANN=9.1")
{
	aclrtSetDevice(0);
	if (!bug)
		aclrtResetDevice(0);
	else {
		aclrtDestroyStream(s);
		s = NULL;
	}
}

PAIR("leak-device-memory", device_memory_left)
{
	if (bug)
		d = NULL;
}

PAIR("leak-host-memory", host_memory_left)
{
	if (bug)
		h = NULL;
}

PAIR_WITH("leak-objects", objects_left, .bare = true)
{
	aclrtEvent e;

	aclInit(NULL);
	aclrtSetDevice(0);
	aclrtSetDevice(0);
	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	if (!bug)
		aclrtDestroyEvent(e);
	aclrtResetDevice(0);
	aclFinalize();
}

PAIR_WITH("context-destroy-with-streams", context_first, .also = "stream-destroyed-handle")
{
	aclrtContext dflt, own;
	aclrtStream inside;

	aclrtGetCurrentContext(&dflt);
	aclrtCreateContext(&own, 0);
	aclrtCreateStream(&inside);
	if (!bug)
		aclrtDestroyStream(inside);
	aclrtDestroyContext(own);
	aclrtSetCurrentContext(dflt);
}

static void set_nothing(void)
{
	void *p = NULL;

	if (bug)
		aclrtResetDevice(0);
	if (aclrtMalloc(&p, N, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS)
		aclrtFree(p);
	if (bug)
		aclrtSetDevice(0);
}

PAIR_WITH("current-context-missing", no_context, .bare = true, .also = "device-reset-unset")
{
	aclInit(NULL);
	if (!bug)
		aclrtSetDevice(0);
	set_nothing();
	aclrtResetDevice(0);
	aclFinalize();
}

PAIR("stream-other-context-use", foreign_stream)
{
	aclrtContext dflt, own;

	aclrtGetCurrentContext(&dflt);
	aclrtCreateContext(&own, 0);
	if (!bug)
		aclrtSetCurrentContext(dflt);
	aclrtMemsetAsync(d, N, 0, N, s);
	aclrtSetCurrentContext(dflt);
	aclrtDestroyContext(own);
}

PAIR("event-wait-before-record", wait_first)
{
	aclrtEvent e;
	aclrtStream other;

	aclrtCreateEventExWithFlag(&e, ACL_EVENT_SYNC);
	aclrtCreateStream(&other);
	if (!bug)
		aclrtRecordEvent(e, s);
	aclrtStreamWaitEvent(other, e);
	if (bug)
		aclrtRecordEvent(e, s);
	aclrtSynchronizeStream(s);
	aclrtDestroyEvent(e);
	aclrtDestroyStream(other);
}

/* A wait that really blocks: said when no thread can record any more. */
PAIR("event-wait-before-record", wait_for_ever)
{
	aclrtEvent e;
	aclrtStream other;

	aclrtCreateEventWithFlag(&e, ACL_EVENT_SYNC);
	aclrtCreateStream(&other);
	aclrtStreamWaitEvent(other, e);
	if (!bug)
		aclrtRecordEvent(e, s);
	aclrtSynchronizeStreamWithTimeout(other, bug ? 20 : 10000);
	if (bug)
		aclrtRecordEvent(e, s);
	aclrtSynchronizeStream(other);
	aclrtDestroyEvent(e);
	aclrtDestroyStream(other);
}
