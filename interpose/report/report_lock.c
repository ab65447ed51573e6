/* SPDX-License-Identifier: Apache-2.0 */
/* Claims a report path by exclusive creation of its journal. */
#include "interpose/report/report_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "interpose/config/run_settings.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/file_status.h"
#include "interpose/config/job_identity.h"
#include "interpose/common/json_writer.h"

#define HEAD_SIZE 2048 /* the header's first members stand in here */
#define EMPTY_AGE 60 /* seconds after which a journal without its start record counts as abandoned */
#define ATTEMPTS 64

static ssize_t read_head(int fd, char *head)
{
	ssize_t n = pread(fd, head, HEAD_SIZE - 1, 0);

	head[n > 0 ? n : 0] = '\0';
	return n;
}

/* Does the header name this job? Both were written by the same code, so text is compared. */
static bool same_job(const char *head, const char *job)
{
	char word[1024];
	struct text t;

	text_init(&t, word, sizeof(word));
	text_str(&t, "\"job\":\"");
	jout_escape(&t, job, 512);
	text_char(&t, '"');
	return strstr(head, word) != NULL;
}

/* Its writer ended without a trace; on another host it cannot be known. */
static bool writer_is_gone(const char *head)
{
	const char *pid = strstr(head, "\"pid\":");
	char host[512];
	struct text t;

	text_init(&t, host, sizeof(host));
	text_str(&t, "\"host\":\"");
	jout_escape(&t, identity_host(), 256);
	text_char(&t, '"');
	if (!pid || !strstr(head, host))
		return false;
	return kill((pid_t)strtol(pid + 6, NULL, 10), 0) && errno == ESRCH;
}

static bool abandoned(int fd, const char *job)
{
	char head[HEAD_SIZE];
	struct stat st;

	if (read_head(fd, head) <= 0)
		return !filestat_fd(fd, &st) && time(NULL) - st.st_mtime > EMPTY_AGE;
	return !same_job(head, job) && writer_is_gone(head);
}

/*
 * Removes an abandoned journal.  Two processes may find the same one: the file
 * lock and the look at the path under it let only one of them unlink, and only
 * the file it looked at.
 */
static bool remove_abandoned(const char *part, const char *job)
{
	int fd = tool_open(part, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	struct stat mine, there;
	bool gone = false;

	if (fd < 0)
		return errno == ENOENT;
	if (!filestat_fd(fd, &mine) && S_ISREG(mine.st_mode) && !flock(fd, LOCK_EX | LOCK_NB) &&
		!filestat_link(part, &there) && there.st_ino == mine.st_ino && there.st_dev == mine.st_dev &&
		abandoned(fd, job))
		gone = !unlink(part);
	close(fd);
	return gone;
}

/* Did another process of this job finish its report here? */
static bool report_of_job(const char *path, const char *job)
{
	int fd = tool_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	char head[HEAD_SIZE];
	bool same;

	if (fd < 0)
		return false;
	same = read_head(fd, head) > 0 && same_job(head, job);
	close(fd);
	return same;
}

/* 1 = ours, 0 = another process's, -1 = it cannot be written (errno). */
static int try_claim(const char *path, const char *job, struct out_file *journal)
{
	char part[OUT_PATH_MAX];
	struct stat st;
	struct text t;

	if (!filestat_link(path, &st) && !S_ISREG(st.st_mode)) {
		errno = EISDIR;
		return -1;
	}
	text_init(&t, part, sizeof(part));
	text_fmt(&t, "%s.part", path);
	if (t.cut) {
		errno = ENAMETOOLONG;
		return -1;
	}
	while (!out_file_create(journal, part, settings_file_mode())) {
		if (errno != EEXIST)
			return -1;
		if (!remove_abandoned(part, job))
			return 0;
	}
	/* Looked at only now: while the journal is ours no process renames onto the report. */
	if (report_of_job(path, job)) {
		unlink(part);
		return 0;
	}
	/* An old report must not pass for this run's should this run die. */
	unlink(path);
	return 1;
}

bool report_path_variant(const char *wanted, unsigned long number, unsigned attempt, char out[OUT_PATH_MAX])
{
	const char *slash = strrchr(wanted, '/');
	const char *dot = strrchr(slash ? slash : wanted, '.');
	struct text t;

	if (!dot || dot == wanted || dot[-1] == '/')
		dot = wanted + strlen(wanted);
	text_init(&t, out, OUT_PATH_MAX);
	text_put(&t, wanted, (size_t)(dot - wanted));
	text_char(&t, '.');
	text_uint(&t, number);
	if (attempt) {
		text_char(&t, '-');
		text_uint(&t, attempt);
	}
	text_str(&t, dot);
	return !t.cut;
}

enum report_lock report_lock_take(
	const char *wanted, const char *job, struct out_file *journal, char report[OUT_PATH_MAX])
{
	int result;

	if (strlen(wanted) >= OUT_PATH_MAX - 8) {
		errno = ENAMETOOLONG;
		return REPORT_LOCK_FAILED;
	}
	strcpy(report, wanted);
	result = try_claim(report, job, journal);
	for (unsigned i = 0; !result && i < ATTEMPTS; i++) {
		if (!report_path_variant(wanted, (unsigned long)getpid(), i, report))
			return REPORT_LOCK_FAILED;
		result = try_claim(report, job, journal);
	}
	return result > 0 ? REPORT_LOCK_TAKEN : REPORT_LOCK_FAILED;
}
