/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules of the process.  A snapshot, sorted by address, is immutable once
 * published, so that looking up takes no lock; records are never freed.
 */
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/core.h"
#include "interpose/module.h"

#define MODULES_MAX 4096 /* ever seen */

struct snapshot {
	unsigned n;
	unsigned long long adds, subs; /* the loader's counts when it was taken */
	const struct acl_module *by_address[];
};

static _Atomic(struct snapshot *) present;
static _Atomic(const struct acl_module *) by_id[MODULES_MAX];
static uint32_t last_id; /* under refreshing */
static pthread_mutex_t refreshing = PTHREAD_MUTEX_INITIALIZER;

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

bool module_is_self(uint64_t address)
{
	return address >= (uintptr_t)__ehdr_start && address < (uintptr_t)_end;
}

static void read_note(const struct dl_phdr_info *info, const ElfW(Phdr) * ph, struct acl_module *m)
{
	const char *p = (const char *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;

	while (p + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *note = (const void *)p;
		const char *name = p + sizeof(*note), *desc = name + ((note->n_namesz + 3u) & ~3u);

		if (desc > end || note->n_descsz > (size_t)(end - desc))
			return;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
			note->n_descsz <= sizeof(m->build_id)) {
			memcpy(m->build_id, desc, note->n_descsz);
			m->build_id_len = note->n_descsz;
			return;
		}
		p = desc + ((note->n_descsz + 3u) & ~3u);
	}
}

/* What the loader says of one object; path is borrowed. */
static bool describe(const struct dl_phdr_info *info, struct acl_module *m)
{
	*m = (struct acl_module){.start = UINT64_MAX, .base = info->dlpi_addr};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		uint64_t start = info->dlpi_addr + ph->p_vaddr, end = start + ph->p_memsz;

		if (ph->p_type == PT_LOAD) {
			m->start = start < m->start ? start : m->start;
			m->end = end > m->end ? end : m->end;
		}
	}
	for (int i = 0; i < info->dlpi_phnum && m->start < m->end; i++) {
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !m->build_id_len)
			read_note(info, &info->dlpi_phdr[i], m);
	}
	m->path = info->dlpi_name ? info->dlpi_name : "";
	return m->start < m->end;
}

static const char *own_path(void)
{
	static char path[4096];
	ssize_t n;

	if (!path[0]) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = 0;
	}
	return path;
}

static const struct acl_module *known(const struct snapshot *s, const struct acl_module *m)
{
	for (unsigned i = 0; s && i < s->n; i++) {
		const struct acl_module *k = s->by_address[i];

		if (k->start == m->start && k->end == m->end && k->build_id_len == m->build_id_len &&
			!memcmp(k->build_id, m->build_id, m->build_id_len) && !strcmp(k->path, m->path))
			return k;
	}
	return NULL;
}

static const struct acl_module *keep(const struct snapshot *old, struct acl_module *m)
{
	const struct acl_module *k;
	struct acl_module *copy;

	k = known(old, m);
	if (k || last_id + 1 >= MODULES_MAX)
		return k;
	copy = arena_alloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *m;
	copy->path = arena_string(m->path);
	if (!copy->path)
		copy->path = "";
	copy->id = ++last_id;
	atomic_store_explicit(&by_id[copy->id], copy, memory_order_release);
	return copy;
}

struct gathering {
	const struct snapshot *old;
	struct snapshot *fresh;
	unsigned cap, first;
};

static int gather(struct dl_phdr_info *info, size_t size, void *data)
{
	struct gathering *g = data;
	const struct acl_module *m;
	struct acl_module now;

	(void)size;
	g->fresh->adds = info->dlpi_adds;
	g->fresh->subs = info->dlpi_subs;
	if (!describe(info, &now) || g->fresh->n == g->cap)
		return 0;
	/* The program itself has no name here. */
	if (g->first++ == 0 && !now.path[0])
		now.path = own_path();
	m = keep(g->old, &now);
	if (m)
		g->fresh->by_address[g->fresh->n++] = m;
	return 0;
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(unsigned *)data;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct acl_module *x = *(const struct acl_module *const *)a,
				*y = *(const struct acl_module *const *)b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int loader_counts(struct dl_phdr_info *info, size_t size, void *data)
{
	struct snapshot *now = data;

	(void)size;
	now->adds = info->dlpi_adds;
	now->subs = info->dlpi_subs;
	return 1;
}

/* Old snapshots stay: a reader may still look at one; they are as few as the program's dlopens. */
static void refresh(void)
{
	struct snapshot *old, now = {0};
	struct gathering g = {0};

	pthread_mutex_lock(&refreshing);
	old = atomic_load_explicit(&present, memory_order_acquire);
	dl_iterate_phdr(loader_counts, &now);
	if (old && old->adds == now.adds && old->subs == now.subs)
		goto end;
	dl_iterate_phdr(count, &g.cap);
	g.cap += 8; /* another thread may load meanwhile */
	g.old = old;
	g.fresh = arena_alloc(sizeof(*g.fresh) + g.cap * sizeof(g.fresh->by_address[0]));
	if (!g.fresh)
		goto end;
	dl_iterate_phdr(gather, &g);
	qsort(g.fresh->by_address, g.fresh->n, sizeof(g.fresh->by_address[0]), compare);
	atomic_store_explicit(&present, g.fresh, memory_order_release);
end:
	pthread_mutex_unlock(&refreshing);
}

static const struct acl_module *look(uint64_t address)
{
	const struct snapshot *s = atomic_load_explicit(&present, memory_order_acquire);
	unsigned low = 0, high = s ? s->n : 0;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (s->by_address[middle]->start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < s->by_address[low - 1]->end ? s->by_address[low - 1] : NULL;
}

const struct acl_module *module_of(uint64_t address)
{
	const struct acl_module *m = look(address);

	if (likely(m))
		return m;
	refresh();
	return look(address);
}

const struct acl_module *module_by_id(uint32_t id)
{
	return id && id < MODULES_MAX ? atomic_load_explicit(&by_id[id], memory_order_acquire) : NULL;
}

void module_forked(void)
{
	pthread_mutex_init(&refreshing, NULL);
}
