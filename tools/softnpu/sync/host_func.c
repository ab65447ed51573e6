/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads subscribed for the host functions of streams.  A host function that is
 * put on such a stream waits for its thread, which runs it in aclrtProcessHostFunc.
 */
#include "tools/softnpu/sync/callback.h"

static aclError subscribe(uint64_t thread, aclrtStream handle)
{
	struct stream *s;
	aclError rc = stream_find(handle, STREAM_SUBMIT, &s);

	if (!rc && s->host_subscribed)
		rc = npu_err(ACL_ERROR_RT_STREAM_SUBSCRIBE, "the stream is subscribed");
	if (!rc)
		rc = callback_thread_add(thread, SERVED_HOST_FUNCTIONS, s->lane.device);
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

void host_func_unsubscribe(struct stream *s)
{
	if (s->host_subscribed)
		callback_thread_remove(s->host_subscriber, SERVED_HOST_FUNCTIONS, true);
	s->host_subscribed = false;
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
		host_func_unsubscribe(s);
	return rc;
}

aclError aclrtUnSubscribeHostFunc(uint64_t hostFuncThreadId, aclrtStream exeStream)
{
	return LOCKED(unsubscribe(hostFuncThreadId, exeStream));
}

aclError aclrtProcessHostFunc(int32_t timeout)
{
	return LOCKED(callback_process(SERVED_HOST_FUNCTIONS, timeout));
}
