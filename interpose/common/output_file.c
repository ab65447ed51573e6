/* SPDX-License-Identifier: Apache-2.0 */
/* Creating and appending without keeping descriptors. */
#include "interpose/common/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/tool_open.h"
#include "interpose/common/file_status.h"
#include "interpose/common/write_signals.h"

#define OUT_FLAGS (O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK)

bool out_file_create(struct out_file *f, const char *path, mode_t mode)
{
	struct stat st;
	bool good;
	int fd;

	if (strlen(path) >= sizeof(f->path)) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = tool_open(path, OUT_FLAGS | O_CREAT | O_EXCL, mode);
	if (fd < 0)
		return false;
	good = !filestat_fd(fd, &st);
	close(fd);
	strcpy(f->path, path);
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	f->size = 0;
	return good;
}

static bool write_once(int fd, const char *data, size_t size)
{
	struct write_signals quiet;
	ssize_t n;

	if (!write_signals_hold(&quiet))
		return false;
	do
		n = write(fd, data, size);
	while (n < 0 && errno == EINTR);
	write_signals_release(&quiet);
	/* A short write means a full disk: the rest would fail too. */
	if (n >= 0 && (size_t)n < size)
		errno = ENOSPC;
	return n >= 0 && (size_t)n == size;
}

bool out_file_append(struct out_file *f, const char *data, size_t size)
{
	int fd = tool_open(f->path, OUT_FLAGS, 0), error;
	struct stat st;
	bool good = false;

	if (fd < 0)
		return false;
	if (filestat_fd(fd, &st) || st.st_dev != f->dev || st.st_ino != f->ino || st.st_size != f->size)
		errno = ESTALE;
	else
		good = write_once(fd, data, size);
	if (good)
		f->size += (off_t)size;
	error = errno;
	close(fd);
	errno = error;
	return good;
}
