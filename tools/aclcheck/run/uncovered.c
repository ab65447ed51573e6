/* SPDX-License-Identifier: Apache-2.0 */
/* Notes of children, and when to look at the processes. */
#include "tools/aclcheck/run/run.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#include "interpose/process/process_tree.h"
#include "tools/aclcheck/common/command.h"

#define NOTES_SUFFIX ".children"
#define LOOKS_AFTER_OPEN 6 /* each after twice the time of the one before */
#define FIRST_PAUSE 0.001

struct uncovered {
	const char *directory;
	int fd; /* inotify: somebody opened a runtime */
	double began, due, rest; /* rest: until then no look, whatever happens */
	unsigned quick; /* looks left of those after an opening */
	double pause; /* between them */
	json_t *offsets; /* of the notes' files, by name */
	json_t *judged; /* programs looked into, by path and library path */
	char found[512];
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Often at first, when processes are started, seldom later. */
static double usual_pause(const struct uncovered *u)
{
	double age = now() - u->began;

	return age < 1 ? 0.02 : age < 10 ? 0.2 : 2;
}

/* The runtimes that the program is going to find by its name. */
static void watch_runtimes(struct uncovered *u)
{
	static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
	const char *list = getenv("LD_LIBRARY_PATH"), *named = getenv("ACLCHECK_RUNTIME");
	char path[PATH_MAX];

	if (named)
		inotify_add_watch(u->fd, named, IN_OPEN);
	while (list && *list) {
		int n = (int)strcspn(list, ":");

		for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
			snprintf(path, sizeof(path), "%.*s/%s", n ? n : 1, n ? list : ".", names[i]);
			inotify_add_watch(u->fd, path, IN_OPEN);
		}
		list += n;
		list += *list != '\0';
	}
}

struct uncovered *uncovered_new(const char *directory)
{
	struct uncovered *u = need(calloc(1, sizeof(*u)));

	u->directory = directory;
	u->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	u->began = now();
	u->due = u->began + usual_pause(u);
	u->offsets = need(json_object());
	u->judged = need(json_object());
	if (u->fd >= 0)
		watch_runtimes(u);
	return u;
}

void uncovered_free(struct uncovered *u)
{
	if (u->fd >= 0)
		close(u->fd);
	json_decref(u->offsets);
	json_decref(u->judged);
	free(u);
}

int uncovered_fd(const struct uncovered *u)
{
	return u->fd;
}

double uncovered_due(const struct uncovered *u)
{
	return u->due;
}

/* --- notes ------------------------------------------------------------------- */

static void judge(struct uncovered *u, const char *const field[PROCESS_TREE_FIELDS])
{
	char key[2 * PATH_MAX], runtime[64];
	enum runtime_dependency how;

	snprintf(key, sizeof(key), "%s:%s", field[1], field[2]);
	if (u->found[0] || json_object_get(u->judged, key))
		return;
	json_object_set_new_nocheck(u->judged, key, json_true());
	how = runtime_dependency(field[1], field[2], runtime, sizeof(runtime));
	if (!how)
		return;
	snprintf(u->found, sizeof(u->found), "process %.20s ran %.300s, which %s %s, without the checker: %s",
		field[0], field[1], how == RUNTIME_NEEDED ? "is linked with" : "can open", runtime,
		!strcmp(field[3], "program") ? "the loader does not preload into it"
					     : "LD_PRELOAD was taken out of its environment");
}

/* Whole notes only: the last one may still be on its way. How much of the text they are. */
static size_t read_notes(struct uncovered *u, const char *text, size_t n)
{
	const char *field[PROCESS_TREE_FIELDS], *at = text, *end = text + n;
	unsigned have = 0;
	size_t done = 0;

	while (at < end) {
		const char *nul = memchr(at, 0, (size_t)(end - at));

		if (!nul)
			break;
		field[have++] = at;
		at = nul + 1;
		if (have < PROCESS_TREE_FIELDS)
			continue;
		judge(u, field);
		have = 0;
		done = (size_t)(at - text);
	}
	return done;
}

static void read_file(struct uncovered *u, const char *name)
{
	json_int_t offset = json_integer_value(json_object_get(u->offsets, name));
	char path[2 * PATH_MAX], block[65536];
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/%s", u->directory, name);
	f = fopen(path, "re");
	while (f && !fseek(f, (long)offset, SEEK_SET) && (n = fread(block, 1, sizeof(block), f)) > 0) {
		n = read_notes(u, block, n);
		if (!n)
			break;
		offset += (json_int_t)n;
	}
	if (f)
		fclose(f);
	json_object_set_new_nocheck(u->offsets, name, json_integer(offset));
}

static void read_all(struct uncovered *u)
{
	const size_t suffix = strlen(NOTES_SUFFIX);
	DIR *directory = opendir(u->directory);
	struct dirent *d;

	while (directory && (d = readdir(directory))) {
		size_t n = strlen(d->d_name);

		if (n > suffix && !strcmp(d->d_name + n - suffix, NOTES_SUFFIX))
			read_file(u, d->d_name);
	}
	if (directory)
		closedir(directory);
}

/* --- looking ------------------------------------------------------------------ */

static bool opened(struct uncovered *u)
{
	_Alignas(8) char events[4096];
	bool any = false;

	while (u->fd >= 0 && read(u->fd, events, sizeof(events)) > 0)
		any = true;
	return any;
}

void uncovered_look(struct uncovered *u)
{
	double began = now(), cost;

	if (opened(u)) {
		u->quick = LOOKS_AFTER_OPEN;
		u->pause = FIRST_PAUSE;
		u->due = u->rest;
	}
	if (began < u->due)
		return;
	if (!u->found[0])
		descendants_uncovered(u->found, sizeof(u->found));
	if (!u->found[0])
		read_all(u);
	cost = now() - began;
	if (u->quick) {
		u->quick--;
		u->due = now() + u->pause;
		u->pause *= 2;
	} else {
		u->due = now() + usual_pause(u);
	}
	/* Hundreds of processes that all start at once are not slowed down by being looked at. */
	u->rest = began + 5 * cost;
	if (u->due < u->rest)
		u->due = u->rest;
}

const char *uncovered_found(struct uncovered *u)
{
	if (!u->found[0])
		read_all(u);
	return u->found;
}
