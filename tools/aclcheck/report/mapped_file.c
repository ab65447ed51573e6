/* SPDX-License-Identifier: Apache-2.0 */
/* Reports may be larger than memory: they are mapped, and read once from front to back. */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/report/merge_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

bool mapped_file(const char *path, struct span *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	void *p = NULL;

	if (fd < 0 || filestat_fd(fd, &st)) {
		command_say("%s: %s", path, strerror(errno));
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		command_say("%s: not a regular file", path);
		goto fail;
	}
	if (st.st_size)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED) {
		command_say("%s: %s", path, strerror(errno));
		goto fail;
	}
	close(fd);
	if (p)
		madvise(p, (size_t)st.st_size, MADV_SEQUENTIAL);
	out->at = p ? p : "";
	out->end = out->at + st.st_size;
	return true;
fail:
	if (fd >= 0)
		close(fd);
	return false;
}

void mapped_file_free(struct span mapped)
{
	if (mapped.at < mapped.end)
		munmap((void *)(uintptr_t)mapped.at, (size_t)(mapped.end - mapped.at));
}
