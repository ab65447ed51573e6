/* SPDX-License-Identifier: Apache-2.0 */
/* Who is covered, by the kernel's records or by notes and looks; see run.h. */
#include "tools/aclcheck/run/run.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/run_socket.h"
#include "interpose/process/process_tree.h"
#include "tools/aclcheck/common/command.h"

#define LOOKS_AFTER_OPEN 6 /* each after twice the time of the one before */
#define FIRST_PAUSE 0.001
#define READ_PAUSE 0.2 /* of records, when no buffer is so full that the kernel says so */

struct uncovered {
	const char *directory;
	struct notes *notes;
	struct journals *journals;
	struct process_records *records; /* NULL: not permitted, or not wanted */
	bool notes_only;
	int poll, join, opened; /* opened: inotify, a process opened a runtime */
	double began, due, rest; /* rest: until then no look, whatever happens */
	unsigned quick; /* looks left of those after an opening */
	double pause; /* between them */
	char space[64]; /* of our process ids */
	json_t *evaluated; /* programs looked into, by path and library path */
	json_t *joined, *loader, *preloaded, *other,
		*harmless; /* how often a process noted that, by its id */
	json_int_t joined_elsewhere; /* in another space of process ids */
	json_int_t asking,
		found_all; /* without records: those that have to ask for the run, and that found it */
	bool preloaded_elsewhere; /* in another space: which process that was is not known here */
	json_t *notices; /* what notes say of a program, by the process that starts it */
	json_t *runs; /* process ids of the commands of runs below */
	char found[512];
};

static double uncovered_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Often at first, when processes are started, seldom later. */
static double usual_pause(const struct uncovered *u)
{
	double age = uncovered_now() - u->began;

	if (u->records)
		return READ_PAUSE;
	return age < 1 ? 0.02 : age < 10 ? 0.2 : 2;
}

/* --- opening ------------------------------------------------------------------- */

/* The runtimes that the program is going to find by its name. */
static void watch_runtimes(struct uncovered *u)
{
	static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
	const char *list = getenv("LD_LIBRARY_PATH"), *named = getenv("ACLCHECK_RUNTIME");
	char path[PATH_MAX];

	if (named)
		inotify_add_watch(u->opened, named, IN_OPEN);
	while (list && *list) {
		int n = (int)strcspn(list, ":");

		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
			snprintf(path, sizeof(path), "%.*s/%s", n ? n : 1, n ? list : ".", names[i]);
			inotify_add_watch(u->opened, path, IN_OPEN);
		}
		list += n;
		list += *list != '\0';
	}
}

static void wait_for(struct uncovered *u, int fd)
{
	struct epoll_event wanted = {.events = EPOLLIN};

	if (fd >= 0 && u->poll >= 0)
		epoll_ctl(u->poll, EPOLL_CTL_ADD, fd, &wanted);
}

struct uncovered *uncovered_new(const char *directory, bool notes_only)
{
	struct uncovered *u = need(calloc(1, sizeof(*u)));

	u->directory = directory;
	u->notes = notes_new(directory);
	u->journals = journals_new(directory);
	u->notes_only = notes_only;
	u->poll = epoll_create1(EPOLL_CLOEXEC);
	u->join = join_socket_open();
	u->opened = -1;
	wait_for(u, u->join);
	u->began = uncovered_now();
	u->due = u->began + usual_pause(u);
	run_pid_namespace(u->space, sizeof(u->space));
	u->evaluated = need(json_object());
	u->joined = need(json_object());
	u->loader = need(json_object());
	u->preloaded = need(json_object());
	u->other = need(json_object());
	u->harmless = need(json_object());
	u->notices = need(json_object());
	u->runs = need(json_array());
	return u;
}

void uncovered_attach(struct uncovered *u, pid_t child)
{
	if (!u->notes_only)
		u->records = process_records_open(child);
	if (u->records) {
		wait_for(u, process_records_fd(u->records));
		return;
	}
	u->opened = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (u->opened >= 0)
		watch_runtimes(u);
	wait_for(u, u->opened);
}

