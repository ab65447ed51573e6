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

/* Patterns of event names of calls, separated by commas; NULL: nothing matches, why says so. */
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
/* The program has ended. wanted: there is a reason to write the ring. */
bool ring_end(const char *session, const char *directory, bool wanted);
/* How often it was written; last gets the newest one's name, "" = none. */
unsigned ring_written(const char *directory, char *last, size_t size);

/* --- trace_hang.c: calls that do not return, processes that do not end -------- */

struct open_call {
	pid_t pid, thread;
	uint64_t order; /* among the calls noted with it */
	double since; /* was seen first */
	bool seen, hangs;
};

struct hang_watch {
	double seconds; /* that a call takes at least, 0 = only processes are looked for */
	char directory[PATH_MAX];
	pid_t program; /* how it ends is seen anyhow */
	struct open_call calls[512];
	unsigned n;
	pid_t killed[64];
	unsigned n_killed;
};

/* Before the program starts; directory: ours alone, for what its processes say of their calls. */
bool hang_begin(struct hang_watch *w, const char *directory);
/*
 * hangs: set when a call is found to hang, or a process to have been killed, once for each. Returns in how
 * many seconds to look again.
 */
double hang_look(struct hang_watch *w, bool *hangs);

/* Also when its parent has not asked yet how. */
bool trace_process_ended(pid_t pid);

/* --- trace_ends.c: processes that were killed, in the recording --------------- */

struct trace_ends {
	pid_t watcher; /* 0 = there is none */
	int line; /* to it, -1 = none */
};

/*
 * Before the program starts, with the environment that its processes find LTTng by; directory: ours alone,
 * for files of its processes. False: such ends will not be recorded.
 */
bool trace_ends_begin(struct trace_ends *e, const char *directory);
/* Those that have been killed so far are recorded when it returns. */
void trace_ends_record(struct trace_ends *e);
void trace_ends_stop(struct trace_ends *e);

/* --- trace_disk.c: what becomes of a recording whose disk is full ------------ */

struct trace_disk {
	int directory, held; /* descriptors; -1 = none */
	uint64_t least; /* bytes: with less the disk counts as full */
};
#define NO_DISK                                                                                              \
	{                                                                                                    \
		-1, -1, 0                                                                                    \
	}

/*
 * in_memory: bytes at most that are still to be written when recording ends; whole: none of them may be lost.
 * False: one line was said.
 */
bool disk_begin(struct trace_disk *d, const char *directory, uint64_t in_memory, bool whole);
bool disk_is_full(const struct trace_disk *d);
/* Whether there is so little room that it may be full before anybody has looked. */
bool disk_is_small(const struct trace_disk *d);
/* Before recording ends: gives back what was held for that. */
void disk_release(struct trace_disk *d);
/* What LTTng has written to it. */
uint64_t disk_bytes(const char *directory);
/* After the disk was full: makes what is there readable. */
void disk_repair(const char *directory);

/* --- trace_attach.c: a process that runs already ---------------------------- */

/* "1234"; 0 = not a process id. */
pid_t attach_number(const char *text);
/* Whether the process can be recorded; one line was said if not. */
bool attach_possible(pid_t pid);
/* Waits until LTTng's daemon knows the process; the session will record nothing else. False: one line. */
bool attach_begin(pid_t pid, const char *session);
/*
 * Until the process has ended, its time is over (look() has closed the window for good), or this command is
 * asked to end. look: as struct supervision has it.
 */
void attach_wait(
	pid_t pid, const struct trace_window *w, double (*look)(void *context, int signal), void *context);

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
	char home[64]; /* that directory, also where only other files are in it */
	char session[64]; /* name of our session, "" before it is created */
	bool written; /* what it recorded is on the disk */
	pid_t program; /* 0 before it is started */
	bool asks; /* its daemons are to answer something */
	unsigned control_port, data_port, live_port; /* of our relay daemon */
};

struct trace_place {
	const char *directory; /* of the recording, NULL = it is sent elsewhere */
	const char *relay; /* directory for a relay daemon on the loopback, NULL = none is wanted */
	bool made; /* the first one, for the recording: it is removed at the end if it is empty */
};

/*
 * Starts a session daemon of our own, or finds the running one (as place says, or when there is no other
 * way).
 */
bool trace_daemon_start(
	struct trace_daemon *d, enum trace_daemon_place place, const struct trace_place *where);
/* After session or program have changed: what is to be ended should this command be killed. */
void trace_daemon_announce(const struct trace_daemon *d);
/* How long daemons have for an answer. */
unsigned trace_answer_seconds(void);
/* Ends what was started and removes what was made; also the session, when it still exists. */
void trace_daemon_stop(struct trace_daemon *d);

/* --- lttng_control.c: the session daemon ------------------------------------ */

/* Of most of these false means: it failed, and one line has been said. */

/* Before all others. */
bool control_open(void);
/* hears: is called before and after each request to the daemon; NULL = nothing is. */
void control_watch(void (*hears)(void *context, bool asks), void *context);
/* Whether a daemon is there; nothing is said. */
bool control_answers(void);

/* ring: nothing is written before it is asked for. */
bool control_create_local(const char *session, const char *directory, bool ring);
/* url: of a relay daemon, like net://HOST:CONTROL:DATA, or file://DIRECTORY. */
bool control_create_remote(const char *session, const char *url, bool live);
bool control_start(const char *session);
/* Until all is written, or nothing more is. directory: where it is, "" = elsewhere. */
bool control_stop(const char *session, const char *directory);
/* waits: until all is written. */
bool control_end(const char *session, bool waits);

struct control_ring {
	const char *channel;
	uint64_t size; /* of a sub-buffer */
	unsigned count;
	bool overwrite; /* the oldest events, not the newest, are lost */
	bool blocking; /* the program waits rather than lose any */
	unsigned switch_us; /* what is there is written so often at least; 0 = when it is full */
};

/* With process and thread in each event. */
bool control_add_ring(const char *session, const struct control_ring *ring);
/* Not only at the end, but as soon as there are any. Before all events. */
bool control_write_descriptions(const char *session);
/* names: patterns, separated by commas. */
bool control_set_events(const char *session, const char *channel, const char *names, bool on);
/* So far. */
bool control_lost(const char *session, uint64_t *events, uint64_t *packets);

/* Whether the daemon knows the process; nothing is said. */
bool control_has_process(pid_t pid);
/* The session records nothing else. */
bool control_only_process(const char *session, pid_t pid);

bool control_write_ring(const char *session);
/* The ring is written when such an event comes for the first time. NULL: it failed, and one line was said. */
struct lttng_trigger *control_write_ring_at(const char *session, const char *event);
bool control_forget(struct lttng_trigger *trigger);

/* --- cmd_reader.c: aclcheck-reader, which reads recordings ----------------- */

/* What lacks, and the remedy; NULL = recordings can be read here. */
const char *reader_missing(void);
/* Becomes it, with so many arguments, the subcommand first; returns only after a failure. */
int reader_exec(char *const *arguments, int n);
struct trace_counts {
	uint64_t events, calls;
	unsigned lacking; /* processes that made more calls than are recorded */
};
/* Of the traces below a directory. False: one line has been said. */
bool reader_count(const char *directory, struct trace_counts *n);

#endif
