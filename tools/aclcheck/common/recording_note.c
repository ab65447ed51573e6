/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A recording that ended before the program did looks like a whole one to who reads it later. So who makes it
 * notes why, in a file beside the trace.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define NOTE "aclcheck-incomplete"
#define ENDED "aclcheck-ended"
#define LEVELS 8 /* of directories between the note and the trace: DIR/HOST/SESSION/ust/uid/0/64-bit */

static const struct {
	const char *name, *text;
} lacks[RECORDING_LACKS] = {
	{"disk-full", "the disk was full: the end of the recording is missing"},
	{"not-ended", "the recording was not ended as it should, or not yet: events are missing"},
	{"processes-left",
		"processes were still running when the program had ended: their later calls are missing"},
	{"window-closed",
		"the recording of calls ended before the program did: calls that it cut off have no end"},
	{"calls-missing", "processes made more calls than are recorded"},
};

const char *recording_lack_name(enum recording_lack lack)
{
	return lacks[lack].name;
}

const char *recording_lack_text(enum recording_lack lack)
{
	return lacks[lack].text;
}

/* Over what is there: on a disk that is full its block is still good. */
static bool write_note(const char *path, unsigned missing)
{
	char text[256];
	size_t n = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	bool written;

	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (missing >> i & 1)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\n", lacks[i].name);
	if (fd < 0)
		return false;
	written = pwrite(fd, text, n, 0) == (ssize_t)n && !ftruncate(fd, (off_t)n);
	return !close(fd) && written;
}

bool recording_note(const char *directory, unsigned missing)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/" NOTE, directory) >= (int)sizeof(path))
		return false;
	return missing ? write_note(path, missing) : !unlink(path);
}

static uint64_t read_note(const char *directory)
{
	char path[PATH_MAX], line[64];
	unsigned found = 0;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/" NOTE, directory) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		for (unsigned i = 0; i < RECORDING_LACKS; i++)
			found |= !strcmp(line, lacks[i].name) ? 1u << i : 0;
	}
	if (f)
		fclose(f);
	return found;
}

bool recording_note_end(const char *directory, uint64_t ns)
{
	char path[PATH_MAX];
	FILE *f;
	bool written;

	if (snprintf(path, sizeof(path), "%s/" ENDED, directory) >= (int)sizeof(path))
		return false;
	f = fopen(path, "we");
	written = f && fprintf(f, "%" PRIu64 "\n", ns) > 0;
	return f && !fclose(f) && written;
}

static uint64_t read_end(const char *directory)
{
	char path[PATH_MAX];
	uint64_t ns = 0;
	FILE *f;

	if (snprintf(path, sizeof(path), "%s/" ENDED, directory) >= (int)sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNu64, &ns) != 1)
		ns = 0;
	if (f)
		fclose(f);
	return ns;
}

/* That of the nearest directory which has one; 0: none. */
static uint64_t nearest(const char *trace, uint64_t (*read_in)(const char *directory))
{
	char directory[PATH_MAX];
	uint64_t found = 0;

	if (!realpath(trace, directory))
		return 0;
	for (unsigned i = 0; i < LEVELS && *directory && !found; i++) {
		found = read_in(directory);
		*strrchr(directory, '/') = 0;
	}
	return found;
}

uint64_t recording_ended(const char *trace)
{
	return nearest(trace, read_end);
}

unsigned recording_lacks(const char *trace)
{
	return (unsigned)nearest(trace, read_note);
}
