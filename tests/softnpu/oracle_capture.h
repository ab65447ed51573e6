/* SPDX-License-Identifier: Apache-2.0 */
/* What the cases about captures share. */
#ifndef SOFTNPU_ORACLE_CAPTURE_H
#define SOFTNPU_ORACLE_CAPTURE_H

#include "oracle.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED

static void *dev, *dev2, *host;
static aclrtStream s, s2;

/* What nearly every case begins with. */
static inline void setup(void)
{
	OK(aclrtSetDevice(0));
	dev = device_new(N_BYTES);
	dev2 = device_new(N_BYTES);
	host = host_new(N_BYTES);
	s = stream_new();
	s2 = stream_new();
}

static inline void begin(aclmdlRICaptureMode mode)
{
	OK(aclmdlRICaptureBegin(s, mode));
}

static inline aclmdlRI end(void)
{
	aclmdlRI m = NULL;

	OK(aclmdlRICaptureEnd(s, &m));
	TRUE(m);
	return m;
}

static inline int copy_on(aclrtStream stream)
{
	return aclrtMemcpyAsync(dev2, N_BYTES, dev, N_BYTES, ACL_MEMCPY_DEVICE_TO_DEVICE, stream);
}

static inline int status_of(aclrtStream stream)
{
	aclmdlRICaptureStatus status = ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED;

	OK(aclmdlRICaptureGetInfo(stream, &status, NULL));
	return status;
}

/* s2 waits for what s did: joins its capture. */
static inline void fork_s2(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	OK(aclrtRecordEvent(e, s));
	OK(aclrtStreamWaitEvent(s2, e));
}

static inline void join_s2(void)
{
	aclrtEvent e = event_ex(ACL_EVENT_SYNC);

	OK(aclrtRecordEvent(e, s2));
	OK(aclrtStreamWaitEvent(s, e));
}

#endif
