/* SPDX-License-Identifier: Apache-2.0 */
/* Reading recordings: traces through libbabeltrace2, and what "aclcheck summary" collects of them. */
#ifndef TOOLS_ACLCHECK_SUMMARY_H
#define TOOLS_ACLCHECK_SUMMARY_H

#include <babeltrace2/babeltrace.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Memory or the end, as everywhere in the command. */
#define uthash_fatal(message) exit(COMMAND_MISUSE)
#include <uthash.h>

#include "acl_api.h"
#include "aclcheck/model.h"
#include "tools/aclcheck/common/command.h"

/* --- ctf.c ----------------------------------------------------------------- */

/* Reads recorded traces with libbabeltrace2, in the order of time over all their streams. */

/* What a reader wants to see; the functions are called one after the other. */
struct ctf_reader {
	void *context;
	/* False ends the reading (the reader has said why). */
	bool (*event)(void *context, const bt_event *event, const bt_clock_snapshot *clock);
	/* Events that the tracer had to drop; count 0 = an unknown number. */
	void (*discarded)(void *context, uint64_t count);
	/* A buffer was written out: the program lived then, or had just ended. */
	void (*written)(void *context, const bt_trace_class *trace, int64_t ns);
	/* Packets that a live or overwritten buffer lost. */
	void (*lost)(void *context, uint64_t packets);
	/* After the last event: what is noted beside the traces, as recording_lacks() has it. */
	void (*lacks)(void *context, unsigned lacks);
	bool progress; /* a bar on stderr when that is a terminal */
};

/* Reads all traces found at or below the paths.  False: one line has been said on stderr. */
bool ctf_read(char *const *paths, unsigned n_paths, const struct ctf_reader *reader);

/* What is wrong with a file of metadata as a whole, or NULL. */
const char *ctf_metadata_wrong(const char *path);
/* Of a trace's directory. False: one of its streams cannot be read to its end, and one line was said. */
bool ctf_streams_end(const char *directory);

/* The clock of a trace; boot "" = nothing is known of it. */
struct ctf_clock {
	char boot[40];
	int64_t offset; /* of the time of day, in nanoseconds */
};
void ctf_clock(const char *directory, struct ctf_clock *clock);

/* Value of an integer or enumeration field of any size. */
uint64_t ctf_uint(const bt_field *field);
/* Text of a string field, or of an array of characters, cut to fit. */
/* NULL: it is no string. */
const char *ctf_string(const bt_field *field);
void ctf_text(const bt_field *field, char *text, size_t size);

/* --- isolated_run.c -------------------------------------------------------- */

/* Work on files that may be damaged, with libraries that may give up. */

/*
 * Runs work in a child process and returns its result.  libbabeltrace2 ends
 * the process when a trace contradicts itself; then one line about what has
 * been said instead of its own account, and the result is COMMAND_MISUSE.
 */
int isolated_run(int (*work)(void *), void *argument, const char *what);

/* Where a child may draw its progress; -1 = nowhere. */
extern int isolated_terminal;

/* --- summary --------------------------------------------------------------- */

/* What "aclcheck summary" knows of a recording; its size does not depend on how many calls there were. */

/* --- durations (summary_stat.c) -------------------------------------------- */

/* Buckets are 1/32 of a power of two wide: percentiles are right to 3 %. */
#define STAT_BITS 5
#define STAT_BUCKETS ((64 - STAT_BITS + 1) << STAT_BITS)

struct stat_error {
	int64_t code;
	uint64_t count;
};

struct call_stat {
	uint64_t calls, errors; /* all, with a result other than success */
	uint64_t done, open; /* with a known duration; those among them that had not ended */
	uint64_t total, min, max; /* ns */
	uint32_t *buckets; /* STAT_BUCKETS, once a call is done */
	struct stat_error *codes;
	unsigned n_codes;
};

void stat_add(struct call_stat *s, uint64_t ns);
void stat_error(struct call_stat *s, int64_t code);
/* The duration that percent of the calls did not exceed. */
uint64_t stat_percentile(const struct call_stat *s, double percent);
void stat_free(struct call_stat *s);

/* --- memory (summary_memory.c) ---------------------------------------------- */

enum memory_kind { MEMORY_DEVICE, MEMORY_HOST, MEMORY_POOL, MEMORY_MANAGED, MEMORY_KINDS };
extern const char *const memory_kind_names[MEMORY_KINDS];

/* What a function does to memory; param names as in the model. */
struct memory_rule {
	const char *pointer, *size;
	enum memory_kind kind;
	bool allocates; /* else it frees */
};

/* False: neither. */
bool memory_rule(unsigned api, struct memory_rule *rule);

struct memory_use {
	uint64_t now, high, blocks;
	int64_t high_time;
};

