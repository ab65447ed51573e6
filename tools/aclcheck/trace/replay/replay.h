/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between the parts of "aclcheck replay".  One process reads the recording and decodes its events into
 * records (replay_decode.c, replay_read.c); each process that was recorded has a worker (replay_starter.c,
 * replay_worker.c), a process that gets its records through a pipe, puts them into the order in which they
 * were checked (replay_order.c) and calls the checks as libaclcheck.so did (replay_feed.c).
 * What the checks and the report ask of their process is answered from the recording (replay_host.c).
 */
#ifndef TOOLS_ACLCHECK_REPLAY_H
#define TOOLS_ACLCHECK_REPLAY_H

#include "checks/checks.h"
#include "interpose/report/trace_provider.h"
#include "tools/aclcheck/trace/replay/replay_record.h"
#include "tools/aclcheck/trace/summary.h"

/* --- replay_kind.c: names of events --------------------------------------------- */

struct replay_meaning {
	uint8_t kind; /* enum replay_kind */
	bool one_event; /* of provider acl_call */
	int api; /* -1 = it is no call's */
};

/* False: nothing. */
bool replay_kind_of(const char *event, struct replay_meaning *m);

/* --- replay_decode.c: events into records ------------------------------------- */

struct replay_event; /* an event class, and what its fields mean */

/* What the class means; kept as long as the decoder. NULL: nothing to the replay. */
const struct replay_event *replay_event_of(const bt_event_class *class);
/* One event of it as a record, valid until the next one; NULL: it contradicts itself. */
struct replay_record *replay_decode(const struct replay_event *e, const bt_event *event);
/* The recorded process, by its trace and its id. */
uint64_t replay_process_of(const struct replay_event *e, const bt_event *event);
/* Whether the class is of provider acl_call: one event a call, at its end. */
bool replay_is_one_event(const struct replay_event *e);
/* Whether it is the begin of a call without what the call was given (aclcheck trace --minimal). */
bool replay_is_minimal(const struct replay_event *e);
/* Whether its events say which process and thread they are of. */
bool replay_has_ids(const struct replay_event *e);

/* --- replay_worker.c: the process that checks ---------------------------------- */

#define REPLAY_REPORT_PATH 4096

/* How it ended; FAILED: it did not come to its end. */
enum replay_result { REPLAY_FAILED, REPLAY_COMPLETE, REPLAY_INCOMPLETE /* calls are missing */ };

struct replay_start {
	uint32_t pid; /* of the recorded process */
	uint8_t *result; /* enum replay_result, in memory shared with the reader */
	char report[REPLAY_REPORT_PATH];
};

/* Reads records of the process from fd until its end, and leaves a report. */
void replay_worker(int fd, const struct replay_start *s) __attribute__((noreturn));

/* --- replay_starter.c: the process that starts the workers ----------------------- */

/* Before anything is read: workers take over no memory of the reader. False: errno says why. */
bool replay_starter_begin(void);
/* A worker for this end of a pipe, which is a copy there. */
bool replay_start(const struct replay_start *s, int fd);
/* All workers have ended. */
void replay_starter_end(void);

/* --- replay_feed.c: records into calls ------------------------------------------ */

/* The next of the pieces that end a record, from *at on; NULL: there is none. */
const struct replay_piece *replay_next_piece(const struct replay_record *r, size_t *at);
/* Why the rest of the recording cannot be checked; NULL: it can. */
const char *replay_feed(struct checks *c, const struct replay_record *r);
/* The thread that ends the process: what is found then is found on it. */
void replay_ends(uint32_t tid);
/* Copies what the present call's pointers led to, or what its checks read in the run. */
bool replay_memory_read(const void *from, void *to, size_t bytes);
/* The same of a text, up to its end: what is behind that is 0. */
bool replay_text_read(const void *from, char *to, size_t bytes);
/* What the checks were answered in the present call; false: that was not asked then. */
bool replay_answer(enum trace_question question, const void *of, void *answer, size_t bytes);
/* The stack that was recorded with the present call, 0 = none. */
uint32_t replay_present_stack(void);

/* --- replay_host.c: what the checks and the report ask of the process ------------ */

void replay_host_module(const struct replay_module *m);
void replay_host_stack(uint32_t id, const uint64_t *frames, unsigned n);
/* A line of Python code, and a stack in which such lines are, behind the one of addresses alone. */
void replay_host_python_place(uint32_t number, const char *function, const char *file, int line);
void replay_host_python_stack(uint32_t id, const uint64_t *frames, unsigned n);
/* Where a call of that stack is made, as stack_site.h has it. */
uint64_t replay_host_site(uint32_t stack, uint64_t caller);
void replay_host_process(const struct replay_record *r, uint32_t pid);
/* The process has come that far. */
void replay_host_time(const struct replay_record *r);
/* Before replay_checker(): ASCEND_RT_VISIBLE_DEVICES of the process. */
void replay_host_visible(const char *devices);
uint32_t replay_pid(void);
void replay_host_fact(struct checks *c, const char *key, const char *value);
struct checks *replay_checker(void);

#endif
