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

#define PAGE 4096u

static uint32_t file_of(int fd)
{
	struct statx s;

	/* In the C library for longer than fstat(). */
	return statx(fd, "", AT_EMPTY_PATH, STATX_INO, &s) ? 0 : (uint32_t)s.stx_ino;
}

void shared_key_print(const struct shared_key *k, char *key, size_t len)
{
	memset(key, 0, len < IPC_KEY_SIZE ? len : IPC_KEY_SIZE);
	snprintf(key, len, "softnpu%c%08x%04x%08x%02x%016llx%016llx", (char)k->kind, (unsigned)k->pid,
		(unsigned)k->fd & 0xffff, file_of(k->fd), (unsigned)k->device, (unsigned long long)k->offset,
		(unsigned long long)k->size);
}

bool shared_key_parse(const char *key, enum shared_kind kind, struct shared_key *k)
{
	unsigned pid, fd, file, device;
	unsigned long long offset, size;
	char c;

	if (strnlen(key, IPC_KEY_SIZE) >= IPC_KEY_SIZE ||
		sscanf(key, "softnpu%c%8x%4x%8x%2x%16llx%16llx", &c, &pid, &fd, &file, &device, &offset,
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
	uint64_t *words;
	int fd;
};

static struct shared *map(const struct shared_key *key, int fd)
{
	struct shared *s = calloc(1, sizeof(*s));

	if (s) {
		s->key = *key;
		s->fd = fd;
		s->words = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (s->words != MAP_FAILED)
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
	return map(&key, fd);
}

struct shared *shared_word_open(enum shared_kind kind, const char *text)
{
	struct shared_key key;
	int fd;

	if (!shared_key_parse(text, kind, &key))
		return NULL;
	fd = shared_key_open(&key);
	return fd < 0 ? NULL : map(&key, fd);
}

void shared_word_close(struct shared *s)
{
	munmap(s->words, PAGE);
	close(s->fd);
	free(s);
}

uint64_t *shared_word(struct shared *s)
{
	return s->words;
}

void shared_word_key(const struct shared *s, char *key, size_t len)
{
	shared_key_print(&s->key, key, len);
}

int shared_device(const struct shared *s)
{
	return s->key.device;
}
