/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where lines for people go.  Descriptor 2 belongs to the program: before each
 * record it must still be the file it was at load, else the program closed or
 * reused it and we are silent.
 */
#include "interpose/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "interpose/filestat.h"
#include "interpose/identity.h"
#include "interpose/quiet.h"
#include "interpose/settings.h"

static struct {
	bool known, off;
	dev_t dev, rdev;
	ino_t ino;
	char path[4096]; /* "" = standard error */
} to;

void log_early(void)
{
	struct stat st;
	int saved = errno;

	if (!to.known && !filestat_fd(STDERR_FILENO, &st)) {
		to.known = true;
		to.dev = st.st_dev;
		to.rdev = st.st_rdev;
		to.ino = st.st_ino;
	}
	errno = saved;
}

void log_begin(void)
{
	const char *where = settings_text(SETTING_LOG);
	char pattern[sizeof(to.path)];
	struct text t;

	to.off = !strcmp(where, "off");
	to.path[0] = '\0';
	if (to.off || !strcmp(where, "stderr"))
		return;
	settings_path(where, pattern, sizeof(pattern));
	text_init(&t, to.path, sizeof(to.path));
	identity_expand(&t, pattern);
}

static bool stderr_is_ours(void)
{
	struct stat st;

	return to.known && !filestat_fd(STDERR_FILENO, &st) && st.st_dev == to.dev && st.st_ino == to.ino &&
	       st.st_rdev == to.rdev;
}

bool log_wanted(void)
{
	return !to.off && (*to.path || to.known);
}

bool log_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
	struct termios tio;

	return !*to.path && !(no && *no) && term && strcmp(term, "dumb") && stderr_is_ours() &&
	       !tcgetattr(STDERR_FILENO, &tio);
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		p += done;
		n -= (size_t)done;
	}
}

static void write_quietly(int fd, const char *p, size_t n)
{
	struct quiet quiet;

	if (!quiet_begin(&quiet))
		return;
	write_all(fd, p, n);
	quiet_end(&quiet);
}

void log_write(const char *record, size_t size)
{
	int saved = errno, fd;

	if (to.off) {
		errno = saved;
		return;
	}
	if (*to.path) {
		fd = open(to.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0666);
		if (fd >= 0) {
			write_quietly(fd, record, size);
			close(fd);
		}
	} else if (stderr_is_ours()) {
		write_quietly(STDERR_FILENO, record, size);
	}
	errno = saved;
}

void log_line(const char *line)
{
	char buf[512];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_str(&t, "aclcheck: ");
	text_safe(&t, line, sizeof(buf) - 16);
	text_char(&t, '\n');
	log_write(buf, t.len);
}
