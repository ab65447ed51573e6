/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings' memory.  It keeps its address for the process' life: a file takes
 * the place of private pages, and private pages that of the file in a forked
 * child, while calls go on being noted.
 *
 * A mapped page that has no block behind it raises SIGBUS in the program, so
 * only file systems are used where a block once given out stays; all blocks
 * are there before the file is mapped, and nobody may write to it by mistake
 * (mode 0444).  Network and copy-on-write file systems promise nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "interpose/cost.h"
#include "interpose/filestat.h"
#include "interpose/lastcalls.h"
#include "interpose/lastcalls_area.h"
#include "interpose/out_file.h"
#include "interpose/quiet.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

#define AREA_SIZE sizeof(struct lastcalls_area)

static struct {
	char path[OUT_PATH_MAX];
	dev_t dev;
	ino_t ino;
} file;

static void *private_pages(void *at)
{
	return mmap(at, AREA_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

static struct lastcalls_area *area_get(void)
{
	struct lastcalls_area *a = atomic_load(&lastcalls_area);
	void *p;

	if (a)
		return a;
	p = private_pages(NULL);
	if (p == MAP_FAILED)
		return NULL;
	cost_memory(p, AREA_SIZE);
	atomic_store(&lastcalls_area, p);
	return p;
}

static bool keeps_its_blocks(int fd)
{
	static const unsigned long good[] = {
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
	struct statfs fs;

	for (unsigned i = 0; !fstatfs(fd, &fs) && i < sizeof(good) / sizeof(*good); i++)
		if ((unsigned long)fs.f_type == good[i])
			return true;
	return false;
}

/* Blocks first, contents second: either may find the disk full, mapping may not. */
static const char *fill(int fd, const struct lastcalls_area *a)
{
	struct quiet quiet;
	struct stat st;
	bool good;

	if (!keeps_its_blocks(fd))
		return "the file system may take back what it gave";
	if (!quiet_begin(&quiet))
		return "signals cannot be held back";
	good = !posix_fallocate(fd, 0, (off_t)AREA_SIZE) && pwrite(fd, a, AREA_SIZE, 0) == (ssize_t)AREA_SIZE;
	quiet_end(&quiet);
	if (!good || filestat_fd(fd, &st) || (size_t)st.st_blocks * 512 < AREA_SIZE)
		return "no space is left";
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	return NULL;
}

static const char *share(struct lastcalls_area *a)
{
	const char *why;
	int fd;

	unlink(file.path); /* of a process that was killed: its report's name is ours now */
	fd = open(file.path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0444);
	if (fd < 0)
		return "the file cannot be made";
	why = fill(fd, a);
	if (!why && mmap(a, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		why = "the file cannot be mapped";
	close(fd);
	if (why)
		unlink(file.path);
	return why;
}

void lastcalls_begin(const char *report, const char **why)
{
	struct lastcalls_area *a = area_get();
	struct text t;
	int saved = errno;

	*why = "there is no memory";
	if (!a)
		return;
	a->magic = LASTCALLS_MAGIC;
	a->model = lastcalls_model();
	a->pid = (uint32_t)getpid();
	a->rings = LASTCALLS_RINGS;
	a->entries = LASTCALLS_ENTRIES;
	a->words = LASTCALLS_WORDS;
	text_init(&t, file.path, sizeof(file.path));
	text_fmt(&t, "%s" LASTCALLS_SUFFIX, report);
	*why = t.cut ? "the path is too long" : share(a);
	if (*why)
		file.path[0] = '\0';
	errno = saved;
}

/* The pages stay: other threads may still be noting. */
void lastcalls_end(void)
{
	struct stat st;
	int saved = errno;

	if (*file.path && !filestat_link(file.path, &st) && st.st_dev == file.dev && st.st_ino == file.ino)
		unlink(file.path);
	file.path[0] = '\0';
	errno = saved;
}

/* The parent's file is not ours to write to; its calls are not ours to show. */
void lastcalls_forked(void)
{
	struct lastcalls_area *a = atomic_load(&lastcalls_area);

	/* Cannot fail but for want of memory; then the parent's file gets calls of ours. */
	if (a)
		(void)private_pages(a);
	file.path[0] = '\0';
}
