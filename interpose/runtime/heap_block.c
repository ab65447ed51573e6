/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A block of glibc's malloc has its size in front of it.  A block that was asked for with an alignment looks
 * the same, so nothing is said where any module of the program imports a function that gives such blocks.
 */
#include "interpose/runtime/heap_block.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "interpose/common/compiler.h"
#include "interpose/common/kernel_copy.h"
#include "interpose/runtime/elf_symbols.h"
#include "interpose/runtime/library_name.h"
#include "interpose/runtime/module_walk.h"

#define PROMISED 16 /* of malloc, by the C library's manual, on 64-bit machines */
#define FLAGS UINT64_C(7)
#define PREVIOUS_IN_USE UINT64_C(1)
#define MAPPED UINT64_C(2)
#define SMALLEST UINT64_C(32)
#define LARGEST (UINT64_C(64) << 20) /* larger ones have a mapping of their own */

static const char *const aligned_functions[] = {"posix_memalign", "aligned_alloc", "memalign", "valloc",
	"pvalloc", "_ZnwmSt11align_val_t", "_ZnamSt11align_val_t", "_ZnwmSt11align_val_tRKSt9nothrow_t",
	"_ZnamSt11align_val_tRKSt9nothrow_t", "dlsym", NULL};

NO_SANITIZE static bool gives_aligned(const char *import)
{
	for (const char *const *name = aligned_functions; *name; name++)
		if (!strcmp(import, *name))
			return true;
	return false;
}

/* Those of the C and C++ libraries are behind the others' imports, and those that record give the program no
 * blocks. */
NO_SANITIZE static bool is_exempt(const char *path)
{
	static const char *const names[] = {"libc.so", "libc-", "libstdc++.so", "libc++.so", "libc++abi.so",
		"ld-linux", "libaclcheck.so", "libaclcheck-lttng.so", "liblttng-ust"};

	return library_is_named(path, names, sizeof(names) / sizeof(*names));
}

NO_SANITIZE static int imports_aligned(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct elf_object object;

	(void)size;
	(void)unused;
	if ((info->dlpi_name && is_exempt(info->dlpi_name)) || !elf_object_of(info, &object))
		return 0;
	if (info->dlpi_name && is_cann_library(info->dlpi_name))
		return 0;
	return elf_imports_some(&object, gives_aligned);
}

/* A module that looks functions up by name may find these as well. */
NO_SANITIZE static bool blocks_are_plain(void)
{
	uint64_t start, end, malloc_at = (uintptr_t)elf_libc("malloc");

	return malloc_at && elf_elsewhere("malloc", &start, &end) && malloc_at >= start && malloc_at < end &&
	       !module_walk(imports_aligned, NULL);
}

/* A word of the program's memory, which another thread may have given back meanwhile. */
NO_SANITIZE static bool peek(uint64_t address, uint64_t *word)
{
	return kernel_copy(word, (const void *)(uintptr_t)address, sizeof(*word));
}

NO_SANITIZE static bool fills_block(uint64_t address, uint64_t bytes)
{
	uint64_t size, next, usable;

	if (address % PROMISED || !peek(address - sizeof(size), &size) || size & MAPPED)
		return false;
	size &= ~FLAGS;
	usable = size - sizeof(size);
	return size >= SMALLEST && size <= LARGEST && size % PROMISED == 0 && bytes <= usable &&
	       usable - bytes < PROMISED && peek(address + usable, &next) && next & PREVIOUS_IN_USE;
}

NO_SANITIZE unsigned heap_block_alignment(const void *address, uint64_t bytes)
{
	int saved = errno;
	unsigned promised = fills_block((uintptr_t)address, bytes) && blocks_are_plain() ? PROMISED : 0;

	errno = saved;
	return promised;
}