struct memory {
	struct memory_block *blocks; /* by address */
	struct memory_use use[MEMORY_KINDS];
	uint64_t unknown_frees; /* of blocks whose allocation was not seen */
};

void memory_allocated(struct memory *m, enum memory_kind kind, uint64_t address, uint64_t size, int64_t time);
void memory_freed(struct memory *m, uint64_t address);
void memory_free(struct memory *m);

/* --- processes, threads, streams ---------------------------------------------- */

struct copy_key {
	uint64_t stream; /* as the call names it */
	int kind, blocking;
};

struct copy_stat {
	struct copy_key key;
	UT_hash_handle hh;
	uint64_t stream; /* 0 of copies that block: the calls' own time is theirs */
	int kind; /* aclrtMemcpyKind */
	bool blocking;
	uint64_t copies, bytes, busy; /* busy: ns inside the calls */
	int64_t first, last;
};

/* A call that has begun. */
struct open_call {
	int64_t start;
	uint64_t bytes, stream, address, size;
	uint64_t object; /* event, notify or model that it names */
	uint64_t caller; /* where it is made, as code_place() takes it, 0 = not recorded */
	uint32_t number; /* on its thread; 0 in recordings that have none */
	uint16_t api;
	uint16_t callbacks; /* that it lies in */
	int16_t kind; /* of a copy, -1 */
	bool inside; /* made by the runtime within another call */
	bool bare; /* what it was given is not recorded (aclcheck trace --minimal) */
};

struct thread_state {
	UT_hash_handle hh;
	uint32_t tid;
	bool called;
	unsigned depth, room, blocked; /* blocked: calls that block among the open ones */
	struct open_call *open;
	struct process_state *process;
};

/* Code that a process had loaded; a later one takes the place of an earlier one. */
struct code_module {
	struct code_module *next; /* loaded before */
	uint64_t base, start, end;
	char *path, build_id[2 * 20 + 1];
};

/* A line of Python code. */
struct python_line {
	UT_hash_handle hh;
	uint32_t number;
	char *function, *file;
	int64_t line;
};

/* A call stack in which there are such lines. */
struct python_stack {
	UT_hash_handle hh;
	uint32_t id, line; /* line: number of the innermost */
};

/* The calls of a function from one place in the code. */
struct call_site {
	UT_hash_handle hh;
	struct {
		uint64_t api, caller;
	} key;
	uint64_t calls, total, blocked; /* ns */
};

struct process_state {
	bool bare; /* calls are recorded without what they were given: bytes are unknown */
	UT_hash_handle hh;
	uint64_t key; /* trace and pid */
	unsigned trace; /* number of the trace it was found in */
	uint32_t pid;
	char *command, *rank, *host, *verdict;
	int64_t killed; /* by when it was seen to have been, 0 = it was not, or that is unknown */
	uint64_t calls, errors, blocked, findings;
	uint64_t earlier; /* calls of its threads before the first that is there */
	uint64_t inside; /* of the calls, made by the runtime itself */
	uint64_t made; /* calls of the program as it said at its end, 0 = not said */
	bool chosen; /* it has left calls out as it was asked to */
	uint64_t in_calls; /* ns, over all threads; a call within another one is part of that */
	int64_t first, last;
	struct code_module *modules;
	struct python_line *python_lines; /* by number */
	struct python_stack *python_stacks; /* by id */
	struct call_site *sites;
	struct memory memory;
	struct copy_stat *copies; /* by stream and kind */
	struct thread_state *threads; /* by tid */
};

enum call_end {
	CALL_RETURNED,
	CALL_OPEN, /* it had not returned when the recording ended */
	CALL_KILLED, /* its process was killed in it, or crashed */
	CALL_END_LOST /* its end is not in the recording: the time is its beginning's */
};

/* Who else wants to see what a summary puts together: each call when its end is known. */
struct call_observer {
	void *context;
	/* result: of a function that returns an error code, else 0 */
	void (*call)(void *context, const struct thread_state *t, const struct open_call *c,
		enum call_end how, int64_t end, int64_t result);
	void (*finding)(void *context, const struct thread_state *t, const bt_field *fields, int64_t time);
	/* What stacks of findings name. */
	void (*stack)(void *context, const struct process_state *p, const bt_field *fields);
	/* What the program says of itself. */
	void (*said)(void *context, const struct process_state *p, const bt_field *fields, int64_t time);
};

