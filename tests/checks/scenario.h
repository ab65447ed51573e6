/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tests of the core rules begin: one device with memory, page-locked host memory and a stream. */
#ifndef TESTS_CHECKS_SCENARIO_H
#define TESTS_CHECKS_SCENARIO_H

#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS
#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL
#define THREAD_LOCAL ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL
#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define KIB 1024ul
#define SIZE (4 * KIB)

struct scenario {
	struct fixture *fixture;
	size_t bytes; /* of d and of h */
	char *d, *h;
	void *s;
};

static inline struct scenario scenario(int target, size_t bytes)
{
	struct scenario sc = {.fixture = fixture_ready(target), .bytes = bytes};

	sc.d = fixture_malloc(sc.fixture, DEVICE_MEMORY, bytes);
	sc.h = fixture_malloc_host(sc.fixture, HOST_MEMORY, bytes);
	sc.s = fixture_stream(sc.fixture, 1);
	return sc;
}

static inline void other_thread(struct fixture *fixture, uint32_t tid)
{
	bool fresh = fixture->tid != tid;

	fixture->tid = tid;
	if (fresh)
		CALL(fixture, aclrtSetDevice, 0, .deviceId = 0);
}

#define BEGIN(sc, how) CALL((sc).fixture, aclmdlRICaptureBegin, 0, .stream = (sc).s, .mode = how)
#define COPY(sc, to, from, n, how, stream_)                                                                  \
	CALL((sc).fixture, aclrtMemcpyAsync, 0, .dst = (to), .destMax = (sc).bytes, .src = (from),           \
		.count = (n), .kind = ACL_MEMCPY_##how, .stream = (stream_))
#define SYNC_COPY(sc, error)                                                                                 \
	CALL((sc).fixture, aclrtMemcpy, error, .dst = (sc).d, .destMax = (sc).bytes, .src = (sc).h,          \
		.count = (sc).bytes, .kind = ACL_MEMCPY_HOST_TO_DEVICE)
#define SET(sc, stream_)                                                                                     \
	CALL((sc).fixture, aclrtMemsetAsync, 0, .devPtr = (sc).d, .maxCount = (sc).bytes,                    \
		.count = (sc).bytes, .stream = stream_)
#define RECORD(sc, e, stream_) CALL((sc).fixture, aclrtRecordEvent, 0, .event = e, .stream = stream_)
#define WAIT(sc, stream_, e) CALL((sc).fixture, aclrtStreamWaitEvent, 0, .stream = stream_, .event = e)
#define SYNC(sc, stream_, error) CALL((sc).fixture, aclrtSynchronizeStream, error, .stream = stream_)

#endif
