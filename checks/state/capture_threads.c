/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in progress on streams that are being captured. */
#include "checks/state/capture_threads.h"
#include "checks/state/stream_state.h"
#include "checks/state/thread_claim.h"

static bool puts_task(unsigned api)
{
	return acl_apis[api].capture == ACL_CAPTURE_CAPTURED;
}

/* Of a call: the number of the other thread. */
static const char other_note;

static void capture_task_enter(struct checks *c, struct acl_call_record *call)
{
	struct stream_rare *s;
	uint32_t other;

	if (!call->state.capture || !stream_of(call) || call->callback_depth)
		return;
	s = stream_rare_make(c, stream_of(call));
	other = s ? thread_claim(c, call, &s->capture_thread, puts_task) : 0;
	if (other)
		call_note_set(call, &other_note, other);
}

static void capture_task_leave(struct checks *c, struct acl_call_record *call)
{
	struct stream_rare *s = call->state.capture && stream_of(call) ? object_rare(stream_of(call)) : NULL;

	if (s)
		thread_unclaim(c, call, &s->capture_thread);
}

struct acl_thread *capture_other_thread(struct checks *c, const struct acl_call_record *call)
{
	uint64_t number = call_note(call, &other_note);

	return number ? &c->threads[number - 1] : NULL;
}

static void capture_threads_bind(void (*add)(void *, unsigned, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < acl_api_count; api++)
		if (puts_task(api)) {
			add(binder, api, ACL_ENTER | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_task_enter);
			add(binder, api, ACL_LEAVE | ACL_WHEN(CAPTURES) | ACL_IF_SPECIAL, capture_task_leave);
		}
}

const struct check_module module_capture_threads = {
	.order = 35,
	.bind = capture_threads_bind,
};
