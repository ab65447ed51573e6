/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's own records of the processes below: each fork, each program and each file mapped to be run,
 * for the program and all that descends from it, whatever it does with its environment, session or parents.
 * They are written by the process itself, inside the system call, so a short life does not matter.  This is
 * what "perf record" does; the program and its descriptors are not touched.
 *
 * Each processor has a buffer of its own, so records are put into the order of their time before they are
 * read: those a moment old, as no buffer can still hold older ones then.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <uthash.h>

#include "interpose/common/notify_parent.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/run/run.h"

#define BUFFER_LARGEST (512u << 10) /* of a processor */
#define BUFFER_SMALLEST (32u << 10)
#define BUFFERS_ALL (32u << 20) /* of all processors together, where there are many */
#define SETTLED_NS 50000000u /* so long after it was written a record is surely in its buffer */
#define NAME_SIZE 16 /* as the kernel keeps it */

enum record_kind {
	RECORD_FORK,
	RECORD_PROGRAM,
	RECORD_RUNTIME,
	RECORD_CHECKER,
	RECORD_MAPPED,
	RECORD_ALONE,
	RECORD_EXIT
};

struct record {
	uint64_t time;
	pid_t pid, parent;
	enum record_kind kind;
	char name[NAME_SIZE]; /* of the program, or of the runtime's file */
};

/* A process between two execs. */
struct image {
	pid_t pid, parent;
	bool checker, mapped; /* the checker is mapped; anything at all is */
	bool by_covered; /* what started it had the checker */
	bool alone; /* NOTIFY_NAME; kept by what it becomes and by what it starts */
	bool listed; /* a runtime is mapped, and that is known */
	char name[NAME_SIZE];
	UT_hash_handle hh;
};

struct buffer {
	int fd;
	struct perf_event_mmap_page *head;
	size_t size; /* of the data behind the head's page */
};

struct process_records {
	unsigned processors;
	struct buffer *buffers;
	int poll;
	struct record *pending;
	size_t n_pending, cap_pending;
	struct image *images;
	struct runtime_user *users;
	size_t n_users;
	uint64_t lost;
	struct lost_process *unwatched;
	size_t n_unwatched;
};

static uint64_t records_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct image *image_of(struct process_records *r, pid_t pid)
{
	struct image *i;

	HASH_FIND_INT(r->images, &pid, i);
	if (!i) {
		i = need(calloc(1, sizeof(*i)));
		i->pid = pid;
		HASH_ADD_INT(r->images, pid, i);
	}
	return i;
}

/* --- opening --------------------------------------------------------------------- */

static int open_event(pid_t child, int processor)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.watermark = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.wakeup_watermark = BUFFER_SMALLEST / 4,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, child, processor, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool open_buffer(struct process_records *r, pid_t child, int processor, size_t size)
{
	struct epoll_event wanted = {.events = EPOLLIN | EPOLLET};
	struct buffer *b = &r->buffers[r->processors];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	b->fd = open_event(child, processor);
	if (b->fd < 0)
		return errno == ENODEV || errno == ENXIO; /* the processor is switched off */
	p = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
	if (p == MAP_FAILED || epoll_ctl(r->poll, EPOLL_CTL_ADD, b->fd, &wanted)) {
		if (p != MAP_FAILED)
			munmap(p, page + size);
		close(b->fd);
		return false;
	}
	b->head = p;
	b->size = size;
	r->processors++;
	return true;
}

static void close_buffers(struct process_records *r)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < r->processors; i++) {
		munmap(r->buffers[i].head, page + r->buffers[i].size);
		close(r->buffers[i].fd);
	}
	r->processors = 0;
}

static bool open_all(struct process_records *r, pid_t child, long processors, size_t size)
{
	for (int i = 0; i < processors; i++)
		if (!open_buffer(r, child, i, size)) {
			close_buffers(r);
			return false;
		}
	return r->processors > 0;
}

struct process_records *process_records_open(pid_t child)
{
	long processors = sysconf(_SC_NPROCESSORS_CONF);
	struct process_records *r = need(calloc(1, sizeof(*r)));
	size_t size = BUFFER_LARGEST;

