/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where lines for people go.  Descriptor 2 belongs to the program: before each
 * record it must still be the file it was at load, else the program closed or
 * reused it and we are silent.
 */
#include "interpose/report/log.h"
#include "interpose/report/log_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "interpose/common/sentences.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/file_status.h"
#include "interpose/config/job_identity.h"
#include "interpose/config/run_settings.h"
#include "interpose/stack/tool_stack.h"

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
	char name[sizeof(to.path)];
	struct text t;

	to.off = !strcmp(where, "off");
	to.path[0] = '\0';
	if (to.off || !strcmp(where, "stderr"))
		return;
	/* What stands before it is no pattern. */
	text_init(&t, name, sizeof(name));
	identity_expand(&t, where);
	settings_path(name, to.path, sizeof(to.path));
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

bool log_summed_up(void)
{
	return !*to.path && *settings_text(SETTING_RUN);
}

/* Moved back from the end; what does not fit stays without. */
static void tag_lines(struct text *t)
{
	char tag[48];
	struct text of;
	size_t lines = 0, from = t->len, at;

	text_init(&of, tag, sizeof(tag));
	identity_tag(&of);
	for (size_t i = 0; i < t->len; i++)
		lines += t->buf[i] == '\n';
	at = t->len + lines * of.len;
	if (!of.len || at >= t->cap)
		return;
	t->buf[at] = '\0';
	t->len = at;
	while (lines) {
		t->buf[--at] = t->buf[--from];
		if (from && t->buf[from - 1] != '\n')
			continue;
		at -= of.len;
		memcpy(t->buf + at, tag, of.len);
		lines--;
	}
}

void log_write(struct text *record)
{
	const char *text = record->buf;
	int saved = errno, fd;

	if (to.off) {
		errno = saved;
		return;
	}
	if (!*to.path)
		tag_lines(record);
	if (*to.path) {
		/* NONBLOCK: a FIFO without reader is not waited for. */
		fd = tool_open(to.path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK,
			settings_file_mode());
		if (fd >= 0) {
			log_stream_write(fd, text, record->len);
			close(fd);
		} else {
			log_stream_lost();
		}
	} else if (stderr_is_ours()) {
		log_stream_write(STDERR_FILENO, text, record->len);
	}
	errno = saved;
}

void log_line(const char *line)
{
	char buf[1024];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	text_str(&t, "aclcheck: ");
	sentences_put(&t, line, 512 - 16, settings_lang());
	text_char(&t, '\n');
	log_write(&t);
}

struct remark {
	const char *text, *detail;
};

static void write_remark(void *remark)
{
	const struct remark *r = remark;
	char line[1024];
	struct text t;

	text_init(&t, line, sizeof(line));
	text_str(&t, r->text);
	text_str(&t, r->detail ? r->detail : "");
	log_line(line);
}

void log_say(const char *text, const char *detail)
{
	struct remark r = {text, detail};
	int saved = errno;

	tool_stack_run(write_remark, &r);
	errno = saved;
}
