/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded before libaclcheck.so, whose code becomes guarded pages from its constructors to its destructors:
 * an indirect call or jump must land on a landing pad there or ends the process (SIGILL). The loader would do
 * that itself if the library had the property note. With GUARDED_PAGES=beside, calls a function beside its
 * landing pad.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef PROT_BTI
#define PROT_BTI 0x10
#endif

static int protection = PROT_READ | PROT_EXEC | PROT_BTI;

static int protect(struct dl_phdr_info *module, size_t size, void *protected)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	(void)size;
	if (!strstr(module->dlpi_name, "/libaclcheck.so"))
		return 0;
	for (unsigned i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &module->dlpi_phdr[i];
		uintptr_t begin = (module->dlpi_addr + p->p_vaddr) & ~(page - 1);
		uintptr_t end = module->dlpi_addr + p->p_vaddr + p->p_memsz;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			*(int *)protected += !mprotect((void *)begin, end - begin, protection);
	}
	return 0;
}

static __attribute__((constructor)) void guard_library(void)
{
	const char *how = getenv("GUARDED_PAGES");
	int guarded = 0;
	char *function = dlsym(RTLD_DEFAULT, "aclrtGetDeviceCount");

	dl_iterate_phdr(protect, &guarded);
	if (guarded != 1) {
		fprintf(stderr, "guarded_pages: %d segments\n", guarded);
		_exit(99);
	}
	if (how && !strcmp(how, "beside"))
		((int (*)(void *))(function + 4))(NULL);
}

/* What runs now begins in objects of the compiler's, _fini among them. */
static __attribute__((destructor)) void unguard_library(void)
{
	int unguarded = 0;

	protection = PROT_READ | PROT_EXEC;
	dl_iterate_phdr(protect, &unguarded);
}
