/* SPDX-License-Identifier: Apache-2.0 */
/* Running cases in children, speaking TAP. */
#include "tap.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CASE_SECONDS 60
#define SKIPPED 77 /* how a child ends */

static unsigned count, bad;
static bool failed;

void tap_is(const char *expr, long got, long want, const char *file, int line)
{
	if (got == want)
		return;
	failed = true;
	printf("# %s:%d: %s is %ld, not %ld\n", file, line, expr, got, want);
	fflush(stdout);
}

bool tap_failed(void)
{
	return failed;
}

void tap_skip(const char *reason)
{
	printf("# skipped: %s\n", reason);
	exit(failed ? 1 : SKIPPED);
}

static int child(const struct tap_case *c, const char *const *env)
{
	for (; env && *env; env++)
		putenv((char *)*env);
	alarm(CASE_SECONDS);
	c->run();
	return failed;
}

void tap_run(const struct tap_case *cases, size_t n, const char *label, const char *const *env)
{
	for (size_t i = 0; i < n; i++) {
		int status = 0;
		bool skipped;
		pid_t pid;

		fflush(stdout);
		pid = fork();
		if (!pid)
			exit(child(&cases[i], env));
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			status = -1;
		if (status && WIFSIGNALED(status))
			printf("# killed by signal %d\n", WTERMSIG(status));
		skipped = WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED;
		bad += status && !skipped;
		printf("%sok %u - %s%s%s\n", status && !skipped ? "not " : "", ++count, label, cases[i].name,
			skipped ? " # SKIP" : "");
	}
}

int tap_done(void)
{
	printf("1..%u\n", count);
	return bad != 0;
}
