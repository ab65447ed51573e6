/* SPDX-License-Identifier: Apache-2.0 */
/* The handle table. */
#include "tools/softnpu/core/object.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tools/softnpu/core/npu.h"

#define HANDLE_STRIDE 64u /* handles look like aligned addresses */
#define MAX_SLOTS (1u << 24)
#define NO_SLOT UINT32_MAX

struct slot {
	struct object *obj;
	uint32_t next_free;
};

static struct {
	char *base; /* reserved addresses, never accessible */
	struct slot *slots;
	uint32_t used, capacity;
	uint32_t free[OBJ_KINDS]; /* a destroyed handle serves the next object of its kind */
	bool ready;
} table;

static uint64_t next_generation;

static bool table_open(void)
{
	void *p;

	if (table.ready)
		return true;
	p = mmap(NULL, ((size_t)MAX_SLOTS + 1) * HANDLE_STRIDE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return false;
	table.base = p;
	for (unsigned i = 0; i < OBJ_KINDS; i++)
		table.free[i] = NO_SLOT;
	table.ready = true;
	return true;
}

static uint32_t slot_new(enum obj_kind kind)
{
	uint32_t s;

	if (!table_open())
		return NO_SLOT;
	s = table.free[kind];
	if (s != NO_SLOT) {
		table.free[kind] = table.slots[s].next_free;
		return s;
	}
	if (table.used == table.capacity) {
		uint32_t capacity = table.capacity ? table.capacity * 2 : 256;
		struct slot *slots;

		if (capacity > MAX_SLOTS || !(slots = realloc(table.slots, capacity * sizeof(*slots))))
			return NO_SLOT;
		table.slots = slots;
		table.capacity = capacity;
	}
	return table.used++;
}

bool object_init(struct object *o, enum obj_kind kind, void (*release)(struct object *))
{
	uint32_t s = slot_new(kind);

	if (s == NO_SLOT)
		return false;
	o->kind = kind;
	o->refs = 1;
	o->slot = s;
	o->generation = ++next_generation;
	o->alive = true;
	o->release = release;
	table.slots[s].obj = o;
	return true;
}

void *object_handle(const struct object *o)
{
	return table.base + (size_t)(o->slot + 1) * HANDLE_STRIDE;
}

struct object *object_find(const void *handle, enum obj_kind kind)
{
	uintptr_t offset = (uintptr_t)handle - (uintptr_t)table.base;
	struct object *o;

	if (!table.ready || offset % HANDLE_STRIDE || offset / HANDLE_STRIDE - 1 >= table.used)
		return NULL;
	o = table.slots[offset / HANDLE_STRIDE - 1].obj;
	return o && o->kind == kind ? o : NULL;
}

int object_named(
	const void *handle, enum obj_kind kind, int if_null, const char *what, struct object **object)
{
	*object = object_find(handle, kind);
	if (*object)
		return ACL_SUCCESS;
	return handle ? npu_err(ACL_ERROR_RT_INVALID_HANDLE, "%p is no %s", handle, what)
		      : npu_err(if_null, "the %s is NULL", what);
}

void object_kill(struct object *o)
{
	struct slot *s = &table.slots[o->slot];

	if (!o->alive)
		return;
	o->alive = false;
	s->obj = NULL;
	if (CFG(handle_reuse)) {
		s->next_free = table.free[o->kind];
		table.free[o->kind] = o->slot;
	}
	object_put(o);
}

void object_get(struct object *o)
{
	o->refs++;
}

void object_put(struct object *o)
{
	if (--o->refs == 0)
		o->release(o);
}

void objects_each(enum obj_kind kind, void (*fn)(struct object *, void *), void *arg)
{
	for (uint32_t i = 0; i < table.used; i++) {
		struct object *o = table.slots[i].obj;

		if (o && o->kind == kind)
			fn(o, arg);
	}
}

void objects_forget(void)
{
	npu_keep(table.slots);
	memset(&table, 0, sizeof(table));
}
