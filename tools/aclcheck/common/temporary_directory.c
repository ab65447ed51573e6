/* SPDX-License-Identifier: Apache-2.0 */
/* Where files go that are gone after the command. */
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
