/* SPDX-License-Identifier: Apache-2.0 */
/*
 * daemon() ends the parent inside the C library, unseen: here it
 * does what the C library's does, by fork and _exit that are seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/file_status.h"
#include "interpose/process/life_cycle.h"
#include "interpose/process/process_state.h"
#include "interpose/runtime/libc_hooks.h"

/* As the C library: only the true null device will do. */
static int stdio_to_null(void)
{
	int fd = open("/dev/null", O_RDWR), saved;
	struct stat st;

	if (fd < 0)
		return -1;
	saved = filestat_fd(fd, &st) ? errno : ENODEV;
	if (saved != ENODEV || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3)) {
		close(fd);
		errno = saved;
		return -1;
	}
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
	return 0;
}

ACL_HOOK NO_SANITIZE int daemon(int nochdir, int noclose)
{
	pid_t child;

	if (process_is_uninitialized())
		return HOOK_REAL(daemon)(nochdir, noclose);
	child = fork();
	if (child < 0)
		return -1;
	if (child > 0)
		life_exit_now(0);
	if (setsid() < 0)
		return -1;
	if (!nochdir && chdir("/"))
		errno = 0; /* not looked at by the C library either */
	return noclose ? 0 : stdio_to_null();
}
