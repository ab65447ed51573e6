/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The disk that a recording goes to. A full one must neither take the whole recording with it nor stop the
 * program:
 *	- LTTng writes last what describes the events, and without it nothing can be read. Room for that is
 *	  held from the start, and given back when the recording ends.
 *	- LTTng gives a stream up that it could not write. With --lossless its program would then wait for
 *	  ever. So recording ends while all that is in memory still finds room.
 *	- Where there is too little for that from the start, a packet may be written in part, and another one
 *	  behind it. Readers refuse both: the stream is cut off there.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/lttng_packet.h"
#include "tools/aclcheck/trace/trace.h"

#define DESCRIPTIONS (8u << 20) /* of all events: 4.7 MB */
#define FULL (64u << 10)
#define MEANWHILE (64u << 20) /* is written between two looks, at most */

/* A file without a name: it ends with this process. */
static int nameless_file(const char *directory)
{
	char path[PATH_MAX];
	int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || snprintf(path, sizeof(path), "%s/.room-XXXXXX", directory) >= (int)sizeof(path))
		return fd;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* Of what else may fail the disk is not the reason: then nothing is held. */
static bool is_room_error(int error)
{
	return error == ENOSPC || error == EDQUOT;
}

static uint64_t room(int fd)
{
	struct statvfs s;

	return fstatvfs(fd, &s) ? UINT64_MAX : (uint64_t)s.f_bavail * s.f_frsize;
}

bool disk_begin(struct trace_disk *d, const char *directory, uint64_t in_memory, bool whole)
{
	uint64_t least = in_memory + MEANWHILE, free;
	bool held;

	d->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free = room(d->directory);
	d->least = whole || free >= DESCRIPTIONS + 2 * least ? least : FULL;
	d->held = nameless_file(directory);
	held = d->held < 0 || !is_room_error(posix_fallocate(d->held, 0, DESCRIPTIONS));
	if (held && !disk_is_full(d))
		return true;
	command_say("%s: the disk is full: %s free, a recording needs %s", directory, bytes_text(free),
		bytes_text(DESCRIPTIONS + d->least));
	disk_release(d);
	return false;
}

bool disk_is_full(const struct trace_disk *d)
{
	return d->directory >= 0 && room(d->directory) < d->least;
}

bool disk_is_small(const struct trace_disk *d)
{
	return d->directory >= 0 && d->least == FULL;
}

void disk_release(struct trace_disk *d)
{
	if (d->held >= 0)
		close(d->held);
	d->held = -1;
}

static uint64_t counted;

static int count_bytes(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
	(void)path;
	/* LTTng's files are deeper than our note. */
	if (type == FTW_F && ftw->level > 1)
		counted += (uint64_t)s->st_size;
	return 0;
}

uint64_t disk_bytes(const char *directory)
{
	counted = 0;
	nftw(directory, count_bytes, 16, FTW_PHYS);
	return counted;
}

/* --- streams that end in the middle of a packet ------------------------------- */

/* Whether another packet of the stream begins before the packet's end. */
static bool is_overrun(const char *packet, uint64_t size)
{
	const size_t same = offsetof(struct lttng_packet, stream);

	return memmem(packet + same, size - same, packet, same) != NULL;
}

/* Where the first packet begins that is not whole. first: the stream's first one. */
static uint64_t whole_packets(struct packet_walk first, const char *stream, uint64_t size)
{
	struct packet_walk w = first;

	while (w.bytes >= sizeof(w.head) && w.bytes <= size - w.at && !is_overrun(stream + w.at, w.bytes))
		if (!packet_walk_next(&w))
			break;
	return w.at;
}

/* Of DIRECTORY/STREAM; readers do without. */
static void remove_index(const char *stream)
{
	const char *name = strrchr(stream, '/') + 1;
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%.*sindex/%s.idx", (int)(name - stream), stream, name) < PATH_MAX)
		unlink(path);
}

static void cut_stream(const char *path, int fd, uint64_t size)
{
	struct packet_walk w = {.fd = fd};
	char *stream;
	uint64_t whole;

	if (!packet_walk_next(&w))
		return;
	stream = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (stream == MAP_FAILED)
		return;
	whole = whole_packets(w, stream, size);
	munmap(stream, size);
	if (whole < size && !ftruncate(fd, (off_t)whole))
		remove_index(path);
}

static int cut_file(const char *path, const struct stat *s, int type, struct FTW *ftw)
{
	int fd;

	(void)ftw;
	if (type != FTW_F || s->st_size < (off_t)sizeof(struct lttng_packet))
		return 0;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	if (fd >= 0) {
		cut_stream(path, fd, (uint64_t)s->st_size);
		close(fd);
	}
	return 0;
}

void disk_repair(const char *directory)
{
	nftw(directory, cut_file, 16, FTW_PHYS);
}
