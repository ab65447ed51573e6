/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording of the last calls only: LTTng overwrites the oldest ones, and what is
 * there is written when something happens.  What describes processes has a channel of
 * its own, and stacks another one: they are recorded once, and calls would push them out.
 */
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/trace.h"

#define LATE_MS 500 /* for a finding at the program's very end to be acted upon */

static const char snapshot[] = "snapshot-";

static struct lttng_trigger *at_finding;

bool ring_begin(const char *session)
{
	at_finding = control_write_ring_at(session, "aclcheck:finding");
	return at_finding;
}

unsigned ring_written(const char *directory, char *last, size_t size)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	unsigned n = 0;

	*last = 0;
	while (d && (e = readdir(d))) {
		if (strncmp(e->d_name, snapshot, strlen(snapshot)))
			continue;
		n++;
		/* Their names end in a number and begin with the time. */
		if (strlen(e->d_name) < size && strcmp(e->d_name, last) > 0)
			strcpy(last, e->d_name);
	}
	if (d)
		closedir(d);
	return n;
}

bool ring_end(const char *session, const char *directory, bool wanted)
{
	const struct timespec moment = {.tv_nsec = 10000000};
	char last[NAME_MAX + 1];
	bool written;

	for (unsigned ms = 0; !wanted && ms < LATE_MS && !ring_written(directory, last, sizeof(last));
		ms += 10)
		nanosleep(&moment, NULL);
	written = !wanted || control_write_ring(session);
	return control_forget(at_finding) && written;
}
