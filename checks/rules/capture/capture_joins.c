/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the streams of a capture come back to the stream that it was begun on.  The runtime
 * says so at the end only, and not of which stream; operator libraries may wait for records
 * below us, so it is its answer that decides.
 *
 * It is enough to look for streams whose last task is no record that another stream waits for.
 * Where there is none, the last record of each stream has a later wait on another one, whose own
 * last record is later still: that chain ends at the stream of the beginning only.
 */
#include "checks/engine/finding_statement.h"
#include "checks/state/capture_streams.h"
#include "checks/state/stream_state.h"

/* First stream of the capture that did not begin it and of which this is so; false = none. */
static bool first_joined_stream(struct acl_object *capture, bool (*is_so)(const struct capture_stream *),
	struct capture_stream *found)
{
	unsigned at = 1;

	while (capture_stream_next(capture, &at, found))
		if (is_so(found))
			return true;
	return false;
}

static bool stream_ends_external(const struct capture_stream *s)
{
	return s->last == LAST_EXTERNAL_RECORD;
}

static bool stream_goes_on(const struct capture_stream *s)
{
	return s->last != LAST_EXTERNAL_RECORD && !capture_stream_is_joined(s) && s->late.caller;
}

static bool stream_stays_away(const struct capture_stream *s)
{
	return s->last != LAST_EXTERNAL_RECORD && !capture_stream_is_joined(s) && !s->late.caller;
}

static bool capture_join_external(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, bool refused)
{
	struct capture_stream s;
	bool found = first_joined_stream(capture, stream_ends_external, &s);

	return FINDING(c, call, "capture-join-by-external-event", refused && found,
		PARTS(part_object("stream", object_of(c, s.stream)), part_used_at(&s.last_task),
			part_object("stream of the beginning", stream_of(call)),
			part_object("capture", capture), part_advice(capture_given_up(capture))),
		"The last task of a stream of the capture is the record of an event with ACL_EVENT_EXTERNAL: "
		"that joins nothing.");
}

static bool capture_join_late(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, bool refused)
{
	struct capture_stream s;
	bool found = first_joined_stream(capture, stream_goes_on, &s);

	return FINDING(c, call, "capture-task-after-join", refused && found,
		PARTS(part_api("task", s.late.api), part_object("stream", object_of(c, s.stream)),
			part_used_at(&s.late), part_object("stream of the beginning", stream_of(call)),
			part_object("capture", capture), part_advice(capture_given_up(capture))),
		"%s came after the record that other streams wait for, and no later one is waited for.",
		acl_apis[s.late.api].name);
}

static void capture_join_missing(
	struct checks *c, struct acl_call_record *call, struct acl_object *capture, bool refused)
{
	struct capture_stream s;
	bool found = first_joined_stream(capture, stream_stays_away, &s);

	FINDING(c, call, "capture-unjoined-stream", refused && found,
		PARTS(part_object("stream", object_of(c, s.stream)), part_used_at(&s.joined),
			part_object("stream of the beginning", stream_of(call)),
			part_object("capture", capture), part_advice(capture_given_up(capture))),
		"A stream was taken into the capture by a wait (%s), and %s.", acl_apis[s.joined.api].name,
		s.last == LAST_RECORD ? "no stream of the capture waits for its last record"
				      : "its last task is no record that the others could wait for");
}

static void capture_joins_leave(struct checks *c, struct acl_call_record *call)
{
	struct acl_object *s = stream_of(call), *capture = capture_of(c, s);
	bool refused = error_of(call) == ACL_ERROR_RT_STREAM_UNJOINED;
	struct capture_stream other;
	unsigned at = 1;

	if (!capture || load_relaxed(&model_state(capture)->origin) != object_ref(s) ||
		(!succeeded(call) && !refused) || !capture_stream_next(capture, &at, &other))
		return;
	if (capture_join_external(c, call, capture, refused) || capture_join_late(c, call, capture, refused))
		return;
	capture_join_missing(c, call, capture, refused);
}

static const struct check_hook hooks[] = {
	{ON_OP(CAPTURE_END), ACL_LEAVE, capture_joins_leave},
};

const struct check_module module_capture_joins = {
	.hooks = hooks,
	.n_hooks = sizeof(hooks) / sizeof(hooks[0]),
};
