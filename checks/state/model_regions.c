/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of addresses in a few sizes, with the models that touch each.  What touches more than a few regions
 * is noted in those of the next size; each size knows, apart from that, who is noted in a smaller one.
 * Regions of one remainder share a word.
 */
#include "checks/state/model_regions.h"
#include "checks/engine/instance.h"

#define TOUCHED 16 /* regions of a size */
static const unsigned region_sizes[] = {12, 21, 30}; /* log2: a page, 2 MiB, 1 GiB */
#define SIZES (sizeof(region_sizes) / sizeof(region_sizes[0]))
#define WORDS_LOG 12

struct model_regions {
	struct acl_lock lock;
	uint32_t models; /* that have accesses */
	_Atomic uint64_t vast; /* models with tasks that touch too many regions of any size */
	struct region_word {
		_Atomic uint64_t own, smaller; /* noted here; noted in smaller regions of this one */
	} word[SIZES][1 << WORDS_LOG];
};

static struct model_regions *regions(struct checks *c)
{
	return module_state(c, model_regions);
}

static inline struct region_word *word_of(struct model_regions *r, unsigned size, uint64_t region)
{
	return &r->word[size][region * UINT64_C(0x9e3779b97f4a7c15) >> (64 - WORDS_LOG)];
}

static inline bool touches_few(unsigned size, uint64_t start, uint64_t end)
{
	return ((end - 1) >> region_sizes[size]) - (start >> region_sizes[size]) < TOUCHED;
}

static void note(_Atomic uint64_t *models, uint64_t bit)
{
	if (!(load_relaxed(models) & bit))
		atomic_fetch_or_explicit(models, bit, memory_order_relaxed);
}

void model_regions_add(struct checks *c, acl_ref model, uint64_t start, uint64_t end)
{
	struct model_regions *r = regions(c);
	bool noted = false;

	for (unsigned size = 0; size < SIZES; size++) {
		if (!touches_few(size, start, end))
			continue;
		for (uint64_t n = start >> region_sizes[size]; n <= (end - 1) >> region_sizes[size]; n++)
			note(noted ? &word_of(r, size, n)->smaller : &word_of(r, size, n)->own,
				model_bit(model));
		noted = true;
	}
	if (!noted)
		note(&r->vast, model_bit(model));
}

uint64_t models_at(struct checks *c, uint64_t start, uint64_t end)
{
	struct model_regions *r = regions(c);
	uint64_t models = load_relaxed(&r->vast);
	bool smallest = true;

	for (unsigned size = 0; size < SIZES; size++) {
		if (!touches_few(size, start, end))
			continue;
		for (uint64_t n = start >> region_sizes[size]; n <= (end - 1) >> region_sizes[size]; n++) {
			struct region_word *w = word_of(r, size, n);

			models |= load_relaxed(&w->own) | (smallest ? load_relaxed(&w->smaller) : 0);
		}
		smallest = false;
	}
	return smallest ? UINT64_MAX : models;
}

static void forget_all(struct model_regions *r)
{
	store_relaxed(&r->vast, 0);
	for (unsigned size = 0; size < SIZES; size++)
		for (unsigned i = 0; i < 1 << WORDS_LOG; i++) {
			struct region_word *w = &r->word[size][i];

			/* Pages never touched are none. */
			if (load_relaxed(&w->own) | load_relaxed(&w->smaller)) {
				store_relaxed(&w->own, 0);
				store_relaxed(&w->smaller, 0);
			}
		}
}

void model_regions_count(struct checks *c, int by)
{
	struct model_regions *r = regions(c);

	lock(&r->lock);
	r->models += (uint32_t)by;
	if (!r->models)
		forget_all(r);
	unlock(&r->lock);
}

const struct check_module module_model_regions = {
	.order = 41, /* it has no hooks */
	.state_size = sizeof(struct model_regions),
};
