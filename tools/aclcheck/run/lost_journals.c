/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that is killed leaves its journal, by which its end is known.  Where the program itself has
 * removed that (it cleans up around its own report), nothing would be left of the process: the kernel notes
 * each journal that is begun.
 */
#include "tools/aclcheck/run/run.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define SUFFIX ".part"

struct journals {
	const char *directory;
	int begun; /* inotify, -1 = not to be had */
	json_t *names; /* of those that were begun */
	bool overflow; /* the kernel had no room for all */
	char lost[NAME_MAX + 96];
};

struct journals *journals_new(const char *directory)
{
	struct journals *j = need(calloc(1, sizeof(*j)));

	j->directory = directory;
	j->names = need(json_object());
	j->begun = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (j->begun >= 0)
		inotify_add_watch(j->begun, directory, IN_CREATE | IN_ONLYDIR);
	return j;
}

void journals_free(struct journals *j)
{
	if (j->begun >= 0)
		close(j->begun);
	json_decref(j->names);
	free(j);
}

static void journal_take(struct journals *j, const struct inotify_event *e)
{
	const size_t n = e->len ? strlen(e->name) : 0;

	if (e->mask & IN_Q_OVERFLOW)
		j->overflow = true;
	else if (n > strlen(SUFFIX) && !strcmp(e->name + n - strlen(SUFFIX), SUFFIX))
		json_object_set_new_nocheck(j->names, e->name, json_true());
}

void journals_read(struct journals *j)
{
	_Alignas(struct inotify_event) char events[16384];
	ssize_t n;

	while (j->begun >= 0 && (n = read(j->begun, events, sizeof(events))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct inotify_event *e = (const void *)(events + at);

			journal_take(j, e);
			at += (ssize_t)(sizeof(*e) + e->len);
		}
}

static bool is_there(const struct journals *j, const char *name)
{
	char path[PATH_MAX + NAME_MAX + 2];
	int n = snprintf(path, sizeof(path), "%s/%s", j->directory, name);

	if (!access(path, F_OK))
		return true;
	/* What it began has become its report. */
	path[n - (int)strlen(SUFFIX)] = '\0';
	return !access(path, F_OK);
}

const char *journals_lost(struct journals *j)
{
	const char *name;
	json_t *begun;

	journals_read(j);
	json_object_foreach(j->names, name, begun)
	{
		if (is_there(j, name))
			continue;
		snprintf(j->lost, sizeof(j->lost), "%s was removed, and no report has taken its place", name);
		return j->lost;
	}
	if (j->overflow)
		snprintf(j->lost, sizeof(j->lost),
			"so many processes began a journal that the kernel does not name all");
	return j->lost;
}
