/* SPDX-License-Identifier: Apache-2.0 */
/* Durations of a function's calls in constant space. */
#include <stdlib.h>

#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

/* The first 2 << STAT_BITS values have a bucket each, then every power of two has 1 << STAT_BITS. */
static unsigned bucket_of(uint64_t ns)
{
	unsigned shift;

	if (ns < 2u << STAT_BITS)
		return (unsigned)ns;
	shift = 63u - (unsigned)__builtin_clzll(ns) - STAT_BITS;
	return (shift << STAT_BITS) + (unsigned)(ns >> shift);
}

/* The largest value of a bucket. */
static uint64_t bucket_end(unsigned bucket)
{
	unsigned shift;

	if (bucket < 2u << STAT_BITS)
		return bucket;
	shift = (bucket >> STAT_BITS) - 1;
	return ((((uint64_t)bucket & ((1u << STAT_BITS) - 1)) + (1u << STAT_BITS) + 1) << shift) - 1;
}

void stat_add(struct call_stat *s, uint64_t ns)
{
	if (!s->buckets)
		s->buckets = need(calloc(STAT_BUCKETS, sizeof(*s->buckets)));
	if (!s->done || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->done++;
	s->total += ns;
	s->buckets[bucket_of(ns)]++;
}

void stat_error(struct call_stat *s, int64_t code)
{
	unsigned i;

	s->errors++;
	for (i = 0; i < s->n_codes; i++)
		if (s->codes[i].code == code) {
			s->codes[i].count++;
			return;
		}
	s->codes = need(realloc(s->codes, (i + 1) * sizeof(*s->codes)));
	s->codes[s->n_codes++] = (struct stat_error){code, 1};
}

uint64_t stat_percentile(const struct call_stat *s, double percent)
{
	uint64_t wanted = (uint64_t)((double)s->done * percent / 100 + 0.5), seen = 0;

	if (!s->done)
		return 0;
	wanted = wanted ? wanted : 1;
	for (unsigned i = 0; i < STAT_BUCKETS; i++) {
		seen += s->buckets[i];
		if (seen >= wanted) {
			uint64_t end = bucket_end(i);

			return end > s->max ? s->max : end < s->min ? s->min : end;
		}
	}
	return s->max;
}

void stat_free(struct call_stat *s)
{
	free(s->buckets);
	free(s->codes);
}
