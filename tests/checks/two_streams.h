/* SPDX-License-Identifier: Apache-2.0 */
/* Where the tests of the order of tasks begin: two streams, memory of the device and of the host, an event.
 */
#ifndef TESTS_CHECKS_TWO_STREAMS_H
#define TESTS_CHECKS_TWO_STREAMS_H

#include "fixture.h"

#define DOCUMENTS CHECKS_TARGET_DOCUMENTS

struct two_streams {
	struct fixture *fixture;
	void *s, *t, *d, *h, *event;
};

static inline struct two_streams two_streams(void)
{
	struct two_streams x = {.fixture = fixture_ready(DOCUMENTS)};

	x.fixture->other_ways = 0;
	x.s = fixture_stream(x.fixture, 1);
	x.t = fixture_stream(x.fixture, 2);
	x.d = fixture_malloc(x.fixture, DEVICE_MEMORY, 4096);
	x.h = fixture_malloc_host(x.fixture, HOST_MEMORY, 4096);
	x.event = handle(3);
	CALL(x.fixture, aclrtCreateEventExWithFlag, 0, .event = &x.event, .flag = ACL_EVENT_SYNC);
	silent(x.fixture);
	return x;
}

static inline void up(struct two_streams *x, void *stream, aclrtMemcpyKind kind)
{
	CALL(x->fixture, aclrtMemcpyAsync, 0, .dst = x->d, .destMax = 4096, .src = x->h, .count = 4096,
		.kind = kind, .stream = stream);
}

#endif
