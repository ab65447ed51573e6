/* SPDX-License-Identifier: Apache-2.0 */
/* Results that are copied to the host, and for which no one waits. */
#include "checks/engine/finding_statement.h"
#include "checks/state/result_state.h"
#include "checks/state/init_state.h"
#include "checks/state/stream_state.h"

static bool waits(struct checks *c, struct acl_object *s)
{
	uint64_t position = stream_rarely(s, to_host);

	if (!position || !object_usable(s) ||
		load_relaxed(&s->flags) & (ACL_OBJECT_LEARNED | ACL_OBJECT_INHERITED) ||
		!stream_pending(s, position) || stream_rarely(s, may_fail))
		return false;
	/* A callback behind the copy may have informed the program. */
	return !checks_happened(c, WHEN_CALLBACKS) || stream_rarely(s, callback) < position;
}

static void result_finish(struct checks *c, enum checks_end kind)
{
	struct acl_object *s, *left[ACL_FINDING_OBJECTS] = {NULL};
	unsigned n = 0;

	if (!end_is_whole(c, kind) || !results_copied(c))
		return;
	object_each(c, ACL_HANDLE_STREAM, s)
	{
		if (!waits(c, s))
			continue;
		if (n < ACL_FINDING_OBJECTS)
			left[n] = s;
		n++;
	}
	FINDING(c, NULL, "async-copy-never-synchronized", n,
		PARTS(part_site(1), part_caller(call_site_caller(&left[0]->last_used)),
			part_uint("streams", n), part_object("stream", left[0]),
			part_object("stream", left[1]), part_object("stream", left[2]),
			part_object("stream", left[3])),
		"%u stream%s copied data to the host, and nothing the program did shows that the "
		"copies were done: whether they failed was never known.",
		n, n == 1 ? "" : "s");
}

const struct check_module module_unawaited_result = {.finish = result_finish};
