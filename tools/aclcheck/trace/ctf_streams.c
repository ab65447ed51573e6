/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does going from packet to packet come to an end?  libbabeltrace2 2.0 goes on for ever, and takes memory
 * for it, at a packet that says to have no size. All else that is wrong it finds itself.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/lttng_packet.h"
#include "tools/aclcheck/trace/summary.h"

static bool comes_to_an_end(int fd)
{
	struct packet_walk w = {.fd = fd};

	while (packet_walk_next(&w))
		if (!w.bytes)
			return false;
	return true;
}

/* The layout is known of LTTng's own only: in others no packet looks like one of it. */
bool ctf_streams_end(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *e;
	bool good = true;

	while (good && d && (e = readdir(d))) {
		int fd = e->d_name[0] == '.' ? -1
					     : openat(dirfd(d), e->d_name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

		good = fd < 0 || comes_to_an_end(fd);
		if (!good)
			command_say("%s/%s is damaged: a packet without a size", directory, e->d_name);
		if (fd >= 0)
			close(fd);
	}
	if (d)
		closedir(d);
	return good;
}
