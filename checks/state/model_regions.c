/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of addresses in a few sizes, with the models that touch each.  What touches more than a few regions
 * is noted in those of the next size; each size knows, apart from that, who is noted in a smaller one.
 * Regions of one remainder share a word.
 */
#include "checks/state/model_regions.h"
#include "checks/engine/address_regions.h"
#include "checks/engine/instance.h"

static const unsigned region_sizes[] = {12, 21, 30}; /* log2: a page, 2 MiB, 1 GiB */
#define SIZES (sizeof(region_sizes) / sizeof(region_sizes[0]))
#define WORDS_LOG 12
#define NOTED 512
#define BITS 64

struct region_word {
	_Atomic uint64_t own, smaller; /* noted here; noted in smaller regions of this one */
};

/* Written under the lock, while a capture goes on; read without. */
struct model_regions {
	struct acl_lock lock;
	uint32_t models; /* that have accesses */
	_Atomic uint64_t vast; /* models with tasks that touch too many regions of any size */
	_Atomic uint64_t beside[BITS]; /* by bit: who is noted where that one is, but for the vast ones */
	struct region_word word[SIZES][1 << WORDS_LOG];
	uint32_t n_noted; /* words that are not empty; of more than NOTED they are not listed */
	struct region_word *noted[NOTED];
};

static struct model_regions *regions(struct checks *c)
{
	return module_state(c, model_regions);
}

static inline struct region_word *word_of(struct model_regions *r, unsigned size, uint64_t region)
{
	return &r->word[size][region_place(region, WORDS_LOG)];
}

static bool is_empty(const struct region_word *w)
{
	struct region_word *word = (struct region_word *)w;

	return !(load_relaxed(&word->own) | load_relaxed(&word->smaller));
}

static inline void bits_add(_Atomic uint64_t *bits, uint64_t more)
{
	store_relaxed(bits, load_relaxed(bits) | more);
}

/* Who comes later sees who is there. */
static void note_beside(struct model_regions *r, uint64_t bit, uint64_t there)
{
	bits_add(&r->beside[__builtin_ctzll(bit)], there);
	for (; there; there &= there - 1)
		bits_add(&r->beside[__builtin_ctzll(there)], bit);
}

/* Two that are noted in smaller regions of it meet there, or nowhere. */
static void note(struct model_regions *r, struct region_word *w, bool smaller, uint64_t bit)
{
	_Atomic uint64_t *models = smaller ? &w->smaller : &w->own;

	if (load_relaxed(models) & bit)
		return;
	if (is_empty(w) && r->n_noted++ < NOTED)
		r->noted[r->n_noted - 1] = w;
	bits_add(models, bit);
	note_beside(r, bit, load_relaxed(&w->own) | (smaller ? 0 : load_relaxed(&w->smaller)));
}

void model_regions_add(struct checks *c, acl_ref model, uint64_t start, uint64_t end)
{
	struct model_regions *r = regions(c);
	bool noted = false;

	lock(&r->lock);
	for (unsigned size = 0; size < SIZES; size++) {
		struct region_span span = region_span(start, end, region_sizes[size]);

		if (!regions_are_few(span))
			continue;
		for (uint64_t n = span.first; n <= span.last; n++)
			note(r, word_of(r, size, n), noted, model_bit(model));
		noted = true;
	}
	if (!noted)
		bits_add(&r->vast, model_bit(model));
	unlock(&r->lock);
}

uint64_t models_at(struct checks *c, uint64_t start, uint64_t end)
{
	struct model_regions *r = regions(c);
	uint64_t models = load_relaxed(&r->vast);
	bool smallest = true;

	for (unsigned size = 0; size < SIZES; size++) {
		struct region_span span = region_span(start, end, region_sizes[size]);

		if (!regions_are_few(span))
			continue;
		for (uint64_t n = span.first; n <= span.last; n++) {
			struct region_word *w = word_of(r, size, n);

			models |= load_relaxed(&w->own) | (smallest ? load_relaxed(&w->smaller) : 0);
		}
		smallest = false;
	}
	return smallest ? UINT64_MAX : models;
}

uint64_t models_beside(struct checks *c, acl_ref model)
{
	struct model_regions *r = regions(c);
	uint64_t bit = model_bit(model), vast = load_relaxed(&r->vast);

	return vast & bit ? UINT64_MAX : vast | load_relaxed(&r->beside[__builtin_ctzll(bit)]);
}

static void region_forget(struct region_word *w)
{
	/* Pages never touched are none. */
	if (is_empty(w))
		return;
	store_relaxed(&w->own, 0);
	store_relaxed(&w->smaller, 0);
}

/* Mostly a capture has touched few. */
static void forget_all(struct model_regions *r)
{
	store_relaxed(&r->vast, 0);
	for (unsigned i = 0; i < BITS; i++)
		store_relaxed(&r->beside[i], 0);
	for (uint32_t i = 0; i < r->n_noted && r->n_noted <= NOTED; i++)
		region_forget(r->noted[i]);
	for (unsigned size = 0; size < SIZES && r->n_noted > NOTED; size++)
		for (unsigned i = 0; i < 1 << WORDS_LOG; i++)
			region_forget(&r->word[size][i]);
	r->n_noted = 0;
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
