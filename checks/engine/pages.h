/* SPDX-License-Identifier: Apache-2.0 */
/* What the system does with the pages of a table. */
#ifndef CHECKS_PAGES_H
#define CHECKS_PAGES_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Entries that are used lie far from each other: with large pages each would take, and zero, megabytes. */
static inline void pages_stay_small(void *from, size_t bytes)
{
	madvise(from, bytes, MADV_NOHUGEPAGE);
}

/*
 * Not needed for now it goes back; its addresses stay.  What lies in whole pages reads as zeros from now on.
 * A reader without a lock who finds such a zero has had its view of the page renewed by the system, and so
 * sees all that was stored before it went back.
 */
static inline void pages_give_back(void *from, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)from, end = begin + bytes;

	begin = (begin + page - 1) & ~(page - 1);
	end &= ~(page - 1);
	if (begin < end)
		madvise((void *)begin, end - begin, MADV_DONTNEED);
}

#endif
