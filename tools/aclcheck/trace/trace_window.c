/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From when to when calls are recorded: by time and by signal.  The session runs
 * all the while, as findings and the verdict are wanted in any case; it is the
 * events of calls that are enabled and disabled, and the provider describes the
 * process anew whenever they come.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define SECONDS_MAX 31536000.0 /* a year */
#define CALLS_MAX 1000000000u /* of the setting trace_calls */

static double window_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double trace_seconds(const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	return end != text && !*end && seconds > 0 && seconds <= SECONDS_MAX ? seconds : 0;
}

bool trace_is_count(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 10 && !text[digits] && strtoull(text, NULL, 10) - 1 < CALLS_MAX;
}

bool trace_window_at_once(const struct trace_window *w)
{
	return !w->after && !w->by_signal;
}

static void set(struct trace_window *w, const char *session, bool open)
{
	if (!control_set_events(session, TRACE_CHANNEL, w->calls, open))
		return;
	w->open = open;
	w->opened |= open;
	w->change = open && w->length ? window_now() + w->length : 0;
	command_say(open ? "recording of calls begins" : "recording of calls ends");
}

double trace_window_look(struct trace_window *w, const char *session, int signal)
{
	double left;

	if (!w->looked) {
		w->looked = true;
		w->open = w->opened = trace_window_at_once(w);
		if (w->after)
			w->change = window_now() + w->after;
		else if (w->open && w->length)
			w->change = window_now() + w->length;
	}
	if (signal || (w->change && window_now() >= w->change))
		set(w, session, !w->open);
	if (!w->change)
		return 0;
	left = w->change - window_now();
	return left > 0.001 ? left : 0.001;
}
