/* SPDX-License-Identifier: Apache-2.0 */
/* Where files go that are gone after the command. */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

const char *temporary_directory(void)
{
	const char *wanted = getenv("TMPDIR");

	if (wanted && *wanted)
		return wanted;
	/* In a container whose root is read-only, often the one place that can be written. */
	return access("/tmp", W_OK | X_OK) && !access("/dev/shm", W_OK | X_OK) ? "/dev/shm" : "/tmp";
}

static int remove_entry(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
	(void)s;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

bool temporary_directory_remove(const char *path)
{
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
	return access(path, F_OK) != 0;
}
