/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LTTng's session daemon, by liblttng-ctl. The library is opened when a recording
 * is made: what only checks and reads reports starts where LTTng is not installed.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its headers declare functions without parameters in the old way. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#include <lttng/lttng.h>
#pragma GCC diagnostic pop

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define CONTROL_LIBRARY "liblttng-ctl.so.0"
#define PENDING_MS 5 /* between two looks whether all is written */
#define LOOK_MS 500 /* between two looks how much is */
#define REMOTE_TIMES 10 /* longer is it waited for where that cannot be seen */
#define LIVE_US 1000000ull
#define DESCRIPTIONS_US 200000u

#define CONTROL_FUNCTIONS(X)                                                                                 \
	X(lttng_strerror)                                                                                    \
	X(lttng_session_daemon_alive)                                                                        \
	X(lttng_session_descriptor_local_create)                                                             \
	X(lttng_session_descriptor_snapshot_local_create)                                                    \
	X(lttng_session_descriptor_network_create)                                                           \
	X(lttng_session_descriptor_live_network_create)                                                      \
	X(lttng_session_descriptor_destroy)                                                                  \
	X(lttng_create_session_ext)                                                                          \
	X(lttng_create_handle)                                                                               \
	X(lttng_destroy_handle)                                                                              \
	X(lttng_channel_create)                                                                              \
	X(lttng_channel_destroy)                                                                             \
	X(lttng_channel_set_blocking_timeout)                                                                \
	X(lttng_enable_channel)                                                                              \
	X(lttng_add_context)                                                                                 \
	X(lttng_enable_event)                                                                                \
	X(lttng_disable_event)                                                                               \
	X(lttng_list_tracepoints)                                                                            \
	X(lttng_track_pid)                                                                                   \
	X(lttng_start_tracing)                                                                               \
	X(lttng_stop_tracing_no_wait)                                                                        \
	X(lttng_data_pending)                                                                                \
	X(lttng_list_channels)                                                                               \
	X(lttng_channel_get_discarded_event_count)                                                           \
	X(lttng_channel_get_lost_packet_count)                                                               \
	X(lttng_destroy_session_no_wait)                                                                     \
	X(lttng_destroy_session)                                                                             \
	X(lttng_snapshot_record)                                                                             \
	X(lttng_event_rule_user_tracepoint_create)                                                           \
	X(lttng_event_rule_user_tracepoint_set_name_pattern)                                                 \
	X(lttng_event_rule_destroy)                                                                          \
	X(lttng_condition_event_rule_matches_create)                                                         \
	X(lttng_condition_destroy)                                                                           \
	X(lttng_rate_policy_once_after_n_create)                                                             \
	X(lttng_rate_policy_destroy)                                                                         \
	X(lttng_action_snapshot_session_create)                                                              \
	X(lttng_action_snapshot_session_set_session_name)                                                    \
	X(lttng_action_snapshot_session_set_rate_policy)                                                     \
	X(lttng_action_destroy)                                                                              \
	X(lttng_trigger_create)                                                                              \
	X(lttng_trigger_destroy)                                                                             \
	X(lttng_register_trigger_with_name)                                                                  \
	X(lttng_unregister_trigger)

#define DECLARE(function) __typeof__(function) *function;
static struct {
	CONTROL_FUNCTIONS(DECLARE)
} ctl;

/* Is called before and after each request, NULL = nothing is. */
static struct {
	void (*hears)(void *context, bool asks);
	void *context;
} listener;

void control_watch(void (*hears)(void *context, bool asks), void *context)
{
	listener.hears = hears;
	listener.context = context;
}

static void request_begins_or_ends(bool asks)
{
	if (listener.hears)
		listener.hears(listener.context, asks);
}

/* A request to the daemon, which may never answer it. */
#define ASK(request)                                                                                         \
	({                                                                                                   \
		request_begins_or_ends(true);                                                                \
		__typeof__(request) answer_ = (request);                                                     \
		request_begins_or_ends(false);                                                               \
		answer_;                                                                                     \
	})

