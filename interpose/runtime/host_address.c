/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a host address lies that no table knows: only what is proven is said.
 * Anonymous memory may be the runtime's own pinned pool, so it counts as heap
 * only when malloc's own marks are found there.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "interpose/runtime/host_address.h"
#include "interpose/common/kernel_copy.h"
#include "interpose/common/tool_open.h"
#include "interpose/common/tool_arena.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/stack/stack_memory.h"
#include "interpose/common/thread_state.h"

#define PAGE UINT64_C(4096)
#define MALLOC_HEAP (UINT64_C(64) << 20) /* size and alignment of glibc's further heaps */
#define MAPPED_CHUNK 2u /* mark of a malloc block that has a mapping of its own */
#define CHUNKS_MAX 64 /* blocks passed on the way to one */
#define RANGES_MAX 8192
#define LINES 8192 /* bytes that are read at once */
#define NS_PER_MS UINT64_C(1000000)
#define MISS_NS (20 * NS_PER_MS)
#define OLD_NS (100 * NS_PER_MS)
#define AT_ONCE_NS (20 * NS_PER_MS) /* of processor time for readings, however close to each other */
#define PAUSE 50 /* times what a reading took pass before the next one */

struct range {
	uint64_t start, end;
	uint64_t mapping; /* of a shared file, by its place there; 0: of none, or of one that the program maps
			   */
	uint8_t class; /* enum acl_host_class; UNASKED = anonymous, readable and writable */
};

/* The map of the process as of its last reading. */
static struct range *ranges;
static unsigned n_ranges;
static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;

/* Bounds of the stacks of threads that asked; good for as long as the thread lives. */
#define STACKS_MAX 1024
static struct {
	_Atomic uint64_t low, high;
	_Atomic uint32_t tid;
} stacks[STACKS_MAX];
static _Atomic uint32_t n_stacks;

static void list_stack(struct acl_thread *t, uint64_t low, uint64_t high)
{
	uint32_t at;

	if (t->stack_low == low && t->stack_high == high)
		return;
	if (!t->stack_listed)
		t->stack_listed = atomic_fetch_add(&n_stacks, 1) % STACKS_MAX + 1;
	at = t->stack_listed - 1;
	t->stack_low = low;
	t->stack_high = high;
	atomic_store(&stacks[at].tid, 0);
	atomic_store(&stacks[at].low, low);
	atomic_store(&stacks[at].high, high);
	atomic_store(&stacks[at].tid, thread_tid(t));
}

/* From the frame that is in use up. pthread_getattr_np would know all of it, but allocates. */
static bool on_own_stack(uint64_t a)
{
	struct acl_thread *t = thread_self();
	uint64_t low = t->own_stack_low, high = t->own_stack_high;

	if (!t->tool_stack)
		stack_memory_learn((uintptr_t)__builtin_frame_address(0) & ~UINT64_C(7), &low, &high);
	if (!high)
		return false;
	list_stack(t, low, high);
	return a >= low && a < high;
}

/* Another thread's stack: only while that thread lives is the memory surely still its own. */
static bool on_living_stack(uint64_t a)
{
	uint32_t n = atomic_load(&n_stacks);

	for (uint32_t i = 0; i < n && i < STACKS_MAX; i++) {
		uint32_t tid = atomic_load(&stacks[i].tid);

		if (tid && a >= atomic_load(&stacks[i].low) && a < atomic_load(&stacks[i].high))
			return !syscall(SYS_tgkill, getpid(), tid, 0);
	}
	return false;
}

static uint64_t parse_hex(const char **at)
{
	const char *p = *at;
	uint64_t v = 0;

	for (;; p++) {
		unsigned digit = (unsigned char)*p - (unsigned)'0';

		if (digit > 9) {
			digit = (unsigned char)*p - (unsigned)'a';
			if (digit > 5)
				break;
			digit += 10;
		}
		v = v << 4 | digit;
	}
	*at = p;
	return v;
}

/* One character distinguishes them from most others. */
static bool is_of_devices(const char *path)
{
	switch (path[1]) {
	case 'd':
		return !strncmp(path, "/dev/", 5);
	case 'm':
		return !strncmp(path, "/memfd:", 7);
	case 'S':
		return !strncmp(path, "/SYSV", 5);
	}
	return false;
}

