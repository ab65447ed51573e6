/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rings' memory.  It keeps its address for the process' life: a file takes
 * the place of private pages, and private pages that of the file in a forked
 * child, while calls go on being noted.
 *
 * A mapped page that has no block behind it raises SIGBUS in the program, so
 * only file systems are used where a block once given out stays; all blocks
 * are there before the file is mapped, and no process may write to it by mistake
 * (mode 0444 or 0400).  Network and copy-on-write file systems promise nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "checks/engine/pages.h"
#include "interpose/config/job_identity.h"
#include "interpose/config/run_settings.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/tool_memory.h"
#include "interpose/common/file_status.h"
#include "interpose/report/last_calls.h"
#include "interpose/common/output_file.h"
#include "interpose/common/write_signals.h"

#ifndef XFS_SUPER_MAGIC
#define XFS_SUPER_MAGIC 0x58465342
#endif

#define AREA_SIZE sizeof(struct last_calls_area)

static struct {
	char path[OUT_PATH_MAX];
	dev_t dev;
	ino_t ino;
} file;
static char link_path[OUT_PATH_MAX]; /* leads to the file, "" = there is none */

static void *private_pages(void *at)
{
	return mmap(at ? at : tool_memory_place(AREA_SIZE), AREA_SIZE, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);
}

static struct last_calls_own always = {.owned = 1};
struct last_calls_own *last_calls_own = &always;

/* A page that the kernel empties in a child, however it was made. */
static void own(void)
{
	static struct last_calls_own *page;
	struct last_calls_own *p = page ? page : tool_memory_map(sizeof(*page), 0);

	if (!p || (!page && madvise(p, sizeof(*p), MADV_WIPEONFORK)))
		p = &always;
	else
		page = p;
	last_calls_own_fill(p);
	last_calls_own = p;
}

static struct last_calls_area *area_get(void)
{
	struct last_calls_area *a = atomic_load(&last_calls_area);
	void *p;

	if (a)
		return a;
	p = private_pages(NULL);
	if (p == MAP_FAILED)
		return NULL;
	tool_memory_add(p, AREA_SIZE);
	own();
	atomic_store(&last_calls_area, p);
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
static const char *mapping_fill(int fd, const struct last_calls_area *a)
{
	struct write_signals quiet;
	struct stat st;
	bool good;

	if (!keeps_its_blocks(fd))
		return "the file system may take back what it gave";
	if (!write_signals_hold(&quiet))
		return "signals cannot be held back";
	pages_at_hand(a, AREA_SIZE, MADV_POPULATE_READ);
	good = !posix_fallocate(fd, 0, (off_t)AREA_SIZE) && pwrite(fd, a, AREA_SIZE, 0) == (ssize_t)AREA_SIZE;
	write_signals_release(&quiet);
	if (!good || filestat_fd(fd, &st) || (size_t)st.st_blocks * 512 < AREA_SIZE)
		return "no space is left";
	file.dev = st.st_dev;
	file.ino = st.st_ino;
	return NULL;
}

static const char *share(struct last_calls_area *a)
{
	const char *why;
	int fd;

	unlink(file.path); /* of a process that was killed: its report's name is ours now */
	fd = tool_open(
		file.path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY, 0444 & settings_file_mode());
	if (fd < 0)
		return "the file cannot be made";
	why = mapping_fill(fd, a);
	if (!why && mmap(a, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
		why = "the file cannot be mapped";
	close(fd);
	if (why)
		unlink(file.path);
	return why;
}

static bool name_file(char *path, const char *base)
{
	struct text t;

	text_init(&t, path, OUT_PATH_MAX);
	text_fmt(&t, "%s" LASTCALLS_SUFFIX, base);
	return !t.cut;
}

static const char *share_at(struct last_calls_area *a, const char *base)
{
	const char *why = name_file(file.path, base) ? share(a) : "the path is too long";

	if (why)
		file.path[0] = '\0';
	return why;
}

/* For aclcheck trace: in its directory is the file itself, or a link to the one beside the report. */
static void show_in(const char *directory, struct last_calls_area *a)
{
	char base[OUT_PATH_MAX];
	struct text t;

	text_init(&t, base, sizeof(base));
	text_fmt(&t, "%s/", directory);
	identity_expand(&t, "%p");
	if (!*file.path)
		(void)share_at(a, base);
	else if (!name_file(link_path, base) || symlink(file.path, link_path))
		link_path[0] = '\0';
}

void last_calls_begin(const char *report, const char **why)
{
	const char *directory = settings_text(SETTING_LAST_CALLS);
	struct last_calls_area *a = report || *directory ? area_get() : NULL;
	int saved = errno;

	*why = "there is no memory";
	if (!a)
		return;
	a->magic = LASTCALLS_MAGIC;
	a->model = last_calls_model();
	a->pid = (uint32_t)getpid();
	a->rings = LASTCALLS_RINGS;
	a->entries = LASTCALLS_ENTRIES;
	a->words = LASTCALLS_WORDS;
	if (report)
		*why = share_at(a, report);
	if (*directory)
		show_in(directory, a);
	errno = saved;
}

/* The pages stay: other threads may still be noting. */
void last_calls_end(void)
{
	struct stat st;
	int saved = errno;

	if (*file.path && !filestat_link(file.path, &st) && st.st_dev == file.dev && st.st_ino == file.ino)
		unlink(file.path);
	if (*link_path)
		unlink(link_path);
	file.path[0] = link_path[0] = '\0';
	errno = saved;
}

/* The parent's file is not ours to write to; its calls are not ours to show. */
void last_calls_forked(void)
{
	struct last_calls_area *a = atomic_load(&last_calls_area);

	/* Cannot fail but for want of memory; then the parent's file gets calls of ours. */
	if (a)
		(void)private_pages(a);
	if (a)
		own();
	file.path[0] = link_path[0] = '\0';
}