void uncovered_free(struct uncovered *u)
{
	const int fds[] = {u->poll, u->join, u->opened};

	for (unsigned i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	if (u->records)
		process_records_close(u->records);
	notes_free(u->notes);
	journals_free(u->journals);
	json_decref(u->evaluated);
	json_decref(u->joined);
	json_decref(u->loader);
	json_decref(u->preloaded);
	json_decref(u->other);
	json_decref(u->harmless);
	json_decref(u->notices);
	json_decref(u->runs);
	free(u);
}

int uncovered_fd(const struct uncovered *u)
{
	return u->poll;
}

double uncovered_due(const struct uncovered *u)
{
	return u->due;
}

/* --- notes ------------------------------------------------------------------- */

static void uncovered_count(json_t *of, pid_t pid)
{
	char key[16];

	snprintf(key, sizeof(key), "%d", (int)pid);
	json_object_set_new(of, key, json_integer(json_integer_value(json_object_get(of, key)) + 1));
}

/* Takes one away; false: there is none. */
static bool use(json_t *of, pid_t pid)
{
	json_int_t n;
	char key[16];

	snprintf(key, sizeof(key), "%d", (int)pid);
	n = json_integer_value(json_object_get(of, key));
	if (n)
		json_object_set_new(of, key, json_integer(n - 1));
	return n > 0;
}

static bool has(const json_t *of, pid_t pid)
{
	char key[16];

	snprintf(key, sizeof(key), "%d", (int)pid);
	return json_object_get(of, key) != NULL;
}

/* What a program may do with a runtime, by its file; looked at once. */
static enum runtime_dependency dependency_of(
	struct uncovered *u, const struct note *note, const char **runtime)
{
	char key[2 * PATH_MAX], name[64] = "";
	json_t *known;

	snprintf(key, sizeof(key), "%s:%s", note->path, note->libraries);
	known = json_object_get(u->evaluated, key);
	if (!known) {
		int how = runtime_dependency(note->path, note->libraries, name, sizeof(name));

		known = json_pack("[i, s]", how, name);
		json_object_set_new_nocheck(u->evaluated, key, known);
	}
	*runtime = json_string_value(json_array_get(known, 1));
	return (enum runtime_dependency)json_integer_value(json_array_get(known, 0));
}

#define NOTICE_KEY 40

/* By the name as the kernel keeps it: of several programs that one process becomes, the right one. */
static void notice_key(char key[NOTICE_KEY], pid_t pid, const char *path)
{
	const char *base = strrchr(path, '/');

	snprintf(key, NOTICE_KEY, "%d %.15s", (int)pid, base ? base + 1 : path);
}

static void program_note(struct uncovered *u, const struct note *note)
{
	bool by_file = !strcmp(note->what, PROCESS_TREE_PROGRAM);
	char text[sizeof(u->found)], key[NOTICE_KEY];
	const char *runtime;
	enum runtime_dependency how;

	how = dependency_of(u, note, &runtime);
	if (how == RUNTIME_NOT_NEEDED) {
		uncovered_count(u->harmless, note->pid);
		return;
	}
	if (how == RUNTIME_MAY_BE_STARTED)
		snprintf(text, sizeof(text),
			"process %d ran %.300s without the checker: what it starts is not seen, as the "
			"kernel does not show "
			"it%s",
			(int)note->pid, note->path, u->notes_only ? " with --watch notes" : "");
	else
		snprintf(text, sizeof(text), "process %d ran %.300s, which %s %s, without the checker: %s",
			(int)note->pid, note->path, how == RUNTIME_NEEDED ? "is linked with" : "can open",
			runtime,
			by_file ? "the loader does not preload into it"
				: "LD_PRELOAD was taken out of its environment");
	/* The kernel's records show what it did, and this is only the better text for it. */
	if (u->records) {
		notice_key(key, note->pid, note->path);
		json_object_set_new(u->notices, key, json_string(text));
	} else if (!u->found[0]) {
		memcpy(u->found, text, sizeof(text));
	}
}

static void joined_note(struct uncovered *u, const struct note *note)
{
	u->found_all += !strcmp(note->what, PROCESS_TREE_FOUND);
	if (note->here && !strcmp(note->space, u->space))
		uncovered_count(u->joined, note->pid);
	else if (note->here)
		u->joined_elsewhere++;
}

static void preloaded_note(struct uncovered *u, const struct note *note)
{
	const char *runtime;

	if (strcmp(note->space, u->space) != 0)
		u->preloaded_elsewhere = true;
	else
		uncovered_count(u->preloaded, note->pid);
	if (!u->records && dependency_of(u, note, &runtime) == RUNTIME_NEEDED)
		u->asking++;
}

/* Without records: linked with a runtime, it has to say itself that it has joined. */
static void other_run_note(struct uncovered *u, const struct note *note)
{
	const char *runtime;

	if (strcmp(note->space, u->space) != 0)
		u->preloaded_elsewhere = true;
	else if (u->records || dependency_of(u, note, &runtime) == RUNTIME_NEEDED)
		uncovered_count(u->other, note->pid);
}

static void run_note(struct uncovered *u, const struct note *note)
{
	json_array_append_new(u->runs, json_integer(note->pid));
}

static void take_note(void *context, const struct note *note)
{
	struct uncovered *u = context;

	if (!strcmp(note->what, PROCESS_TREE_JOINED) || !strcmp(note->what, PROCESS_TREE_FOUND))
		joined_note(u, note);
	else if (!strcmp(note->what, PROCESS_TREE_RUN))
		run_note(u, note);
	else if (!strcmp(note->what, PROCESS_TREE_LOADER))
		uncovered_count(u->loader, note->pid);
	else if (!strcmp(note->what, PROCESS_TREE_PRELOADED))
		preloaded_note(u, note);
	else if (!strcmp(note->what, PROCESS_TREE_OTHER_RUN))
		other_run_note(u, note);
	else
		program_note(u, note);
}

/* --- looking ------------------------------------------------------------------ */

static bool was_opened(struct uncovered *u)
{
	_Alignas(8) char events[4096];
	bool any = false;

	while (u->opened >= 0 && read(u->opened, events, sizeof(events)) > 0)
		any = true;
	return any;
}

static void uncovered_look_once(struct uncovered *u)
{
	double began = uncovered_now(), cost;

	if (was_opened(u)) {
		u->quick = LOOKS_AFTER_OPEN;
		u->pause = FIRST_PAUSE;
		u->due = u->rest;
	}
	if (began < u->due)
		return;
	if (!u->found[0])
		descendants_uncovered(u->found, sizeof(u->found));
	notes_read(u->notes, take_note, u);
	cost = uncovered_now() - began;
	if (u->quick) {
		u->quick--;
		u->due = uncovered_now() + u->pause;
		u->pause *= 2;
	} else {
		u->due = uncovered_now() + usual_pause(u);
	}
	/* Hundreds of processes that all start at once are not slowed down by being looked at. */
	u->rest = began + 5 * cost;
	if (u->due < u->rest)
		u->due = u->rest;
}

void uncovered_look(struct uncovered *u)
{
	if (u->join >= 0)
		join_socket_serve(u->join);
	journals_read(u->journals);
	if (!u->records) {
		uncovered_look_once(u);
		return;
	}
	process_records_read(u->records, false);
	u->due = uncovered_now() + usual_pause(u);
}

/* --- the end ------------------------------------------------------------------- */

static bool is_command(const struct uncovered *u, pid_t pid)
{
	const json_t *run;
	size_t i;

	json_array_foreach(u->runs, i, run)
	{
		if (json_integer_value(run) == pid)
			return true;
	}
	return false;
}

#define ANCESTORS_MAX 256

/* It, or one above it, was given the variables of a run that is none of the runs below this one. */
static bool is_in_unknown_run(const struct uncovered *u, const struct runtime_user *user)
{
	bool other = has(u->other, user->pid);
	pid_t pid = user->parent;

	for (unsigned i = 0; pid && i < ANCESTORS_MAX; i++, pid = process_records_parent(u->records, pid)) {
		if (is_command(u, pid))
			return false;
		other |= has(u->other, pid);
	}
	return other;
}

/*
 * Who has the checker and the run's variables joins by its first call, and one that makes none is not missed.
 * Who lost the variables has to have said that it found the run another way.
 */
static bool is_covered(struct uncovered *u, const struct runtime_user *user)
{
	if (use(u->loader, user->pid))
		return true;
	if (!user->checker)
		return false;
	if (use(u->joined, user->pid))
		return true;
	return user->by_covered && !user->alone && !u->preloaded_elsewhere && !has(u->preloaded, user->pid) &&
	       !has(u->preloaded, user->parent) && !is_in_unknown_run(u, user);
}

static bool found_by_note(struct uncovered *u, pid_t pid, const char *name)
{
	const char *text;
	char key[NOTICE_KEY];

	notice_key(key, pid, name);
	text = json_string_value(json_object_get(u->notices, key));
	if (text)
		snprintf(u->found, sizeof(u->found), "%s", text);
	return text != NULL;
}

static void name_user(struct uncovered *u, const struct runtime_user *user)
{
	if (!user->checker && found_by_note(u, user->pid, user->name))
		return;
	if (!user->checker)
		snprintf(u->found, sizeof(u->found), "process %d (%s) has mapped %s without the checker",
			(int)user->pid, user->name, user->library);
	else if (user->alone)
		snprintf(u->found, sizeof(u->found),
			"process %d (%s) has mapped %s and did not join the run: it sees neither the run's "
			"directory nor its command",
			(int)user->pid, user->name, user->library);
	else if (is_in_unknown_run(u, user))
		snprintf(u->found, sizeof(u->found),
			"process %d (%s) has mapped %s and did not join the run: its environment names "
			"another one",
			(int)user->pid, user->name, user->library);
	else
		snprintf(u->found, sizeof(u->found),
			"process %d (%s) has mapped %s and did not join the run: its environment lacks what "
			"aclcheck "
			"run put there, and none of its ancestors answered",
			(int)user->pid, user->name, user->library);
}

/* The kernel does not show them; a note of what started them may say that they can do nothing. */
static void evaluate_unwatched(struct uncovered *u)
{
	size_t n;
	const struct lost_process *p = process_records_unwatched(u->records, &n);

	for (; n > 0 && !u->found[0]; n--, p++) {
		if (use(u->harmless, p->pid) || use(u->harmless, p->parent) ||
			found_by_note(u, p->pid, p->name))
			continue;
		snprintf(u->found, sizeof(u->found),
			"process %d (%s) has rights of its own: the kernel does not show what it did without "
			"the "
			"checker, nor what it started",
			(int)p->pid, p->name);
	}
}

static void evaluate_records(struct uncovered *u)
{
	const struct runtime_user *users;
	size_t n;

	process_records_read(u->records, true);
	users = process_records_users(u->records, &n);
	for (size_t i = 0; i < n && !u->found[0]; i++) {
		if (is_covered(u, &users[i]))
			continue;
		if (users[i].checker && u->joined_elsewhere) {
			u->joined_elsewhere--;
			continue;
		}
		name_user(u, &users[i]);
	}
	evaluate_unwatched(u);
	if (!u->found[0] && process_records_lost(u->records))
		snprintf(u->found, sizeof(u->found),
			"%llu of the kernel's records of processes were lost: one without the checker may be "
			"among them",
			(unsigned long long)process_records_lost(u->records));
}

const char *uncovered_lost_journal(const struct uncovered *u)
{
	return journals_lost(u->journals);
}

pid_t uncovered_lost_run(const struct uncovered *u)
{
	const json_t *run;
	size_t i;

	json_array_foreach(u->runs, i, run)
	{
		pid_t command = (pid_t)json_integer_value(run);
		char *path = outer_run_report(u->directory, command);
		bool there = !access(path, F_OK);

		free(path);
		if (!there)
			return command;
	}
	return 0;
}

/* Both by process id. */
static bool have_joined(const json_t *those, const json_t *joined)
{
	const json_t *times;
	const char *pid;

	json_object_foreach((json_t *)those, pid, times)
	{
		if (!json_integer_value(json_object_get(joined, pid)))
			return false;
	}
	return true;
}

const char *uncovered_found(struct uncovered *u)
{
	notes_read(u->notes, take_note, u);
	if (u->records) {
		evaluate_records(u);
		return u->found;
	}
	if (!u->found[0] && (u->asking > u->found_all || !have_joined(u->other, u->joined)))
		snprintf(u->found, sizeof(u->found),
			"a process that was started without the run's variables did not join the run");
	return u->found;
}
