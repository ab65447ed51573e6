/* SPDX-License-Identifier: Apache-2.0 */
/* Between the parts of "aclcheck trace". */
#ifndef ACLCHECK_TRACE_H
#define ACLCHECK_TRACE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* --- trace_plan.c: how large the buffers are ------------------------------ */

struct trace_plan {
	unsigned cpus; /* that may exist: LTTng makes a ring for each */
	unsigned count; /* sub-buffers of a ring */
	uint64_t size; /* of a sub-buffer, a power of two */
	uint64_t shm; /* free in /dev/shm */
};

/* total: bytes for all rings together, 0 = a quarter of what is free. False: too small, why says how. */
bool trace_plan(struct trace_plan *plan, uint64_t total, char *why, size_t why_size);
/* "64M", "4096", "1g"; 0 = not a size. */
uint64_t trace_size(const char *text);

/* --- trace_select.c: which events ----------------------------------------- */

struct trace_selection {
	bool one_event; /* one event a call instead of entry and exit */
	const char *classes; /* "memory,stream", or NULL */
	const char *events; /* glob over function names, or over event names when it holds a ':', or NULL */
};

/* Event names of calls for "lttng enable-event", separated by commas; NULL: nothing matches, why says so. */
char *trace_select(const struct trace_selection *s, char *why, size_t why_size);

/* --- trace_window.c: from when to when ------------------------------------- */

#define TRACE_CHANNEL "calls"

struct trace_window {
	double after,
		length; /* seconds: from the program's start on, and for how long; 0 = at once, to the end */
	bool by_signal; /* SIGUSR1 begins and ends it */
	const char *calls; /* the events that come and go, as trace_select() has them */
	bool looked, open;
	bool opened; /* something was recorded, sooner or later */
	double change; /* when it opens or closes, by CLOCK_MONOTONIC; 0 = not by itself */
};

/* "1.5"; 0 = not a time. */
double trace_seconds(const char *text);
/* "1000". */
bool trace_is_count(const char *text);
/* Whether calls are recorded from the program's start on. */
bool trace_window_at_once(const struct trace_window *w);
/* Opens and closes it; signal: 0 = none came. Returns in how many seconds to call again, 0 = never. */
double trace_window_look(struct trace_window *w, const char *session, int signal);

/* --- trace_ring.c: the last calls only, written when something happens ------ */

/* The session's ring is written at the first finding from now on. False, here and below: one line was said.
 */
bool ring_begin(const char *session);
/* Writes what is in the ring, to a directory of its own below the session's. */
bool ring_write(const char *session);
/* The program has ended. wanted: there is a reason to write the ring. */
bool ring_end(const char *session, const char *directory, bool wanted);
/* How often it was written; last gets the newest one's name, "" = none. */
unsigned ring_written(const char *directory, char *last, size_t size);

/* --- trace_attach.c: a process that runs already ---------------------------- */

/* "1234"; 0 = not a process id. */
pid_t attach_number(const char *text);
/* Whether the process can be recorded; one line was said if not. */
bool attach_possible(pid_t pid);
/* Waits until LTTng's daemon knows the process; the session will record nothing else. False: one line. */
bool attach_begin(pid_t pid, const char *session);
/* Until the process has ended, its time is over, or this command is asked to end. */
void attach_wait(pid_t pid, struct trace_window *w, const char *session);

/* --- trace_daemon.c: LTTng's own programs ---------------------------------- */

enum trace_daemon_place {
	DAEMON_OWN, /* seen by nobody else, where that can be */
	DAEMON_RUNNING, /* the one that is there */
	DAEMON_NEAR /* where running programs look for it: the one that is there, or ours */
};

struct trace_daemon {
	pid_t keeper; /* the parent of those that are ours, 0 = none */
	int line; /* to it */
	bool shared; /* the running daemon is used */
	bool own_home; /* settings and sockets are in a directory of ours, removed at the end */
	char session[64]; /* name of our session, "" before it is created */
	bool written; /* what it recorded is on the disk */
	pid_t program; /* 0 before it is started */
	unsigned control_port, data_port, live_port; /* of our relay daemon */
};

/*
 * Starts a session daemon of our own, or finds the running one (as place says, or when there is no other
 * way). relay: a relay daemon on the loopback writes to that directory, NULL = none is wanted. made: a
 * directory that is removed at the end if it is empty, or NULL.
 */
bool trace_daemon_start(
	struct trace_daemon *d, enum trace_daemon_place place, const char *relay, const char *made);
/* After session or program have changed: what is to be ended should this command be killed. */
void trace_daemon_announce(const struct trace_daemon *d);
/* Ends what was started and removes what was made; also the session, when it still exists. */
void trace_daemon_stop(struct trace_daemon *d);

/*
 * Runs "lttng" with the arguments up to the first NULL; *output (may be NULL)
 * gets what it printed, to be freed.  False: it failed, and one line has been said.
 */
bool trace_lttng_args(char **output, const char *const *arguments);
#define trace_lttng(output, ...) trace_lttng_args(output, (const char *const[]){__VA_ARGS__, NULL})

/* --- cmd_reader.c: aclcheck-reader, which reads recordings ----------------- */

/* What lacks, and the remedy; NULL = recordings can be read here. */
const char *reader_missing(void);
/* The events of the traces below a directory. False: one line has been said. */
bool reader_count(const char *directory, uint64_t *events);

#endif
