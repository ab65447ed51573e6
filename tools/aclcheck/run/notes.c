/* SPDX-License-Identifier: Apache-2.0 */
/* Files that grow while they are read: a note counts when its last string has come. */
#include "tools/aclcheck/run/run.h"

#include <dirent.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "interpose/process/process_tree.h"
#include "tools/aclcheck/common/command.h"

struct notes {
	const char *directory;
	json_t *offsets; /* of what was read, by file name */
};

struct notes *notes_new(const char *directory)
{
	struct notes *n = need(calloc(1, sizeof(*n)));

	n->directory = directory;
	n->offsets = need(json_object());
	return n;
}

void notes_free(struct notes *n)
{
	json_decref(n->offsets);
	free(n);
}

/* Whole notes only. How much of the text they are. */
static size_t read_block(const char *text, size_t n, bool here, notes_fn *fn, void *context)
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
		fn(context, &(struct note){.pid = (pid_t)strtol(field[0], NULL, 10),
				    .path = field[1],
				    .libraries = field[2],
				    .what = field[3],
				    .space = field[4],
				    .here = here});
		have = 0;
		done = (size_t)(at - text);
	}
	return done;
}

static void read_file(struct notes *n, const char *name, bool here, notes_fn *fn, void *context)
{
	json_int_t offset = json_integer_value(json_object_get(n->offsets, name));
	char path[2 * PATH_MAX], block[65536];
	size_t size;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", n->directory, name);
	f = fopen(path, "re");
	while (f && !fseek(f, (long)offset, SEEK_SET) && (size = fread(block, 1, sizeof(block), f)) > 0) {
		size = read_block(block, size, here, fn, context);
		if (!size)
			break;
		offset += (json_int_t)size;
	}
	if (f)
		fclose(f);
	json_object_set_new_nocheck(n->offsets, name, json_integer(offset));
}

void notes_read(struct notes *n, notes_fn *fn, void *context)
{
	const size_t suffix = strlen(NOTES_SUFFIX);
	DIR *directory = opendir(n->directory);
	struct utsname us;
	struct dirent *d;

	while (directory && (d = readdir(directory))) {
		size_t length = strlen(d->d_name);

		if (length > suffix && !strcmp(d->d_name + length - suffix, NOTES_SUFFIX))
			read_file(n, d->d_name,
				!uname(&us) && length - suffix == strlen(us.nodename) &&
					!strncmp(d->d_name, us.nodename, length - suffix),
				fn, context);
	}
	if (directory)
		closedir(directory);
}
