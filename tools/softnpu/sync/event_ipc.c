/* SPDX-License-Identifier: Apache-2.0 */
/* Events shared with other processes: counters of records submitted and done. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/softnpu/sync/event.h"
#include "tools/softnpu/core/ipc.h"

enum { SUBMITTED, DONE }; /* words */

static uint64_t *word(const struct event *ev, int which)
{
	return shared_word(ev->ipc) + which;
}

uint64_t event_ipc_submit(struct event *ev)
{
	return ev->ipc ? __atomic_add_fetch(word(ev, SUBMITTED), 1, __ATOMIC_SEQ_CST) : 0;
}

uint64_t event_ipc_submitted(const struct event *ev)
{
	return ev->ipc ? __atomic_load_n(word(ev, SUBMITTED), __ATOMIC_SEQ_CST) : 0;
}

bool event_ipc_done(const struct event *ev, uint64_t number)
{
	return __atomic_load_n(word(ev, DONE), __ATOMIC_SEQ_CST) >= number;
}

void event_ipc_complete(struct event *ev, uint64_t number)
{
	uint64_t done;

	if (!ev->ipc)
		return;
	done = __atomic_load_n(word(ev, DONE), __ATOMIC_SEQ_CST);
	while (done < number && !__atomic_compare_exchange_n(word(ev, DONE), &done, number, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static aclError get_handle(aclrtEvent handle, aclrtIpcEventHandle *out)
{
	struct event *ev;
	aclError rc = event_find(handle, &ev);

	if (rc)
		return rc;
	if (ev->kind != EVENT_IPC)
		return npu_err(ACL_ERROR_RT_PARAM_INVALID, "the event was not created with ACL_EVENT_IPC");
	if (!ev->ipc) {
		ev->ipc = shared_word_new(SHARED_EVENT, ev->dev->id);
		if (!ev->ipc)
			return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "cannot share the event");
		if (ev->latest)
			ev->latest->number = 1;
		*word(ev, SUBMITTED) = ev->latest != NULL;
		*word(ev, DONE) = ev->latest && ev->latest->done;
	}
	memset(out, 0, sizeof(*out));
	shared_word_key(ev->ipc, out->reserved, sizeof(out->reserved));
	return ACL_SUCCESS;
}

aclError aclrtIpcGetEventHandle(aclrtEvent event, aclrtIpcEventHandle *handle)
{
	return LOCKED(get_handle(event, handle));
}

static aclError open_handle(const aclrtIpcEventHandle *handle, aclrtEvent *out)
{
	struct context *ctx;
	struct shared *shared;
	struct event *ev;
	aclError rc = context_need(&ctx);

	if (rc)
		return rc;
	shared = shared_word_open(SHARED_EVENT, handle->reserved);
	if (!shared)
		return npu_err(ACL_ERROR_RT_INVALID_HANDLE, "no process has shared this event");
	if (shared_pid(shared) == getpid()) {
		shared_word_close(shared);
		return npu_err(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "the event is this process's own");
	}
	rc = event_new(EVENT_IPC, ACL_EVENT_IPC, &ev);
	if (rc) {
		shared_word_close(shared);
		return rc;
	}
	ev->ipc = shared;
	*out = object_handle(&ev->obj);
	return ACL_SUCCESS;
}

aclError aclrtIpcOpenEventHandle(aclrtIpcEventHandle handle, aclrtEvent *event)
{
	return LOCKED(open_handle(&handle, event));
}