static enum acl_host_class class_of_path(const char *path, const char *perms)
{
	switch (path[0]) {
	case '/':
		/* May be the driver's or the runtime's own. */
		return is_of_devices(path) ? ACL_HOST_UNKNOWN : ACL_HOST_FILE;
	case '[':
		return !strncmp(path, "[heap]", 6)   ? ACL_HOST_HEAP
		       : !strncmp(path, "[stack", 6) ? ACL_HOST_STACK
						     : ACL_HOST_UNKNOWN;
	case 0:
		return !strncmp(perms, "rw-p", 4) ? ACL_HOST_UNASKED : ACL_HOST_UNKNOWN;
	}
	return ACL_HOST_UNKNOWN;
}

/* Bytes of a word; behind the last line there is as much room. */
#define SPACES UINT64_C(0x2020202020202020)

/* Paths stand in a column far behind the field before. */
static const char *skip_spaces(const char *p)
{
	uint64_t word;

	for (; memcpy(&word, p, sizeof(word)), word == SPACES; p += sizeof(word))
		;
	while (*p == ' ')
		p++;
	return p;
}

static const char *next_field(const char *p)
{
	while (*p && *p != ' ')
		p++;
	return skip_spaces(p);
}

/* perms, and offset device inode: the same for an address as long as the same of the file is mapped there. */
static uint64_t mapping_of_line(const char *perms, uint64_t start)
{
	const char *p = next_field(perms), *end = p;
	uint64_t key = UINT64_C(0xcbf29ce484222325);
	uint64_t offset = parse_hex(&end);

	if (perms[3] != 's')
		return 0;
	/* Device and inode, as they are written. */
	for (p = next_field(p); *p && *p != '/'; p++)
		key = (key ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
	key ^= (start - offset) * UINT64_C(0x9e3779b97f4a7c15);
	return key ? key : 1;
}

/* start-end perms offset device inode path */
static void parse_line(const char *line)
{
	struct range r;
	const char *p = line, *perms;

	r.start = parse_hex(&p);
	if (*p++ != '-')
		return;
	r.end = parse_hex(&p);
	perms = *p ? ++p : p;
	for (unsigned field = 0; field < 4; field++)
		p = next_field(p);
	r.class = class_of_path(p, perms);
	r.mapping = r.class == ACL_HOST_UNKNOWN && *p == '/' && strlen(perms) > 4
			    ? mapping_of_line(perms, r.start)
			    : 0;
	if (n_ranges < RANGES_MAX)
		ranges[n_ranges++] = r;
}

static void read_maps(void)
{
	static char buffer[LINES + sizeof(SPACES)]; /* under reading; threads may have small stacks */
	size_t have = 0;
	ssize_t got;
	int fd;

	if (!ranges)
		ranges = arena_alloc(RANGES_MAX * sizeof(*ranges));
	n_ranges = 0;
	fd = ranges ? tool_open("/proc/self/maps", O_RDONLY, 0) : -1;
	if (fd < 0)
		return;
	while ((got = read(fd, buffer + have, LINES - 1 - have)) > 0 || (got < 0 && errno == EINTR)) {
		char *line = buffer, *end;

		if (got < 0)
			continue;
		have += (size_t)got;
		buffer[have] = 0;
		while ((end = memchr(line, '\n', have - (size_t)(line - buffer)))) {
			*end = 0;
			parse_line(line);
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		memmove(buffer, line, have);
		if (have == LINES - 1)
			have = 0; /* an overlong path: its range stays unknown */
	}
	close(fd);
}

static const struct range *host_address_look(uint64_t a)
{
	unsigned low = 0, high = n_ranges;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (ranges[middle].start <= a)
			low = middle + 1;
		else
			high = middle;
	}
	return low && a < ranges[low - 1].end ? &ranges[low - 1] : NULL;
}

/* A word of the program's memory, which may have been unmapped by another thread meanwhile. */
static bool peek(uint64_t address, uint64_t *word)
{
	return kernel_copy(word, (const void *)(uintptr_t)address, sizeof(*word));
}

/* A heap of another arena begins with a pointer to its arena, right behind its own head. */
static bool in_malloc_heap(const struct range *r, uint64_t a)
{
	uint64_t base = a & ~(MALLOC_HEAP - 1), arena;

	return base >= r->start && a - base >= 64 && peek(base, &arena) && arena - base >= 32 &&
	       arena - base <= 64;
}

/* Size of the malloc block with a mapping of its own that begins here, 0 if none does. */
static uint64_t mapped_chunk(const struct range *r, uint64_t start)
{
	uint64_t size;

	if (start % PAGE || !peek(start + 8, &size) || (size & 7) != MAPPED_CHUNK)
		return 0;
	size &= ~UINT64_C(7);
	return size >= PAGE && size % PAGE == 0 && size <= r->end - start ? size : 0;
}

/*
 * Neighbouring mappings of this kind are one to the kernel, the latest block
 * first: from the mapping's begin each block leads to the next.
 */
static bool in_mapped_chunks(const struct range *r, uint64_t a)
{
	uint64_t at = r->start, size;

	if (a % PAGE == 16 && a - 16 >= r->start && mapped_chunk(r, a - 16))
		return true;
	for (unsigned i = 0; i < CHUNKS_MAX && at <= a; i++) {
		size = mapped_chunk(r, at);
		if (!size)
			return false;
		if (a < at + size)
			return a >= at + 16;
		at += size;
	}
	return false;
}

static enum acl_host_class class_in(const struct range *r, uint64_t a)
{
	if (r->class != ACL_HOST_UNASKED)
		return r->class;
	return in_malloc_heap(r, a) || in_mapped_chunks(r, a) ? ACL_HOST_HEAP : ACL_HOST_UNKNOWN;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000 * NS_PER_MS + (uint64_t)t.tv_nsec;
}

/* The readings of the map so far. */
static struct {
	uint64_t last; /* when */
	uint64_t took, all; /* processor time of the last one, of all */
} readings;

/*
 * Reading the map takes a millisecond in a large process, and ten where there are tens of thousands of
 * mappings.  A place it does not hold, or has nothing at, is worth a reading at once, as long as that was
 * seldom; any answer is worth one when it is old, since mappings come and go.
 */
static bool worth_reading(bool unsure)
{
	uint64_t passed = ns_of(CLOCK_MONOTONIC_COARSE) - readings.last;

	if (unsure && readings.all < AT_ONCE_NS)
		return true;
	return passed >= (unsure ? MISS_NS : OLD_NS) && passed >= PAUSE * readings.took;
}

static void read_now(void)
{
	uint64_t before = ns_of(CLOCK_THREAD_CPUTIME_ID);

	read_maps();
	readings.took = ns_of(CLOCK_THREAD_CPUTIME_ID) - before;
	readings.all += readings.took;
	readings.last = ns_of(CLOCK_MONOTONIC_COARSE);
}

static bool is_unsure(const struct range *r)
{
	return !r || r->class == ACL_HOST_UNASKED || r->class == ACL_HOST_UNKNOWN;
}

static enum acl_host_class class_by_map(uint64_t a)
{
	enum acl_host_class class = ACL_HOST_UNKNOWN;
	const struct range *r;

	pthread_mutex_lock(&reading);
	r = host_address_look(a);
	if (worth_reading(is_unsure(r))) {
		read_now();
		r = host_address_look(a);
	}
	if (r)
		class = class_in(r, a);
	pthread_mutex_unlock(&reading);
	return class;
}

enum acl_host_class host_class_of(const void *address)
{
	uint64_t a = (uintptr_t)address;
	int saved = errno;
	enum acl_host_class class;

	if (on_own_stack(a) || on_living_stack(a))
		class = ACL_HOST_STACK;
	else if (module_of(a))
		class = ACL_HOST_FILE;
	else
		class = class_by_map(a);
	errno = saved;
	return class;
}

/* What is asked as of now and cannot be read now is not known. */
uint64_t host_mapping_of(const void *address, bool latest)
{
	uint64_t a = (uintptr_t)address, mapping = 0;
	const struct range *r;
	bool known = true;

	pthread_mutex_lock(&reading);
	r = host_address_look(a);
	if (latest || !r) {
		known = worth_reading(true);
		if (known)
			read_now();
		r = host_address_look(a);
	}
	if (r && known)
		mapping = r->mapping;
	pthread_mutex_unlock(&reading);
	return mapping;
}

void host_class_forked(void)
{
	pthread_mutex_init(&reading, NULL);
	n_ranges = 0;
}