bool control_open(void)
{
	static void *library;
	const char *lacks = NULL;

	if (library)
		return true;
	library = dlopen(CONTROL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		command_say("%s is not installed: install lttng-tools", CONTROL_LIBRARY);
		return false;
	}
#define LOOK_UP(function)                                                                                    \
	*(void **)&ctl.function = dlsym(library, #function);                                                 \
	lacks = ctl.function ? lacks : #function;
	CONTROL_FUNCTIONS(LOOK_UP)
	if (!lacks)
		return true;
	command_say("%s is too old: LTTng 2.13 is needed (%s is not there)", CONTROL_LIBRARY, lacks);
	library = NULL;
	return false;
}

/* code: as the functions return it, negative if they failed. */
static bool done(const char *what, int code)
{
	if (code < 0)
		command_say("lttng %s: %s", what, ctl.lttng_strerror(code));
	return code >= 0;
}

static struct lttng_domain userspace(void)
{
	return (struct lttng_domain){.type = LTTNG_DOMAIN_UST, .buf_type = LTTNG_BUFFER_PER_UID};
}

/* NULL is answered with an error by what it is given to. */
static struct lttng_handle *handle_of(const char *session)
{
	struct lttng_domain domain = userspace();

	return ctl.lttng_create_handle(session, &domain);
}

bool control_answers(void)
{
	return ASK(ctl.lttng_session_daemon_alive()) == 1;
}

/* --- sessions ------------------------------------------------------------- */

static bool create(struct lttng_session_descriptor *d)
{
	int code = d ? ASK(ctl.lttng_create_session_ext(d)) : LTTNG_ERR_INVALID;

	ctl.lttng_session_descriptor_destroy(d);
	return done("create", code == LTTNG_OK ? 0 : -code);
}

bool control_create_local(const char *session, const char *directory, bool ring)
{
	return create(ring ? ctl.lttng_session_descriptor_snapshot_local_create(session, directory)
			   : ctl.lttng_session_descriptor_local_create(session, directory));
}

bool control_create_remote(const char *session, const char *url, bool live)
{
	static const char file[] = "file://";

	if (!live && !strncmp(url, file, strlen(file)))
		return control_create_local(session, url + strlen(file), false);
	return create(live ? ctl.lttng_session_descriptor_live_network_create(session, url, NULL, LIVE_US)
			   : ctl.lttng_session_descriptor_network_create(session, url, NULL));
}

bool control_start(const char *session)
{
	return done("start", ASK(ctl.lttng_start_tracing(session)));
}

bool control_stop(const char *session, const char *directory)
{
	unsigned limit = trace_answer_seconds() * (*directory ? 1 : REMOTE_TIMES);
	uint64_t bytes = 0, now, quiet_ms = 0;
	int pending;

	if (!done("stop", ASK(ctl.lttng_stop_tracing_no_wait(session))))
		return false;
	while ((pending = ASK(ctl.lttng_data_pending(session))) > 0 && quiet_ms < limit * 1000) {
		poll(NULL, 0, PENDING_MS);
		quiet_ms += PENDING_MS;
		/* Looking takes longer than asking. */
		if (quiet_ms % LOOK_MS || !*directory || (now = disk_bytes(directory)) == bytes)
			continue;
		bytes = now;
		quiet_ms = 0;
	}
	if (pending > 0)
		command_say("LTTng says that not all is written, and has written nothing for %u s: it is not "
			    "waited for any longer",
			limit);
	return pending <= 0 && done("stop", pending);
}

bool control_end(const char *session, bool waits)
{
	return done("destroy", waits ? ASK(ctl.lttng_destroy_session(session))
				     : ASK(ctl.lttng_destroy_session_no_wait(session)));
}

/* --- channels and events ---------------------------------------------------- */

static bool add_channel(struct lttng_handle *h, const struct control_ring *ring)
{
	struct lttng_domain domain = userspace();
	struct lttng_channel *c = ctl.lttng_channel_create(&domain);
	int code = -LTTNG_ERR_NOMEM;

	if (c) {
		snprintf(c->name, sizeof(c->name), "%s", ring->channel);
		c->attr.overwrite = ring->overwrite;
		c->attr.subbuf_size = ring->size;
		c->attr.num_subbuf = ring->count;
		c->attr.switch_timer_interval = ring->switch_us;
		code = ring->blocking ? ctl.lttng_channel_set_blocking_timeout(c, -1) : 0;
		if (code >= 0)
			code = ASK(ctl.lttng_enable_channel(h, c));
		ctl.lttng_channel_destroy(c);
	}
	return done("enable-channel", code);
}

static bool add_context(struct lttng_handle *h, const char *channel, enum lttng_event_context_type type)
{
	struct lttng_event_context context = {.ctx = type};

	return done("add-context", ASK(ctl.lttng_add_context(h, &context, NULL, channel)));
}

bool control_add_ring(const char *session, const struct control_ring *ring)
{
	struct lttng_handle *h = handle_of(session);
	bool ok = add_channel(h, ring) && add_context(h, ring->channel, LTTNG_EVENT_CONTEXT_VPID) &&
		  add_context(h, ring->channel, LTTNG_EVENT_CONTEXT_VTID);

	ctl.lttng_destroy_handle(h);
	return ok;
}

/*
 * LTTng's consumer asks for what describes the events when recording ends. Should the session daemon be
 * killed before, nothing could be read: with a timer it asks as long as the daemon is there.
 */
bool control_write_descriptions(const char *session)
{
	const struct control_ring ring = {
		.channel = "metadata", .size = 4096, .count = 2, .switch_us = DESCRIPTIONS_US};
	struct lttng_handle *h = handle_of(session);
	bool ok = add_channel(h, &ring);

	ctl.lttng_destroy_handle(h);
	return ok;
}

static bool set_event(struct lttng_handle *h, const char *channel, const char *name, bool on)
{
	struct lttng_event event = {
		.type = LTTNG_EVENT_TRACEPOINT, .loglevel_type = LTTNG_EVENT_LOGLEVEL_ALL};

	snprintf(event.name, sizeof(event.name), "%s", name);
	if (on)
		return done("enable-event", ASK(ctl.lttng_enable_event(h, &event, channel)));
	return done("disable-event", ASK(ctl.lttng_disable_event(h, event.name, channel)));
}

bool control_set_events(const char *session, const char *channel, const char *names, bool on)
{
	struct lttng_handle *h = handle_of(session);
	char *list = need(strdup(names)), *rest = list;
	bool ok = true;

	for (char *name = strsep(&rest, ","); ok && name; name = strsep(&rest, ","))
		ok = set_event(h, channel, name, on);
	free(list);
	ctl.lttng_destroy_handle(h);
	return ok;
}

bool control_lost(const char *session, uint64_t *events, uint64_t *packets)
{
	struct lttng_handle *h = handle_of(session);
	struct lttng_channel *channels = NULL;
	int n = ASK(ctl.lttng_list_channels(h, &channels));

	*events = *packets = 0;
	for (int i = 0; i < n; i++) {
		uint64_t more = 0;

		*events += ctl.lttng_channel_get_discarded_event_count(&channels[i], &more) ? 0 : more;
		more = 0;
		*packets += ctl.lttng_channel_get_lost_packet_count(&channels[i], &more) ? 0 : more;
	}
	free(channels);
	ctl.lttng_destroy_handle(h);
	return done("list", n);
}

/* --- processes ---------------------------------------------------------------- */

bool control_has_process(pid_t pid)
{
	struct lttng_handle *h = handle_of("");
	struct lttng_event *events = NULL;
	int n = ASK(ctl.lttng_list_tracepoints(h, &events));
	bool found = false;

	for (int i = 0; i < n; i++)
		found |= events[i].pid == pid;
	free(events);
	ctl.lttng_destroy_handle(h);
	return found;
}

bool control_only_process(const char *session, pid_t pid)
{
	struct lttng_handle *h = handle_of(session);
	int code = ASK(ctl.lttng_track_pid(h, pid));

	ctl.lttng_destroy_handle(h);
	return done("track", code);
}

/* --- rings that are written when something happens ------------------------------ */

bool control_write_ring(const char *session)
{
	return done("snapshot", ASK(ctl.lttng_snapshot_record(session, NULL, 0)));
}

static struct lttng_condition *event_comes(const char *event)
{
	struct lttng_event_rule *rule = ctl.lttng_event_rule_user_tracepoint_create();
	struct lttng_condition *c = NULL;

	if (rule && !ctl.lttng_event_rule_user_tracepoint_set_name_pattern(rule, event))
		c = ctl.lttng_condition_event_rule_matches_create(rule);
	ctl.lttng_event_rule_destroy(rule);
	return c;
}

/* At the first time only. */
static struct lttng_action *ring_is_written(const char *session)
{
	struct lttng_rate_policy *once = ctl.lttng_rate_policy_once_after_n_create(1);
	struct lttng_action *a = ctl.lttng_action_snapshot_session_create();

	if (a && (!once || ctl.lttng_action_snapshot_session_set_session_name(a, session) ||
			 ctl.lttng_action_snapshot_session_set_rate_policy(a, once))) {
		ctl.lttng_action_destroy(a);
		a = NULL;
	}
	ctl.lttng_rate_policy_destroy(once);
	return a;
}

struct lttng_trigger *control_write_ring_at(const char *session, const char *event)
{
	struct lttng_condition *c = event_comes(event);
	struct lttng_action *a = ring_is_written(session);
	struct lttng_trigger *t = c && a ? ctl.lttng_trigger_create(c, a) : NULL;
	char name[96];
	int code = LTTNG_ERR_NOMEM;

	snprintf(name, sizeof(name), "%s-%s", session, event);
	if (t)
		code = (int)ASK(ctl.lttng_register_trigger_with_name(t, name));
	/* It keeps both for itself. */
	ctl.lttng_action_destroy(a);
	ctl.lttng_condition_destroy(c);
	if (code == LTTNG_OK)
		return t;
	ctl.lttng_trigger_destroy(t);
	done("add-trigger", -code);
	return NULL;
}

bool control_forget(struct lttng_trigger *trigger)
{
	bool ok = done("remove-trigger", ASK(ctl.lttng_unregister_trigger(trigger)));

	ctl.lttng_trigger_destroy(trigger);
	return ok;
}
