/* SPDX-License-Identifier: Apache-2.0 */
/* Running a program under the checker, and watching the processes below. */
#ifndef TOOLS_ACLCHECK_RUN_H
#define TOOLS_ACLCHECK_RUN_H

#include <getopt.h>
#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "interpose/common/settings_table.h"

/* --- launch.c -------------------------------------------------------------- */

/* Preparing a program to run under libaclcheck.so. */

/* Path of a file of ours, beside the command or in the library directory; NULL when it is not there. */
char *launch_find(const char *name);

/* Path of this command. */
const char *launch_self(void);

/*
 * Puts the library into LD_PRELOAD, keeping what stands there, and permits the program's sanitizer to be
 * behind it. False after an error was said.
 */
bool launch_preload(const char *program);
/*
 * Puts the software runtime into LD_LIBRARY_PATH; devices NULL = its default;
 * cann: the one with the functions and the behaviour of a release, NULL = all
 * functions.
 */
bool launch_softnpu(const char *devices, const char *cann);

/*
 * Can this program be preloaded?  NULL, or the reason why not (static buffer).
 * Scripts are followed to their interpreter.
 */
const char *launch_refusal(const char *program);

/* --- supervise.c ----------------------------------------------------------- */

/* Running the program as a child: signals pass through, time is limited, descendants are waited for. */

struct supervised {
	int status; /* of waitpid */
	bool timed_out;
	unsigned left; /* processes that outlived the program and were not waited for */
	int exec_error; /* errno of the failed exec, 0 = it ran */
};

struct uncovered;

struct supervision {
	unsigned timeout; /* in seconds, 0 = none */
	struct uncovered *uncovered; /* to be looked for meanwhile, may be NULL */
	void (*started)(void *context, pid_t child); /* before the program's first instruction, may be NULL */
	/* Called meanwhile, and says in how many seconds again (0 = never); with a signal or 0. May be NULL.
	 */
	double (*look)(void *context, int signal);
	int own_signal; /* not passed on, look() gets it; 0 = none */
	void *context;
};

/* The value of --timeout. 0, or the exit code: one line has been said. */
int timeout_parse(const char *value, unsigned *seconds);
/* False: no child could be made. */
bool supervise(char **argv, const struct supervision *how, struct supervised *out);

/* --- run_record.c ------------------------------------------------------------ */

/* An element of a report's "runs": argv ended by NULL, status of waitpid. A new reference. */
json_t *run_record(char *const *argv, int status, time_t started);

/* --- timeout_text.c -------------------------------------------------------- */

/* Adds to the reason "timeout" which threads were in which calls. */
void timeout_describe(json_t *report);

/* --- wait_chain.c ---------------------------------------------------------- */

struct text;
/* Adds what keeps the call, in which a thread of the process waits, from returning, if the last calls say it.
 */
void wait_chain(struct text *t, const json_t *process, const json_t *call);

/* --- signal_probe.c -------------------------------------------------------- */

/*
 * Was a signal sent to us alone or to the whole process group (timeout(1), a
 * CI runner, kill -TERM -GROUP)?  Nothing in the signal says so.  A process
 * beside us that holds every signal back does: what it has pending the
 * program got as well, and must not get twice.
 */

#define SIGNAL_PROBE_NAME "aclcheck-group"

struct signal_probe {
	pid_t pid; /* -1 when no process could be made */
	unsigned long long owed; /* what the group got and we have yet to take: bit n - 1 is signal n */
};

/* Before the program is started. */
void signal_probe_start(struct signal_probe *s);
void signal_probe_stop(struct signal_probe *s);
/* Whether the group got the signal we took; to be called once for each. */
bool signal_probe_got(struct signal_probe *s, int signal);

/* --- run_directory.c ------------------------------------------------------- */

/* Where the processes of a run leave their reports; should this command be killed, nothing of it stays. */

struct run_directory {
	char path[PATH_MAX], job[64]; /* job: its name is made of the directory's */
	pid_t cleaner; /* 0 = none */
	int line; /* to it */
	int mark; /* what says that the directory is in use, -1 = nothing */
	pid_t program; /* or who records it */
};

