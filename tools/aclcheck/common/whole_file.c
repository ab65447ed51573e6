/* SPDX-License-Identifier: Apache-2.0 */
/* Regular files: the text goes to a file beside the wanted one, which then takes its place. */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/common/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /dev/stdout is what the shell made of it: opening it again would begin at the file's front. */
static int standard_stream(const struct stat *st)
{
	struct stat own;

	for (int fd = 1; fd <= 2; fd++)
		if (!filestat_fd(fd, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return fd;
	return -1;
}

static FILE *open_special(const char *path, const struct stat *st)
{
	int fd = standard_stream(st);

	if (fd >= 0)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	else if (S_ISDIR(st->st_mode) || S_ISBLK(st->st_mode))
		errno = S_ISDIR(st->st_mode) ? EISDIR : EINVAL; /* a disk is never meant */
	else
		fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

/* A symbolic link stays, what it points to is replaced. */
static FILE *open_beside(struct whole_file *w, bool exists)
{
	char *file = exists ? realpath(w->path, NULL) : strdup(w->path);
	FILE *f = NULL;

	if (file) {
		need(asprintf(&w->part, "%s.%ld.tmp", file, (long)getpid()) < 0 ? NULL : w->part);
		f = fopen(w->part, "wex");
	}
	if (!f) {
		free(w->part);
		w->part = NULL;
	}
	w->file = file;
	return f;
}

/* Of a link that leads nowhere the link is what would be replaced. */
bool whole_file_is_special(const char *path)
{
	struct stat st;

	return !filestat_path(path, &st) && (!S_ISREG(st.st_mode) || standard_stream(&st) >= 0);
}

FILE *whole_file_begin(struct whole_file *w, const char *path)
{
	bool exists;
	struct stat st;

	*w = (struct whole_file){.path = path};
	exists = !filestat_path(path, &st);
	if (exists && whole_file_is_special(path))
		w->f = open_special(path, &st);
	else
		w->f = open_beside(w, exists);
	if (!w->f) {
		command_say("%s: %s", path, strerror(errno));
		free(w->file);
	}
	return w->f;
}

bool whole_file_end(struct whole_file *w)
{
	bool good = !fflush(w->f) && !ferror(w->f);
	int error = errno;

	if (fclose(w->f) && good) {
		good = false;
		error = errno;
	}
	if (good && w->part && rename(w->part, w->file)) {
		good = false;
		error = errno;
	}
	if (!good) {
		command_say("%s: %s", w->path, strerror(error));
		if (w->part)
			unlink(w->part);
	}
	free(w->part);
	free(w->file);
	return good;
}

bool whole_file(const char *path, const char *text, size_t size)
{
	struct whole_file w;

	if (!whole_file_begin(&w, path))
		return false;
	fwrite(text, 1, size, w.f);
	return whole_file_end(&w);
}
