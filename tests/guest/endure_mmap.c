/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: the FAIL_AT-th mapping that a library makes, and all behind it with FAIL_ON, fail. */
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((visibility("default"))) void *mmap(
	void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	static atomic_int calls;
	const char *fail = getenv("FAIL_AT");
	int call = atomic_fetch_add(&calls, 1) + 1, from = fail ? atoi(fail) : 0;

	if (from && (call == from || (call > from && getenv("FAIL_ON")))) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}
