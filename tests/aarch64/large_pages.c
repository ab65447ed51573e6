/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded where the emulator has pages of 64 KiB (-p 65536), for what it does not do as a kernel with such
 * pages.
 *
 * It puts up with mappings that begin inside of a page; they are refused here.
 *
 * It lets the dynamic linker use the whole last page of its own data, where it puts the main thread's
 * variables, but knows only of what the file asked for: system calls answer EFAULT for the rest, and atomic
 * instructions fault. A call that sets the protection which is there makes it known.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

static __thread char here;

static uintptr_t page_size(void)
{
	return (uintptr_t)sysconf(_SC_PAGESIZE);
}

static int begins_page(const void *address)
{
	if (!((uintptr_t)address % page_size()))
		return 1;
	errno = EINVAL;
	return 0;
}

static __attribute__((constructor)) void make_known(void)
{
	mprotect((void *)((uintptr_t)&here & ~(page_size() - 1)), page_size(), PROT_READ | PROT_WRITE);
}

EXPORT void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	if (!begins_page((void *)offset) || (flags & MAP_FIXED && !begins_page(address)))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

EXPORT int munmap(void *address, size_t size)
{
	return begins_page(address) ? (int)syscall(SYS_munmap, address, size) : -1;
}

EXPORT int mprotect(void *address, size_t size, int protection)
{
	return begins_page(address) ? (int)syscall(SYS_mprotect, address, size, protection) : -1;
}

EXPORT int madvise(void *address, size_t size, int advice)
{
	return begins_page(address) ? (int)syscall(SYS_madvise, address, size, advice) : -1;
}
