/* SPDX-License-Identifier: Apache-2.0 */
/* A process of ours that outlives the command when that is killed, to put away what it leaves. */
#include "tools/aclcheck/common/command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

void survivor_begin(const char *name)
{
	sigset_t all;

	setsid();
	prctl(PR_SET_NAME, name);
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
}

void close_from(int first)
{
	DIR *open_ones;
	struct dirent *e;

	if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u))
		return;
	open_ones = opendir("/proc/self/fd");
	while (open_ones && (e = readdir(open_ones)))
		if (atoi(e->d_name) >= first && atoi(e->d_name) != dirfd(open_ones))
			close(atoi(e->d_name));
	if (open_ones)
		closedir(open_ones);
	else
		for (int fd = first; fd < 1024; fd++)
			close(fd);
}

/* The line keeps its number: lower ones may be the loader's (LD_DEBUG_OUTPUT), which goes on writing there.
 */
int survivor_keep_only(int line)
{
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(null, i);
	for (int fd = 3; fd < line; fd++)
		close(fd);
	close_from(line + 1);
	return line;
}

struct watched_program survivor_watch(pid_t program)
{
	return (struct watched_program){program, (int)syscall(SYS_pidfd_open, program, 0)};
}

void survivor_wait(struct watched_program program)
{
	struct pollfd end = {.fd = program.fd, .events = POLLIN};

	if (program.fd >= 0)
		while (poll(&end, 1, -1) < 0 && errno == EINTR)
			;
	else
		while (program.pid > 0 && !kill(program.pid, 0))
			poll(NULL, 0, 100);
}
