/* SPDX-License-Identifier: Apache-2.0 */
/* Found once, without a lock: also before an exec in a forked child and in a signal handler. */
#include "interpose/config/run_membership.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/notify_parent.h"
#include "interpose/common/run_socket.h"

#define OTHER_WAIT_S 3 /* while another thread asks: it waits less */

enum { UNKNOWN, ASKING, KNOWN };

static struct {
	_Atomic int state;
	_Atomic bool looked; /* into the environment, which the program may change afterwards */
	bool lost; /* what it says is gone, or out of sight */
	char directory[PATH_MAX], job[128];
	char answer[RUN_ANSWER_MAX];
	size_t answer_size;
} run;

/* Both are made by the command: they are taken together or not at all. */
NO_SANITIZE static bool take(const char *job, const char *directory)
{
	if (!job || !directory || strncmp(job, RUN_JOB, strlen(RUN_JOB)) != 0 ||
		strlen(job) >= sizeof(run.job) || *directory != '/' ||
		strlen(directory) >= sizeof(run.directory))
		return false;
	strcpy(run.directory, directory);
	strcpy(run.job, job);
	return true;
}

/* An earlier run's, in the environment of a server or of a file of settings: the one of now is asked for. */
NO_SANITIZE static bool is_gone(const char *directory)
{
	int saved = errno;
	bool gone = directory && access(directory, F_OK) && (errno == ENOENT || errno == ENOTDIR);

	errno = saved;
	return gone;
}

NO_SANITIZE const char *run_directory_given(void)
{
	if (!atomic_exchange(&run.looked, true) && !getauxval(AT_SECURE)) {
		run.lost = is_gone(getenv("ACLCHECK_RUN"));
		if (!run.lost && take(getenv("ACLCHECK_JOB"), getenv("ACLCHECK_RUN")))
			atomic_store(&run.state, KNOWN);
	}
	return atomic_load(&run.state) == KNOWN ? run.directory : "";
}

NO_SANITIZE static void wait_for_other(void)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += OTHER_WAIT_S;
	do {
		nanosleep(&nap, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (atomic_load(&run.state) == ASKING && now.tv_sec < end.tv_sec);
}

NO_SANITIZE const char *run_directory(void)
{
	int state = UNKNOWN, saved = errno;

	run_directory_given();
	if (atomic_compare_exchange_strong(&run.state, &state, ASKING)) {
		run.answer_size = getauxval(AT_SECURE) ? 0 : run_ask(run.answer, sizeof(run.answer));
		if (run.answer_size && !take(run_answer_get(run.answer, run.answer_size, "job"),
					       run_answer_get(run.answer, run.answer_size, "run")))
			run.answer_size = 0;
		/* In name spaces of its own it may see neither. */
		if (run.lost && !run.answer_size)
			notify_by_name();
		atomic_store(&run.state, KNOWN);
	} else if (state == ASKING) {
		wait_for_other();
	}
	errno = saved;
	return atomic_load(&run.state) == KNOWN ? run.directory : "";
}

NO_SANITIZE const char *run_job(void)
{
	run_directory();
	return run.job;
}

bool run_was_found(void)
{
	return run.answer_size > 0;
}

void run_each_setting(void (*fn)(const char *where, const char *word, const char *value))
{
	const char *at = run.answer, *end = at + run.answer_size;

	while (at < end) {
		const char *value = at + strlen(at) + 1;

		if (value >= end)
			return;
		if (strcmp(at, "job") != 0 && strcmp(at, "run") != 0)
			fn("aclcheck run", at, value);
		at = value + strlen(value) + 1;
	}
}

void run_membership_forked(void)
{
	int asking = ASKING;

	atomic_compare_exchange_strong(&run.state, &asking, UNKNOWN);
}