struct summary {
	const struct call_observer *observer; /* or NULL */
	struct call_stat functions[ACL_API_COUNT];
	struct process_state **processes;
	unsigned n_processes;
	uint64_t events, calls, errors, unfinished; /* unfinished: still open at the end */
	uint64_t lost_begins, lost_ends; /* calls of which one event is not there */
	uint64_t discarded, lost;
	unsigned lacks; /* as recording_lacks() has it */
	bool discarded_unknown;
	bool no_threads; /* the recording lacks vpid or vtid: durations may be mixed up */
	int64_t first, last;
	/* private to summary_collect.c */
	struct process_state *by_key;
	struct event_kind *kinds; /* by event class */
	struct trace_number *traces; /* by trace class */
	struct thread_state *latest;
	uint64_t latest_key;
};

bool summary_event(void *summary, const bt_event *event, const bt_clock_snapshot *clock);
void summary_discarded(void *summary, uint64_t count);
void summary_lost(void *summary, uint64_t packets);
void summary_lacks(void *summary, unsigned lacks);
void summary_written(void *summary, const bt_trace_class *trace, int64_t ns);
/* Not all events are there: numbers are lower bounds, and what follows from pairs of calls is unknown. */
bool summary_is_incomplete(const struct summary *s);
/* Some of those that are not there lie between others. */
bool summary_has_gaps(const struct summary *s);
/* After the last event: what is still open did not end, and counts with its time so far. */
void summary_end(struct summary *s);
/* Of a call that had not ended: up to the last moment of which the recording knows that its process lived. */
uint64_t summary_so_far(const struct summary *s, const struct process_state *p, const struct open_call *c);
void summary_free(struct summary *s);

/* The copies of a process, the most bytes first; to be freed. */
struct copy_stat **summary_copies(const struct process_state *p, unsigned *n);
/*
 * Bytes per second: of copies that block over the time inside the calls; else as they were issued, from the
 * first call's begin to the last one's end, whenever the device did them.
 */
uint64_t summary_copy_rate(const struct copy_stat *c);
const char *summary_copy_kind(int kind);

/* --- processes (summary_process.c) ----------------------------------------------- */

/* Not all calls that the process made are recorded. */
bool summary_lacks_calls(const struct process_state *p);
/* Of how many processes that is so without having been asked for. */
unsigned summary_lacking_processes(const struct summary *s);
/* Allocations or frees may be missing: what is in use is known of the recorded ones only. */
bool summary_lacks_memory(const struct process_state *p);
/* It was killed, or crashed: it says no verdict. */
bool summary_was_killed(const struct process_state *p);
/* For qsort() of pointers to them: by rank, then those without one. */
int process_by_rank(const void *a, const void *b);
void process_free(struct process_state *p);

/* --- code (summary_place.c) ------------------------------------------------------ */

void code_module_add(struct process_state *p, const bt_field *fields);
void code_modules_free(struct process_state *p);
/* From the events aclcheck:python_place and aclcheck:python_stack. */
void code_python_line_add(struct process_state *p, const bt_field *fields);
void code_python_stack_add(struct process_state *p, const bt_field *fields);
void code_python_free(struct process_state *p);
/* The innermost line of Python code in a call stack, for code_place(); 0: there is none. */
uint64_t code_python_place(const struct process_state *p, uint32_t stack);
/* The code before a return address, or a line of Python code, as a JSON object; of an address the line is not
 * looked up yet. */
json_t *code_place(const struct process_state *p, uint64_t place);
/* Puts texts ("copy.cpp:42 (app)", or "app+0x1234") in the place of all such objects in arrays of them. */
void code_lines(json_t *places);

/* --- call sites (summary_sites.c) ------------------------------------------------ */

void site_add(struct process_state *p, const struct open_call *c, uint64_t ns, uint64_t blocked);
void sites_free(struct process_state *p);

/* A place of the program with the calls of all processes from there. */
struct site_sum {
	UT_hash_handle hh;
	char key[256];
	unsigned api, processes;
	uint64_t calls, total, blocked;
	json_t *place; /* a string */
};

enum site_order { SITES_BY_TIME, SITES_BY_WAIT };

/* At most max of them, those with the most time first, their lines looked up. To be given to site_sums_free.
 */
struct site_sum **site_sums(
	const struct summary *s, enum site_order order, unsigned max, unsigned *n, struct site_sum **all);
void site_sums_free(struct site_sum **list, struct site_sum *all);

/* --- output ------------------------------------------------------------------------ */

uint64_t summary_bytes_copied(const struct process_state *p);

/* What differs from process to process. */
enum summary_measure { MEASURE_CALLS, MEASURE_IN_CALLS, MEASURE_BLOCKED, MEASURE_COPIED, MEASURES };
extern const char *const summary_measure_names[MEASURES]; /* as the members of a process in JSON */
/* The largest over the mean; 0 = nothing to compare. */
double summary_imbalance(const struct summary *s, enum summary_measure measure);

void summary_print_text(const struct summary *s, FILE *out);
/* False: no memory, or out does not take it. */
bool summary_print_json(const struct summary *s, FILE *out);

#endif
