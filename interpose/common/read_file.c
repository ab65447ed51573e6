/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a small file whole, without malloc and without keeping a descriptor. */
#include "interpose/common/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "interpose/common/tool_memory.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/file_status.h"

static bool read_all(int fd, char *data, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = read(fd, data + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		have += (size_t)n;
	}
	return true;
}

char *read_file(const char *path, size_t max, size_t *size)
{
	int fd = tool_open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
	char *data = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (filestat_fd(fd, &st))
		goto end;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > max) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : S_ISREG(st.st_mode) ? EFBIG : EINVAL;
		goto end;
	}
	*size = (size_t)st.st_size;
	data = tool_memory_map(*size + 1, 0);
	if (data && !read_all(fd, data, *size)) {
		munmap(data, *size + 1);
		data = NULL;
	}
end:
	close(fd);
	return data;
}

void read_file_free(char *data, size_t size)
{
	if (data)
		munmap(data, size + 1);
}
