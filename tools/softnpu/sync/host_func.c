/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads subscribed for host functions.  The documents say who may subscribe
 * and what fails, not which tasks are handed over: here the runtime runs host
 * functions itself, and a subscribed thread waits in vain.
 */
#include <unistd.h>

#include "tools/softnpu/sync/stream.h"

static aclError subscribe(uint64_t thread, aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (!rc && s->host_subscribed)
		rc = npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is subscribed");
	if (rc)
		return rc;
	s->host_subscribed = true;
	s->host_subscriber = thread;
	return ACL_SUCCESS;
}

aclError aclrtSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	return LOCKED(subscribe(hostFuncThreadId, exeStream));
}

static aclError unsubscribe(uint64_t thread, aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (!rc && !s->host_subscribed)
		rc = npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is not subscribed");
	if (!rc && s->host_subscriber != thread)
		rc = npu_err(ACL_ERROR_RT_THREAD_SUBSCRIBE, "the stream is subscribed for another thread");
	if (!rc)
		s->host_subscribed = false;
	return rc;
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	return LOCKED(unsubscribe(hostFuncThreadId, exeStream));
}

struct search {
	uint64_t thread;
	bool found;
};

static void look(struct object *o, void *arg)
{
	const struct stream *s = container_of(o, struct stream, obj);
	struct search *search = arg;

	search->found |= s->host_subscribed && s->host_subscriber == search->thread;
}

static bool subscribed(void)
{
	struct search search = {(uint64_t)pthread_self(), false};

	objects_each(OBJ_STREAM, look, &search);
	return search.found;
}

/* Until the time is over, or nothing is subscribed for this thread any more. */
static aclError process(int32_t timeout)
{
	uint64_t deadline = npu_deadline_ms(timeout);

	if (!subscribed())
		return npu_err(ACL_ERROR_RT_THREAD_SUBSCRIBE, "no stream is subscribed for this thread");
	while (subscribed() && (!deadline || npu_now() < deadline)) {
		npu_unlock();
		usleep(1000);
		npu_lock();
	}
	return npu_err(ACL_ERROR_RT_REPORT_TIMEOUT, "no host function within %d ms", timeout);
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	return LOCKED(process(timeout));
}