	r->buffers = need(calloc((size_t)processors, sizeof(*r->buffers)));
	r->poll = epoll_create1(EPOLL_CLOEXEC);
	while (size > BUFFER_SMALLEST && size * (size_t)processors > BUFFERS_ALL)
		size /= 2;
	/* How much may be locked is limited by user, and others of the user may run as well. */
	while (size >= BUFFER_SMALLEST && r->poll >= 0 && !r->processors &&
		!open_all(r, child, processors, size))
		size /= 2;
	if (r->processors) {
		/* As good as: its program gets the checker from us. */
		image_of(r, child)->checker = image_of(r, child)->mapped = true;
		return r;
	}
	process_records_close(r);
	return NULL;
}

void process_records_close(struct process_records *r)
{
	struct image *i, *next;

	close_buffers(r);
	if (r->poll >= 0)
		close(r->poll);
	HASH_ITER(hh, r->images, i, next)
	{
		HASH_DEL(r->images, i);
		free(i);
	}
	free(r->buffers);
	free(r->pending);
	free(r->users);
	free(r->unwatched);
	free(r);
}

int process_records_fd(const struct process_records *r)
{
	return r->poll;
}

/* --- reading --------------------------------------------------------------------- */

/* The layouts of linux/perf_event.h that follow struct perf_event_header; a record ends with its time. */
struct mapping {
	uint32_t pid, tid;
	uint64_t address, length, offset, file[3];
	uint32_t protection, flags;
	char path[];
};

struct program_name {
	uint32_t pid, tid;
	char name[];
};

struct task {
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

struct loss {
	uint64_t id, lost;
};

static void record_keep(struct process_records *r, uint64_t time, pid_t pid, pid_t parent,
	enum record_kind kind, const char *name)
{
	struct record *at;

	if (r->n_pending == r->cap_pending) {
		r->cap_pending = r->cap_pending ? 2 * r->cap_pending : 1024;
		r->pending = need(realloc(r->pending, r->cap_pending * sizeof(*r->pending)));
	}
	at = &r->pending[r->n_pending++];
	*at = (struct record){time, pid, parent, kind, ""};
	snprintf(at->name, sizeof(at->name), "%s", name);
}

static void keep_mapping(struct process_records *r, const struct mapping *m, uint64_t time)
{
	const char *base = strrchr(m->path, '/');

	base = base ? base + 1 : m->path;
	record_keep(r, time, (pid_t)m->pid, 0,
		is_runtime(m->path)                        ? RECORD_RUNTIME
		: !strncmp(base, CHECKER, strlen(CHECKER)) ? RECORD_CHECKER
							   : RECORD_MAPPED,
		base);
}

static void take_record(struct process_records *r, const struct perf_event_header *header)
{
	const void *body = header + 1;
	const struct program_name *program_name = body;
	const struct task *task = body;
	uint64_t time;

	memcpy(&time, (const char *)header + header->size - sizeof(time), sizeof(time));
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		keep_mapping(r, body, time);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			record_keep(r, time, (pid_t)program_name->pid, 0, RECORD_PROGRAM, program_name->name);
		else if (!strcmp(program_name->name, NOTIFY_NAME))
			record_keep(r, time, (pid_t)program_name->pid, 0, RECORD_ALONE, "");
		break;
	case PERF_RECORD_FORK:
		if (task->pid != task->parent)
			record_keep(r, time, (pid_t)task->pid, (pid_t)task->parent, RECORD_FORK, "");
		break;
	case PERF_RECORD_EXIT:
		if (task->pid == task->tid)
			record_keep(r, time, (pid_t)task->pid, 0, RECORD_EXIT, "");
		break;
	case PERF_RECORD_LOST:
		r->lost += ((const struct loss *)body)->lost;
		break;
	default:
		break;
	}
}

/* Copied out first: a record may begin at the buffer's end and go on at its front. */
static void read_buffer(struct process_records *r, struct buffer *b)
{
	const char *data = (const char *)b->head + b->head->data_offset;
	uint64_t head = __atomic_load_n(&b->head->data_head, __ATOMIC_ACQUIRE), tail = b->head->data_tail;
	_Alignas(8) char record[65536];

	while (tail < head) {
		struct perf_event_header header;

		for (size_t i = 0; i < sizeof(header); i++)
			((char *)&header)[i] = data[(tail + i) % b->size];
		if (header.size < sizeof(header) + sizeof(uint64_t) || header.size > head - tail)
			break;
		for (size_t i = 0; i < header.size; i++)
			record[i] = data[(tail + i) % b->size];
		take_record(r, (const struct perf_event_header *)record);
		tail += header.size;
	}
	__atomic_store_n(&b->head->data_tail, head, __ATOMIC_RELEASE);
}

