/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of this system: 4 KiB, on AArch64 also 16 or 64. What the interface itself calls a page stays 4 KiB.
 */
#ifndef SOFTNPU_PAGE_SIZE_H
#define SOFTNPU_PAGE_SIZE_H

#include <stddef.h>
#include <unistd.h>

static inline size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

#endif
