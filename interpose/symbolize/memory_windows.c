/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/symbolize/memory_windows.h"

#include <string.h>

void windows_clear(struct memory_windows *w)
{
	w->n = 0;
	w->used = 0;
	memset(w->slot, 0, sizeof(w->slot));
}

/* The slot of a page, or the free one where it goes: there are more slots than windows. */
static unsigned window_slot(const struct memory_windows *w, uint64_t page)
{
	unsigned i = (unsigned)(page * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	while (w->slot[i % WINDOW_SLOTS] &&
		w->parts[w->slot[i % WINDOW_SLOTS] - 1].from / MEMORY_PAGE != page)
		i++;
	return i % WINDOW_SLOTS;
}

static const struct kernel_copy_part *part_with(const struct memory_windows *w, uint64_t from, size_t size)
{
	unsigned part = w->slot[window_slot(w, from / MEMORY_PAGE)];
	const struct kernel_copy_part *p = part ? &w->parts[part - 1] : NULL;

	return p && from >= p->from && from + size <= p->from + p->size ? p : NULL;
}

static void widen(struct memory_windows *w, struct kernel_copy_part *p, uint64_t from, uint64_t end)
{
	uint64_t old_end = p->from + p->size;

	w->used -= p->size;
	if (from < p->from)
		p->from = from;
	p->size = (size_t)((end > old_end ? end : old_end) - p->from);
	w->used += p->size;
}

bool windows_want(struct memory_windows *w, uint64_t from, size_t size)
{
	unsigned slot = window_slot(w, from / MEMORY_PAGE);

	if (from + size < from || w->used + size + MEMORY_PAGE > w->room)
		return false;
	if (w->slot[slot]) {
		widen(w, &w->parts[w->slot[slot] - 1], from, from + size);
		return true;
	}
	if (w->n == WINDOWS_MAX)
		return false;
	w->parts[w->n++] = (struct kernel_copy_part){.from = from, .size = size};
	w->slot[slot] = (uint16_t)w->n;
	w->used += size;
	return true;
}

bool windows_have(const struct memory_windows *w, uint64_t from, size_t size)
{
	return part_with(w, from, size) != NULL;
}

void windows_read(struct memory_windows *w)
{
	uint8_t *to = w->bytes;

	for (unsigned i = 0; i < w->n; i++) {
		w->parts[i].to = to;
		to += w->parts[i].size;
	}
	kernel_copy_parts(w->parts, w->n);
}

const uint8_t *windows_find(const struct memory_windows *w, uint64_t from, size_t size)
{
	const struct kernel_copy_part *p = part_with(w, from, size);

	return p && p->good ? (const uint8_t *)p->to + (from - p->from) : NULL;
}
