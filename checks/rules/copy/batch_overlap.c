/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the copies of a batch depend on each other. */
#include "checks/rules/copy/batch_overlap.h"

#define PAIRS 64 /* copies that are compared each with each; of more, the addresses are sorted */

static uint64_t batch_range_end(const struct op_access *a)
{
	uint64_t start = (uintptr_t)a->address;

	return start + a->span < start ? UINT64_MAX : start + a->span;
}

/* What has no bytes lies inside of nothing. */
static bool overlap(const struct op_access *a, const struct op_access *b)
{
	return a->span && b->span && (uintptr_t)a->address < batch_range_end(b) &&
	       (uintptr_t)b->address < batch_range_end(a);
}

/* What is written goes up without an overlap, and what is read lies elsewhere: nearly every batch. */
static bool plainly_apart(const struct operation *op)
{
	uint64_t low = UINT64_MAX, high = 0, end = 0;

	for (uint64_t i = 0; i < op->n_entries; i++) {
		struct op_entry e = operation_entry(op, i);
		uint64_t from = (uintptr_t)e.src->address, to = (uintptr_t)e.dst->address;

		if (to < end || to + e.dst->span < to || from + e.src->span < from)
			return false;
		end = to + e.dst->span;
		low = from < low ? from : low;
		high = from + e.src->span > high ? from + e.src->span : high;
	}
	return high <= (uintptr_t)operation_entry(op, 0).dst->address || low >= end;
}

static uint64_t overlap_of_few(const struct operation *op)
{
	for (uint64_t i = 0; i < op->n_entries; i++)
		for (uint64_t k = i + 1; k < op->n_entries; k++) {
			struct op_entry a = operation_entry(op, i), b = operation_entry(op, k);

			if (overlap(a.dst, b.dst) || overlap(a.dst, b.src) || overlap(a.src, b.dst))
				return k;
		}
	return BATCH_APART;
}

/* --- many copies: numbers of accesses, those that write are odd ------------------------------------ */

static bool starts_before(const struct operation *op, uint32_t a, uint32_t b)
{
	return (uintptr_t)op->access[a].address < (uintptr_t)op->access[b].address;
}

static void sift_down(const struct operation *op, uint32_t *heap, uint64_t at, uint64_t n)
{
	uint32_t moved = heap[at];

	for (uint64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
		if (child + 1 < n && starts_before(op, heap[child], heap[child + 1]))
			child++;
		if (!starts_before(op, moved, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = moved;
}

/* By the addresses. The C library's sort may allocate. */
static void sort_by_start(const struct operation *op, uint32_t *number, uint64_t n)
{
	for (uint64_t i = n / 2; i-- > 0;)
		sift_down(op, number, i, n);
	for (uint64_t i = n; i-- > 1;) {
		uint32_t last = number[0];

		number[0] = number[i];
		number[i] = last;
		sift_down(op, number, 0, i);
	}
}

/* The access that reaches furthest of those that began before. */
struct furthest {
	uint64_t end, entry;
};

static void reach(struct furthest *f, const struct op_access *a, uint64_t entry)
{
	uint64_t end = batch_range_end(a);

	if (end > f->end)
		*f = (struct furthest){end, entry};
}

static uint64_t later(const struct furthest *f, uint64_t entry)
{
	return f->entry > entry ? f->entry : entry;
}

static uint64_t overlap_in_order(const struct operation *op, const uint32_t *number, uint64_t n)
{
	struct furthest read = {0}, written = {0};

	for (uint64_t i = 0; i < n; i++) {
		const struct op_access *a = &op->access[number[i]];
		uint64_t start = (uintptr_t)a->address, entry = number[i] / 2;
		bool writes = number[i] & 1;

		if (!a->span)
			continue;
		if (start < written.end && written.entry != entry)
			return later(&written, entry);
		if (writes && start < read.end && read.entry != entry)
			return later(&read, entry);
		reach(writes ? &written : &read, a, entry);
	}
	return BATCH_APART;
}

static uint64_t overlap_of_many(struct checks *c, const struct operation *op)
{
	uint64_t n = 2 * op->n_entries, found;
	uint32_t *number = checks_alloc(c, n * sizeof(*number));

	if (!number)
		return BATCH_APART;
	for (uint64_t i = 0; i < n; i++)
		number[i] = (uint32_t)i;
	sort_by_start(op, number, n);
	found = overlap_in_order(op, number, n);
	checks_forget(c, number, n * sizeof(*number));
	return found;
}

uint64_t batch_overlap(struct checks *c, const struct operation *op)
{
	if (!op->n_entries || plainly_apart(op))
		return BATCH_APART;
	return op->n_entries <= PAIRS ? overlap_of_few(op) : overlap_of_many(c, op);
}
