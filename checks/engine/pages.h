/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is not needed for now goes back to the system; its addresses stay. */
#ifndef CHECKS_PAGES_H
#define CHECKS_PAGES_H

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * What lies in whole pages reads as zeros from now on.  A reader without a lock who finds such a zero has had
 * its view of the page renewed by the system, and so sees all that was stored before it went back.
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