/* pattern: as for mkdtemp. False after an error was said. */
bool run_directory_make(struct run_directory *d, char *pattern);
/* Until its end the directory stays, whatever becomes of this command. */
void run_directory_program(struct run_directory *d, pid_t program);
/* Beside what the processes write: the report of an earlier run, and notes of recorders, "PID.timed-out". */
#define RUN_EARLIER "earlier"
#define RUN_TIMED_OUT ".timed-out"
/* Who records the program has ended it after its time: for the run above, if there is one. */
void run_note_timed_out(void);
bool run_timed_out(const struct run_directory *d);
void run_directory_remove(struct run_directory *d);
/* The directory stays for good. */
void run_directory_keep(struct run_directory *d);
/* And the directory, if there is nothing else in it. */
void run_files_remove(const char *path);

/* --- run_leftover.c ---------------------------------------------------------- */

/* Directories of runs of which nothing is left that would remove them. */

/* From now on, and as long as this process or one that holds the mark lives, the directory is in use. */
void leftover_mark(const char *directory);
/* A descriptor, -1: it has no mark. */
int leftover_hold(const char *directory);
/* The directory is not removed when it is in use no more. */
void leftover_unmark(const char *directory);
/* Those of earlier runs with this pattern (run_directory_make()). */
void leftover_remove(const char *pattern);

/* --- notices.c ------------------------------------------------------------- */

/* What processes below said that could not leave a report (interpose/common/notify_parent.h). */

struct notices {
	int fd[2]; /* -1 when there is no such socket to be had */
	char path[108]; /* of the second one, "" = there is none */
	const char *directory; /* of links */
};

/* Before the program starts. */
void notices_open(struct notices *n, const char *job, const char *directory);
/* The first thing said; closes them. False: there is none. */
bool notices_close(struct notices *n, char *line, size_t size);

/* --- descendants.c --------------------------------------------------------- */

/* The processes below this one: orphans included, as the command is their subreaper. */

/* Our children of this moment, and what is below them, do not belong to the program. */
void descendants_leave_out(void);
/* Nor does this one, which stands for an earlier helper of ours; 0 = none any more. */
void descendants_own_helper(pid_t pid);
/* Calls back for each, parents before children. */
void descendants_each(void (*fn)(void *context, pid_t pid), void *context);

/*
 * Is there one that has mapped an AscendCL runtime but not the checker?  Its
 * process id, 0 = none; what gets its command and the library.
 */
pid_t descendants_uncovered(char *what, size_t size);

/* --- elf_dependencies.c ---------------------------------------------------- */

/* Is a program able to map an AscendCL runtime, by its file? */

/* Name of a runtime's library at the end of a path: "libascendcl.so", "libacl_rt.so" with any version. */
bool is_runtime(const char *path);

enum runtime_dependency {
	RUNTIME_NOT_NEEDED,
	RUNTIME_NEEDED, /* by itself or by what it is linked with */
	RUNTIME_MAY_BE_OPENED, /* it opens libraries by itself, and a runtime is on its library path */
	RUNTIME_MAY_BE_STARTED /* none of these, but it may start programs */
};

/*
 * Follows the dynamic sections as the loader would; libraries is its
 * LD_LIBRARY_PATH.  The runtime's name goes to name.  Of a script the
 * interpreter is looked at.
 */
enum runtime_dependency runtime_dependency(
	const char *program, const char *libraries, char *name, size_t size);
/* Whether the program itself, no script, needs a library whose name begins so. */
bool program_is_linked_with(const char *program, const char *library);

/* --- join_socket.c --------------------------------------------------------- */

/* For processes below whose environment lost the run (interpose/common/run_socket.h). */

/* Before the program starts, when its environment is complete; -1 = there is no such socket to be had. */
int join_socket_open(void);
/* Answers the requests that have come. */
void join_socket_serve(int fd);

/* --- outer_run.c ----------------------------------------------------------- */

/* A run below another run: that one gets its report, with verdict and findings, as of a process. */

/* Directory of the run above, NULL = there is none. */
char *outer_run_find(void);
/* Before the program starts: says that a report will come. job: that of the run above, as the environment has
 * it. False after an error was said. */
bool outer_run_begin(const char *outer, const char *job);
/* directory: of this run. False after an error was said. */
bool outer_run_end(const char *outer, const char *directory, const json_t *report);
/* Path of the report that a command below leaves. */
char *outer_run_report(const char *outer, pid_t command);

/* --- notes.c --------------------------------------------------------------- */

/* What processes below noted (interpose/process/process_tree.h). */

#define NOTES_SUFFIX ".notes"

struct note {
	pid_t pid;
	const char *path, *libraries, *what, *space;
	bool here; /* by a process of this machine */
};

