/* SPDX-License-Identifier: Apache-2.0 */
/* What the system does with the pages of a table. */
#ifndef CHECKS_PAGES_H
#define CHECKS_PAGES_H

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

static inline uintptr_t page_below(uintptr_t at)
{
	return at & -(uintptr_t)sysconf(_SC_PAGESIZE);
}

/* What the system refuses (pages that the program has locked, an older kernel) leaves the program's errno. */
static inline void pages_advise(uintptr_t begin, size_t bytes, int how)
{
	int saved = errno;

	madvise((void *)begin, bytes, how);
	errno = saved;
}

/*
 * Before nearly all of it is written (or, POPULATE_READ, read) for the first time: one call instead of a
 * fault for every page, which costs ten times as much, most of all in a virtual machine.  Kernels before
 * 5.14 refuse, and the faults come.
 */
static inline void pages_at_hand(const void *from, size_t bytes, int how)
{
	uintptr_t begin = page_below((uintptr_t)from);

	pages_advise(begin, (uintptr_t)from + bytes - begin, how);
}

/* Entries that are used lie far from each other: with large pages each would take, and zero, megabytes. */
static inline void pages_stay_small(void *from, size_t bytes)
{
	pages_advise((uintptr_t)from, bytes, MADV_NOHUGEPAGE);
}

/*
 * Not needed for now it goes back; its addresses stay.  What lies in whole pages reads as zeros from now on.
 * A reader without a lock who finds such a zero has had its view of the page renewed by the system, and so
 * sees all that was stored before it went back: when that was a table's pages, the table that is there now.
 */
static inline void pages_give_back(void *from, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = page_below((uintptr_t)from + page - 1), end = page_below((uintptr_t)from + bytes);

	if (begin < end)
		pages_advise(begin, end - begin, MADV_DONTNEED);
}

#endif
