/* SPDX-License-Identifier: Apache-2.0 */
/* The child's stderr goes to a file in memory, which is passed on when the child ends by itself. */
#include "tools/aclcheck/trace/summary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

int isolated_terminal = -1;

static void isolated_pass_on(int fd)
{
	char block[4096];
	ssize_t n;

	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, block, sizeof(block))) > 0)
		fwrite(block, 1, (size_t)n, stderr);
}

static void __attribute__((noreturn)) be_child(int (*work)(void *), void *argument, int messages)
{
	const struct rlimit no_core = {0, 0};
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &no_core);
	if (isatty(2))
		isolated_terminal = fcntl(2, F_DUPFD_CLOEXEC, 3);
	if (messages >= 0)
		dup2(messages, 2);
	status = work(argument);
	fflush(NULL);
	_exit(status);
}

/* In memory; where the kernel has no such file, a deleted one; where neither is to be had, nothing is held
 * back. */
static int message_file(void)
{
	int fd = memfd_create("messages", MFD_CLOEXEC);

	if (fd >= 0)
		return fd;
	return open(temporary_directory(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int isolated_run(int (*work)(void *), void *argument, const char *what)
{
	int messages = message_file(), status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return command_misuse("%s", strerror(errno));
	if (!pid)
		be_child(work, argument, messages);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && messages >= 0)
		isolated_pass_on(messages);
	close(messages);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	if (isatty(2))
		fputs("\r\033[K", stderr);
	return command_misuse("%s cannot be read: it is damaged", what);
}
