/* SPDX-License-Identifier: Apache-2.0 */
/* What "aclcheck timeline" draws: every call of a recording, findings, and memory in use. */
#ifndef TOOLS_ACLCHECK_TIMELINE_H
#define TOOLS_ACLCHECK_TIMELINE_H

#include <jansson.h>

#include "tools/aclcheck/trace/summary.h"

/* --- timeline_collect.c ------------------------------------------------------ */

struct timeline_call {
	const struct thread_state *thread;
	int64_t start, end, result;
	uint64_t bytes, stream, object, caller;
	uint32_t number;
	uint16_t api;
	int16_t kind; /* of a copy, -1 */
	uint8_t how; /* enum call_end */
	bool inside, bare; /* as of struct open_call */
};

struct timeline_finding {
	const struct thread_state *thread;
	int64_t time;
	uint64_t repeat;
	uint32_t stack; /* 0 = none */
	char *rule, *severity, *status, *call, *title, *detail;
};

/* Bytes in use from then on. */
struct timeline_memory {
	const struct process_state *process;
	int64_t time;
	uint64_t now[MEMORY_KINDS];
};

/* A call stack, as return addresses, innermost first. */
struct timeline_stack {
	const struct process_state *process;
	uint32_t id;
	unsigned n;
	uint64_t *frames;
};

/* The program has named the object, with aclcheck.h. */
struct timeline_name {
	const struct process_state *process;
	int64_t time;
	uint64_t object;
	char *text;
};

/* Calls of a process may be missing then. */
struct timeline_gap {
	uint64_t process; /* its key */
	int64_t from, to;
};

struct timeline {
	struct summary summary;
	struct timeline_call *calls; /* by their beginning */
	struct timeline_finding *findings;
	struct timeline_memory *memory; /* up to the first loss of events */
	struct timeline_stack *stacks;
	struct timeline_name *names; /* by time */
	struct timeline_gap *gaps; /* by process and time; none overlap */
	size_t n_calls, n_findings, n_memory, n_stacks, n_names, n_gaps;
	int64_t first; /* of all times */
	/* private to timeline_collect.c */
	struct call_observer observer;
	size_t room_calls, room_findings, room_memory, room_stacks, room_names, room_gaps;
};

/* False: one line has been said. */
bool timeline_read(struct timeline *t, char *const *traces, unsigned n_traces);
void timeline_free(struct timeline *t);

/* --- timeline_gaps.c --------------------------------------------------------- */

/* After all calls. */
void timeline_gaps_find(struct timeline *t);
bool timeline_gap_between(const struct timeline *t, const struct process_state *p, int64_t from, int64_t to);

/* --- timeline_lanes.c -------------------------------------------------------- */

/*
 * What the host knew of streams: which calls put work there and when they were made, never when the device
 * did it.  Calls are given in the order of their beginning.
 */

#define LANE_ROWS 64 /* of one stream; only calls that threads make at the same time need more than one */

struct stream_lane {
	UT_hash_handle hh;
	struct {
		uint64_t process, stream;
	} key;
	struct stream_lane *next; /* made before this one */
	const struct process_state *process;
	unsigned number; /* in its process, from 1; a stream that takes the place of a destroyed one is
			    another */
	unsigned rows;
	int64_t ends[LANE_ROWS];
	int64_t capture; /* since when; 0 = none is open */
	int64_t from, until; /* the handle was this stream's: from where the one before it was destroyed */
};

struct lanes {
	const struct timeline *timeline;
	struct stream_lane *live, *all;
	struct recorded *recorded; /* by event or notify */
};

/* Of a call that put work on a stream: where it is drawn, and what it waits for. */
struct lane_item {
	struct stream_lane *lane;
	unsigned row;
	/* The record that a wait is for, as far as calls show: lane NULL = not known, or no wait. */
	const struct stream_lane *recorded_lane;
	unsigned recorded_row;
	int64_t recorded;
	int64_t captured_since; /* the call ended a capture, which began then; 0 = it did not */
};

/* Every call, in order.  False: it put nothing on a stream. */
bool lanes_call(struct lanes *l, const struct timeline_call *c, struct lane_item *item);
void lanes_free(struct lanes *l);

/* --- timeline_names.c --------------------------------------------------------- */

/* "rank 3 on host-a: ./train" */
void timeline_process_name(const struct process_state *p, char *text, size_t size);
/* "stream 2 (0x7f0010)", "stream 2 \"uploads\" (0x7f0010)" where the program has named it; after all calls.
 */
void timeline_stream_name(const struct timeline *t, const struct stream_lane *lane, char *text, size_t size);
/* As a JSON string. */
void timeline_put_text(FILE *out, const char *s);

/* --- timeline_html.c ----------------------------------------------------------- */

/* One page for a browser, with everything in it. */
void timeline_print_html(const struct timeline *t, FILE *out);

/* --- timeline_stack.c ---------------------------------------------------------- */

/* Of each finding the frames of its stack, innermost first: "copy.cpp:42 (app)". To be released. */
json_t *timeline_stacks(const struct timeline *t);

/* --- timeline_chrome.c ------------------------------------------------------- */

/* The "trace event format" that chrome://tracing, Perfetto and others open. */
void timeline_print_chrome(const struct timeline *t, FILE *out);

#endif
