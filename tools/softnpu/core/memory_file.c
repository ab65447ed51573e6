/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the kernel; where a kernel or a container has no memfd_create, a deleted file. */
#include "tools/softnpu/core/memory_file.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

static uint64_t room(const char *directory)
{
	struct statvfs s;

	return statvfs(directory, &s) ? 0 : (uint64_t)s.f_bavail * s.f_frsize;
}

/* Memory that finds no room when it is touched would end the program: the larger of both places. */
static int deleted_file(void)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory)
		directory = "/tmp";
	if (room("/dev/shm") > room(directory))
		directory = "/dev/shm";
	return open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

int memory_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	return fd < 0 ? deleted_file() : fd;
}