struct notes;
typedef void notes_fn(void *context, const struct note *note);

/* directory is kept, not copied. */
struct notes *notes_new(const char *directory);
void notes_free(struct notes *n);
/* Calls back for each that came since the last time. */
void notes_read(struct notes *n, notes_fn *fn, void *context);

/* --- lost_journals.c -------------------------------------------------------- */

/* Journals that processes of this machine began, and that are there no more, nor a report in their place. */

struct journals;
/* Before the program starts. */
struct journals *journals_new(const char *directory);
void journals_free(struct journals *j);
/* Takes what was begun since the last time. */
void journals_read(struct journals *j);
/* The end: why not all that the processes wrote is there, "" = it is. */
const char *journals_lost(struct journals *j);

/* --- process_records.c ------------------------------------------------------ */

/* The kernel's own records of the processes below: none of them can miss a program, however short it lives.
 */

#define CHECKER "libaclcheck.so"

/* A process that has mapped an AscendCL runtime, between two execs. */
struct runtime_user {
	pid_t pid, parent;
	bool checker; /* the checker was mapped before */
	bool by_covered; /* the program was started by a process that had the checker */
	bool alone; /* it, or one above it, said that it cannot reach us */
	char name[16], library[16];
};

/* A program with rights of its own: the kernel does not show what it does, nor what it starts. */
struct lost_process {
	pid_t pid, parent;
	char name[16];
};

struct process_records;

/* child: a process that waits for its exec. NULL when the kernel does not permit it. */
struct process_records *process_records_open(pid_t child);
void process_records_close(struct process_records *r);
/* To be polled for input. */
int process_records_fd(const struct process_records *r);
/* Takes what has come; all: no process below runs any more. */
void process_records_read(struct process_records *r, bool all);
const struct runtime_user *process_records_users(const struct process_records *r, size_t *n);
/* The last process of that id's parent, 0 = unknown. */
pid_t process_records_parent(const struct process_records *r, pid_t pid);
/* Records that found no room. */
uint64_t process_records_lost(const struct process_records *r);
const struct lost_process *process_records_unwatched(const struct process_records *r, size_t *n);

/* --- uncovered.c ----------------------------------------------------------- */

/*
 * Processes below that use a runtime without the checker, or without being a part of the run.
 *
 * Where the kernel permits it, its records of processes decide: exact.  Else the notes of those that start
 * programs do, which name each one that lacks the checker; what such a program may start in its turn is then
 * unknown, and counts as not covered.  What the processes have mapped is looked at in /proc as well, anew
 * whenever a runtime's file is opened.
 */

struct uncovered;

/* directory: of the run; notes_only: the kernel's records are not wanted. */
struct uncovered *uncovered_new(const char *directory, bool notes_only);
void uncovered_free(struct uncovered *u);

/* The program's process, which waits for its exec. */
void uncovered_attach(struct uncovered *u, pid_t child);
/* To be polled for input; -1 = there is nothing to wait for. */
int uncovered_fd(const struct uncovered *u);
/* When it is due to look again, at the latest; seconds of CLOCK_MONOTONIC. */
double uncovered_due(const struct uncovered *u);
/* Looks if it is time, or something happened. */
void uncovered_look(struct uncovered *u);
/* The end. What was found first, "" = nothing. */
const char *uncovered_found(struct uncovered *u);
/* Then: why not all reports are there, "" = they are. */
const char *uncovered_lost_journal(const struct uncovered *u);
/* And a run below that left no report, 0 = none. */
pid_t uncovered_lost_run(const struct uncovered *u);

/* --- setting_options.c ----------------------------------------------------- */

/* "--target-cann" into out (at least 48 bytes). */
void setting_option_name(enum setting s, char *out);
/* Settings that are not options of "run": made by it, or meant otherwise there. */
bool setting_is_option(enum setting s);
/* The options of those that are wanted, as lines for --help. */
void settings_print_options(bool (*wanted)(enum setting));
/* The same for getopt_long(), by setting + 256; how many. names keep what the options point to. */
unsigned settings_make_options(struct option *options, char names[][48], bool (*wanted)(enum setting));
/* Looks at the value as the library will read it, and hands it on in the environment; an exit code, 0 = done.
 */
int setting_set(enum setting s, const char *value);
/* Files that environment and options name are those seen from here, for processes in other directories, too.
 */
bool settings_name_files(void);

#endif
