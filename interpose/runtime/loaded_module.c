/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules of the process.  A snapshot, sorted by address, is immutable once
 * published, so that looking up takes no lock; records are never freed.
 */
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "checks/engine/lock.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/runtime/module_walk.h"

#include "interpose/common/site_conditions.h"
#include "interpose/common/tool_arena.h"
#include "interpose/common/compiler.h"

#define MODULES_MAX 4096 /* ever seen */

struct snapshot {
	const struct link_map *tail; /* the loader's list ended there; NULL: it was not walked to its end */
	unsigned n;
	const struct acl_module *by_address[];
};

static _Atomic(struct snapshot *) present;
static _Atomic(const struct acl_module *) by_id[MODULES_MAX];
static uint32_t last_id; /* under refreshing */
uint32_t module_closings;
static _Atomic bool stale; /* a library was closed since */
static struct acl_lock refreshing;

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
		if (ph->p_type == PT_GNU_EH_FRAME)
			m->unwind_table = start;
	}
	for (int i = 0; i < info->dlpi_phnum && m->start < m->end; i++) {
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !m->build_id_len)
			read_note(info, &info->dlpi_phdr[i], m);
	}
	m->path = info->dlpi_name ? info->dlpi_name : "";
	return m->start < m->end;
}

/* Where no /proc is: as the program was started. A relative name would mean something else to those who read
 * it later. */
static const char *own_path(void)
{
	static char path[4096];
	const char *started;
	ssize_t n;

	if (!path[0]) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = 0;
		started = n > 0 ? NULL : (const char *)getauxval(AT_EXECFN);
		if (started && *started == '/' && strlen(started) < sizeof(path))
			strcpy(path, started);
	}
	return path;
}

static bool same_module(const struct acl_module *a, const struct acl_module *b)
{
	return a->start == b->start && a->end == b->end && a->build_id_len == b->build_id_len &&
	       !memcmp(a->build_id, b->build_id, a->build_id_len) && !strcmp(a->path, b->path);
}

static const struct acl_module *known(const struct snapshot *s, const struct acl_module *m)
{
	for (unsigned i = 0; s && i < s->n; i++) {
		const struct acl_module *k = s->by_address[i];

		if (same_module(k, m))
			return k;
	}
	return NULL;
}

/* The same library at the same place again is on the layer that it was on. */
static uint16_t layer_of(const struct acl_module *m)
{
	const struct acl_module *k;
	uint16_t layer = 0;

	for (uint32_t id = 1; (k = module_by_id(id)); id++) {
		if (same_module(k, m))
			return k->layer;
		if (k->start < m->end && m->start < k->end && k->layer >= layer)
			layer = (uint16_t)(k->layer + 1);
	}
	return layer;
}

static const struct acl_module *module_keep(const struct snapshot *old, struct acl_module *m)
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
	copy->layer = layer_of(copy);
	copy->id = ++last_id;
	atomic_store(&by_id[copy->id], copy);
	site_condition_set(SITE_OF_PYTHON);
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
	if (!describe(info, &now))
		return 0;
	if (g->fresh->n == g->cap)
		return 1; /* not to its end: the next look gathers anew */
	/* The program itself has no name here. */
	if (g->first++ == 0 && !now.path[0])
		now.path = own_path();
	m = module_keep(g->old, &now);
	if (m)
		g->fresh->by_address[g->fresh->n++] = m;
	return 0;
}

/* The loader was in the middle of something: what was known before, where nothing else is now. */
static void add_known(struct gathering *g)
{
	unsigned n = g->fresh->n;

	for (unsigned i = 0; g->old && i < g->old->n; i++) {
		const struct acl_module *m = g->old->by_address[i];
		bool there = false;

		for (unsigned k = 0; k < n && !there; k++)
			there = m->start < g->fresh->by_address[k]->end &&
				g->fresh->by_address[k]->start < m->end;
		if (!there && g->fresh->n < g->cap)
			g->fresh->by_address[g->fresh->n++] = m;
	}
}

static int count(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)info;
	(void)size;
	++*(unsigned *)data;
	return 0;
}

/* Not by qsort: it uses the program's malloc. */
static void sort(struct snapshot *s)
{
	for (unsigned i = 1; i < s->n; i++) {
		const struct acl_module *m = s->by_address[i];
		unsigned at = i;

		for (; at && s->by_address[at - 1]->start > m->start; at--)
			s->by_address[at] = s->by_address[at - 1];
		s->by_address[at] = m;
	}
}

/* Old snapshots stay: a reader may still look at one; they are as few as the program's dlopens. */
static void refresh(void)
{
	struct gathering g = {0};

	lock(&refreshing);
	g.old = atomic_load_explicit(&present, memory_order_acquire);
	if (g.old && !atomic_exchange(&stale, false) && !module_walk_grown(g.old->tail))
		goto end;
	module_walk(count, &g.cap);
	g.cap += 8 + (g.old ? g.old->n : 0); /* another thread may load meanwhile */
	g.fresh = arena_alloc(sizeof(*g.fresh) + g.cap * sizeof(g.fresh->by_address[0]));
	if (!g.fresh)
		goto end;
	g.fresh->tail = NULL;
	if (module_walk_noting(gather, &g, &g.fresh->tail) == MODULE_WALK_CUT)
		add_known(&g);
	sort(g.fresh);
	atomic_store_explicit(&present, g.fresh, memory_order_release);
end:
	unlock(&refreshing);
}

static const struct acl_module *module_look(uint64_t address)
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
	const struct acl_module *m = module_look(address);

	if (likely(m) && likely(!atomic_load_explicit(&stale, memory_order_relaxed)))
		return m;
	refresh();
	return module_look(address);
}

void module_closed(void)
{
	atomic_store(&stale, true);
	__atomic_add_fetch(&module_closings, 1, __ATOMIC_RELAXED);
	site_condition_set(SITE_OF_LAYER);
}

uint64_t module_mark(uint64_t address)
{
	const struct acl_module *m = address >> MODULE_LAYER_SHIFT ? NULL : module_of(address - 1);

	return m ? address | (uint64_t)m->layer << MODULE_LAYER_SHIFT : address;
}

const struct acl_module *module_of_marked(uint64_t marked)
{
	uint64_t layer = marked >> MODULE_LAYER_SHIFT, address = module_address(marked);
	const struct acl_module *m = module_of(address), *last = NULL;

	if (m && m->layer == layer)
		return m;
	for (uint32_t id = 1; (m = module_by_id(id)); id++)
		if (address >= m->start && address < m->end && m->layer == layer)
			last = m;
	return last;
}

const struct acl_module *module_by_id(uint32_t id)
{
	return id && id < MODULES_MAX ? atomic_load_explicit(&by_id[id], memory_order_acquire) : NULL;
}

void module_forked(void)
{
	module_walk_forked();
}
