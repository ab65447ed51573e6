/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of addresses: spans of a power of two, for tables that turn most questions about an address away.
 * What touches more than a few regions of a size is noted in those of a larger one.
 */
#ifndef CHECKS_ADDRESS_REGIONS_H
#define CHECKS_ADDRESS_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#define REGIONS_TOUCHED 16 /* of a size */

/* The regions of bytes, by number: first to last. */
struct region_span {
	uint64_t first, last;
};

/* start < end; log2 of the size of a region. */
static inline struct region_span region_span(uint64_t start, uint64_t end, unsigned size_log)
{
	return (struct region_span){start >> size_log, (end - 1) >> size_log};
}

static inline bool regions_are_few(struct region_span s)
{
	return s.last - s.first < REGIONS_TOUCHED;
}

/* In a table of 1 << log places; regions of one place are taken for each other. */
static inline unsigned region_place(uint64_t region, unsigned log)
{
	return (unsigned)(region * UINT64_C(0x9e3779b97f4a7c15) >> (64 - log));
}

#endif