/* --- what they say ----------------------------------------------------------------- */

/* What a process has mapped its child has as well. */
static void forked(struct process_records *r, const struct record *record)
{
	const struct image *parent = image_of(r, record->parent);
	struct image *child = image_of(r, record->pid);
	struct UT_hash_handle hh = child->hh;

	*child = *parent;
	child->hh = hh;
	child->pid = record->pid;
	child->parent = record->parent;
}

static void program(struct image *i, const struct record *record)
{
	i->by_covered = i->checker;
	i->checker = i->mapped = i->listed = false;
	memcpy(i->name, record->name, sizeof(i->name));
}

/* Room for one more in an array that is doubled when it is full. */
static void *one_more(void *array, size_t n, size_t size)
{
	return n & (n - 1) ? array : need(realloc(array, (n ? 2 * n : 1) * size));
}

static void runtime_mapped(struct process_records *r, struct image *i, const struct record *record)
{
	struct runtime_user *u;

	if (i->listed)
		return;
	i->listed = true;
	r->users = one_more(r->users, r->n_users, sizeof(*u));
	u = &r->users[r->n_users++];
	*u = (struct runtime_user){.pid = i->pid,
		.parent = i->parent,
		.checker = i->checker,
		.by_covered = i->by_covered,
		.alone = i->alone};
	memcpy(u->name, i->name, sizeof(u->name));
	memcpy(u->library, record->name, sizeof(u->library));
}

/* It may have mapped the runtime before. */
static void is_alone(struct process_records *r, struct image *i)
{
	i->alone = true;
	for (size_t u = r->n_users; i->listed && u-- > 0;)
		if (r->users[u].pid == i->pid) {
			r->users[u].alone = true;
			return;
		}
}

/* A program that is given rights by its file is no longer shown: it seems to end before it has mapped itself.
 */
static void ended(struct process_records *r, const struct image *i)
{
	struct lost_process *p;

	if (i->mapped)
		return;
	r->unwatched = one_more(r->unwatched, r->n_unwatched, sizeof(*p));
	p = &r->unwatched[r->n_unwatched++];
	*p = (struct lost_process){.pid = i->pid, .parent = i->parent};
	memcpy(p->name, i->name, sizeof(p->name));
}

static void follow(struct process_records *r, const struct record *record)
{
	struct image *i = image_of(r, record->pid);

	switch (record->kind) {
	case RECORD_FORK:
		forked(r, record);
		return;
	case RECORD_PROGRAM:
		program(i, record);
		return;
	case RECORD_RUNTIME:
		runtime_mapped(r, i, record);
		break;
	case RECORD_CHECKER:
		i->checker = true;
		break;
	case RECORD_ALONE:
		is_alone(r, i);
		return;
	case RECORD_EXIT:
		ended(r, i);
		return;
	case RECORD_MAPPED:
		break;
	}
	i->mapped = true;
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return x->time < y->time ? -1 : x->time > y->time;
}

static void replay(struct process_records *r, uint64_t until)
{
	size_t done = 0;

	qsort(r->pending, r->n_pending, sizeof(*r->pending), by_time);
	while (done < r->n_pending && r->pending[done].time < until)
		follow(r, &r->pending[done++]);
	memmove(r->pending, r->pending + done, (r->n_pending - done) * sizeof(*r->pending));
	r->n_pending -= done;
}

void process_records_read(struct process_records *r, bool all)
{
	struct epoll_event events[64];
	uint64_t began = records_now();

	while (epoll_wait(r->poll, events, 64, 0) == 64)
		;
	for (unsigned i = 0; i < r->processors; i++)
		read_buffer(r, &r->buffers[i]);
	replay(r, all ? UINT64_MAX : began - SETTLED_NS);
}

const struct runtime_user *process_records_users(const struct process_records *r, size_t *n)
{
	*n = r->n_users;
	return r->users;
}

pid_t process_records_parent(const struct process_records *r, pid_t pid)
{
	const struct image *i;

	HASH_FIND_INT(r->images, &pid, i);
	return i ? i->parent : 0;
}

uint64_t process_records_lost(const struct process_records *r)
{
	return r->lost;
}

const struct lost_process *process_records_unwatched(const struct process_records *r, size_t *n)
{
	*n = r->n_unwatched;
	return r->unwatched;
}
