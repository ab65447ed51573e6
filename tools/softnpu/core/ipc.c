/* SPDX-License-Identifier: Apache-2.0 */
/* Keys, and words shared between processes. */
#include "tools/softnpu/core/ipc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/softnpu/core/memory_file.h"

/* What is mapped; only what is used takes room. */
struct page {
	uint64_t words[SHARED_WORDS];
	uint32_t all, pids;
	int32_t pid[SHARED_PIDS];
};

#define PAGE sizeof(struct page)

static uint32_t file_of(int fd)
{
	struct statx s;

	/* In the C library for longer than fstat(). */
	return statx(fd, "", AT_EMPTY_PATH, STATX_INO, &s) ? 0 : (uint32_t)(s.stx_ino % SHARED_FILES) + 1;
}

void shared_key_print(const struct shared_key *k, char *key, size_t len)
{
	memset(key, 0, len < IPC_KEY_SIZE ? len : IPC_KEY_SIZE);
	snprintf(key, len, "softnpu%c%06x%08x%06x%02x%016llx%016llx", (char)k->kind, (unsigned)k->pid,
		(unsigned)k->fd, k->file, (unsigned)k->device, (unsigned long long)k->offset,
		(unsigned long long)k->size);
}

bool shared_key_parse(const char *key, enum shared_kind kind, struct shared_key *k)
{
	unsigned pid, fd, file, device;
	unsigned long long offset, size;
	char c;

	if (strnlen(key, IPC_KEY_SIZE) >= IPC_KEY_SIZE ||
		sscanf(key, "softnpu%c%6x%8x%6x%2x%16llx%16llx", &c, &pid, &fd, &file, &device, &offset,
			&size) != 7 ||
		c != (char)kind || device >= MAX_DEVICES)
		return false;
	*k = (struct shared_key){kind, (int)pid, (int)fd, (int)device, file, offset, size};
	return true;
}

int shared_key_open(const struct shared_key *k)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", k->pid, k->fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && k->file && file_of(fd) != k->file) {
		close(fd);
		return -1;
	}
	return fd;
}

struct shared {
	struct shared_key key;
	struct page *page;
	int fd;
};

static struct shared *map(const struct shared_key *key, int fd)
{
	struct shared *s = calloc(1, sizeof(*s));

	if (s) {
		s->key = *key;
		s->fd = fd;
		s->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (s->page != MAP_FAILED)
			return s;
		free(s);
	}
	close(fd);
	return NULL;
}

struct shared *shared_word_new(enum shared_kind kind, int device)
{
	int fd = memory_file("softnpu-shared");
	struct shared_key key = {.kind = kind, .pid = getpid(), .fd = fd, .device = device, .size = PAGE};

	if (fd < 0)
		return NULL;
	if (ftruncate(fd, PAGE)) {
		close(fd);
		return NULL;
	}
	key.file = file_of(fd);
	return map(&key, fd);
}

struct shared *shared_open(const struct shared_key *key)
{
	int fd = shared_key_open(key);

	return fd < 0 ? NULL : map(key, fd);
}

struct shared *shared_word_open(enum shared_kind kind, const char *text)
{
	struct shared_key key;

	return shared_key_parse(text, kind, &key) ? shared_open(&key) : NULL;
}

void shared_word_close(struct shared *s)
{
	munmap(s->page, PAGE);
	close(s->fd);
	free(s);
}

uint64_t *shared_word(struct shared *s)
{
	return s->page->words;
}

void shared_word_key(const struct shared *s, char *key, size_t len)
{
	shared_key_print(&s->key, key, len);
}

struct shared_key shared_key_of(const struct shared *s)
{
	return s->key;
}

int shared_device(const struct shared *s)
{
	return s->key.device;
}

int shared_pid(const struct shared *s)
{
	return s->key.pid;
}

/* Once each, so that setting them again and again does not fill the list. */
void shared_let(struct shared *s, int pid)
{
	struct page *p = s->page;

	if (shared_lets(s, pid) || p->pids >= SHARED_PIDS)
		return;
	p->pid[p->pids] = pid;
	__atomic_store_n(&p->pids, p->pids + 1, __ATOMIC_RELEASE);
}

void shared_let_all(struct shared *s)
{
	s->page->all = 1;
}

bool shared_lets_all(const struct shared *s)
{
	return s->page->all;
}

bool shared_lets(const struct shared *s, int pid)
{
	uint32_t n = __atomic_load_n(&s->page->pids, __ATOMIC_ACQUIRE);

	if (s->page->all)
		return true;
	for (uint32_t i = 0; i < n && i < SHARED_PIDS; i++)
		if (s->page->pid[i] == pid)
			return true;
	return false;
}
