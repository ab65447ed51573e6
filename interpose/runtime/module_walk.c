/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the list that the loader keeps for debuggers.  It may change
 * meanwhile, or stand still in the middle of a change, so nothing in it is
 * trusted: its entries are read by the kernel, which fails where nothing is
 * mapped, and a module counts only when its headers are there and its segments
 * lie in memory.
 *
 * What a walk shows may be unloaded while it is looked at, by another thread's
 * dlclose.  That one waits for walks under way, and a walk for it, both for a
 * moment only: the program may make either wait for the other.
 */
#include "interpose/runtime/module_walk.h"

#include <elf.h>
#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"

#define MODULES_MAX 65536 /* an end for a list that was changed into a circle */
#define SEGMENTS_MAX 32
#define WAIT_MS 50

static _Atomic uint32_t walking, closing;

/* Reads of this process (pid) through the kernel; where that is forbidden, as is. */
NO_SANITIZE static bool read_all(pid_t pid, const struct iovec *from, unsigned n, void *to, size_t bytes)
{
	static atomic_bool forbidden;
	const struct iovec here = {to, bytes};

	if (!atomic_load_explicit(&forbidden, memory_order_relaxed)) {
		long done = syscall(SYS_process_vm_readv, pid, &here, 1ul, from, (unsigned long)n, 0ul);

		if (done >= 0 || errno == EFAULT)
			return done == (long)bytes;
		atomic_store_explicit(&forbidden, true, memory_order_relaxed);
	}
	for (unsigned i = 0; i < n; i++) {
		const volatile char *byte = from[i].iov_base;

		for (size_t k = 0; k < from[i].iov_len; k++)
			*(char *)to = byte[k], to = (char *)to + 1;
	}
	return true;
}

NO_SANITIZE static bool read_at(pid_t pid, const void *address, void *to, size_t bytes)
{
	const struct iovec from = {(void *)(uintptr_t)address, bytes};

	return address && read_all(pid, &from, 1, to, bytes);
}

NO_SANITIZE const struct link_map *module_list(void)
{
	const ElfW(Phdr) *ph = (const void *)getauxval(AT_PHDR);
	unsigned long n = getauxval(AT_PHNUM);
	const ElfW(Dyn) *dyn = NULL;
	bool placed = false;
	uint64_t base = 0;

	/* The headers' own entry, which tells where the program lies, comes first. */
	for (unsigned long i = 0; ph && i < n; i++) {
		if (ph[i].p_type == PT_PHDR) {
			base = (uintptr_t)ph - ph[i].p_vaddr;
			placed = true;
		}
		if (ph[i].p_type == PT_DYNAMIC && placed)
			dyn = (const void *)(base + ph[i].p_vaddr);
	}
	for (; dyn && dyn->d_tag != DT_NULL; dyn++) {
		if (dyn->d_tag == DT_DEBUG && dyn->d_un.d_ptr)
			return ((const struct r_debug *)dyn->d_un.d_ptr)->r_map;
	}
	return NULL;
}

/* The first and the last byte of each segment: the loader maps and unmaps modules as a whole. */
NO_SANITIZE static bool is_mapped(pid_t pid, const struct dl_phdr_info *info)
{
	struct iovec ends[SEGMENTS_MAX];
	char bytes[SEGMENTS_MAX] = {0};
	unsigned n = 0;

	for (int i = 0; i < info->dlpi_phnum && n + 2 <= SEGMENTS_MAX; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		char *start = (char *)(info->dlpi_addr + ph->p_vaddr);

		if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_R) || !ph->p_filesz)
			continue;
		ends[n++] = (struct iovec){start, 1};
		ends[n++] = (struct iovec){start + ph->p_filesz - 1, 1};
	}
	return n && read_all(pid, ends, n, bytes, n);
}

/* The list's next entry, where it came along with what was read of the one before. */
struct ahead {
	struct link_map entry;
	bool read;
};

/*
 * The header, whether the name can be read as well, and the next entry: mostly all of them are there, and a
 * call of the kernel costs more than what it copies.  The program (header NULL) has its header elsewhere.
 */
NO_SANITIZE static bool read_header(
	pid_t pid, const struct link_map *l, ElfW(Ehdr) * header, const char **name, struct ahead *ahead)
{
	size_t sizes[] = {header ? sizeof(*header) : 0, 1, l->l_next ? sizeof(*l) : 0};
	const struct iovec parts[] = {
		{(void *)l->l_addr, sizes[0]}, {l->l_name, sizes[1]}, {l->l_next, sizes[2]}};
	char bytes[sizeof(*header) + 1 + sizeof(*l)];

	*name = l->l_name;
	if ((l->l_addr || !header) && l->l_name &&
		read_all(pid, parts, 3, bytes, sizes[0] + sizes[1] + sizes[2])) {
		if (header)
			memcpy(header, bytes, sizeof(*header));
		memcpy(&ahead->entry, bytes + sizes[0] + sizes[1], sizes[2]);
		ahead->read = sizes[2] != 0;
		return true;
	}
	if (!read_at(pid, l->l_name, bytes, 1))
		*name = "";
	return !header || read_at(pid, (const void *)l->l_addr, header, sizeof(*header));
}

/* The program headers, too; those in the page of the header, of which page size ever, are there with it. */
NO_SANITIZE static bool has_headers(pid_t pid, uintptr_t at, const ElfW(Ehdr) * header)
{
	const uintptr_t page = 4096;
	uint64_t end = header->e_phoff + (uint64_t)header->e_phnum * sizeof(ElfW(Phdr));
	char byte = 0;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phentsize != sizeof(ElfW(Phdr)) ||
		!header->e_phnum)
		return false;
	return (header->e_phoff < end && end <= page - at % page) ||
	       read_at(pid, (const char *)at + end - 1, &byte, 1);
}

/* Where the module's headers are, as they stand in memory. */
NO_SANITIZE static bool describe(
	pid_t pid, const struct link_map *l, bool program, struct dl_phdr_info *info, struct ahead *ahead)
{
	ElfW(Ehdr) header = {0};

	*info = (struct dl_phdr_info){.dlpi_addr = l->l_addr};
	if (!read_header(pid, l, program ? NULL : &header, &info->dlpi_name, ahead))
		return false;
	if (program) {
		info->dlpi_phdr = (const void *)getauxval(AT_PHDR);
		info->dlpi_phnum = (ElfW(Half))getauxval(AT_PHNUM);
		return info->dlpi_phdr != NULL;
	}
	if (!has_headers(pid, l->l_addr, &header))
		return false;
	info->dlpi_phdr = (const void *)(l->l_addr + header.e_phoff);
	info->dlpi_phnum = header.e_phnum;
	return is_mapped(pid, info);
}

/* A complete walk notes the last entry that it saw. */
NO_SANITIZE static int walk(module_walk_fn *fn, void *context, const struct link_map **tail)
{
	const struct link_map *at = module_list(), *before = NULL;
	pid_t pid = getpid(); /* once a walk: whoever shares our memory is another process sometimes */
	struct dl_phdr_info info;
	struct ahead ahead = {.read = false};
	int result = 0;

	for (unsigned n = 0; at && n < MODULES_MAX && !result; n++) {
		struct link_map l = ahead.entry;

		if ((!ahead.read && !read_at(pid, at, &l, sizeof(l))) || l.l_prev != before)
			return MODULE_WALK_CUT;
		ahead.read = false;
		if (describe(pid, &l, !before, &info, &ahead))
			result = fn(&info, sizeof(info), context);
		before = at;
		at = l.l_next;
	}
	if (!result && tail)
		*tail = before;
	return result;
}

NO_SANITIZE static void wait_while(_Atomic uint32_t *count)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	for (unsigned ms = 0; ms < WAIT_MS; ms++) {
		uint32_t n = atomic_load(count);

		if (!n)
			return;
		syscall(SYS_futex, count, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, n, &moment, NULL, 0);
	}
}

NO_SANITIZE static void wake(_Atomic uint32_t *count)
{
	syscall(SYS_futex, count, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT32_MAX, NULL, NULL, 0);
}

NO_SANITIZE int module_walk_noting(module_walk_fn *fn, void *context, const struct link_map **tail)
{
	int saved = errno, result;

	if (!thread_self()->closing)
		wait_while(&closing);
	atomic_fetch_add(&walking, 1);
	result = walk(fn, context, tail);
	/* Who waits for it has counted itself in closing first, and reads walking then. */
	if (atomic_fetch_sub(&walking, 1) == 1 && atomic_load(&closing))
		wake(&walking);
	errno = saved;
	return result;
}

NO_SANITIZE int module_walk(module_walk_fn *fn, void *context)
{
	return module_walk_noting(fn, context, NULL);
}

NO_SANITIZE bool module_walk_grown(const struct link_map *tail)
{
	struct link_map l = {0};
	int saved = errno;
	bool same = tail && read_at(getpid(), tail, &l, sizeof(l)) && !l.l_next;

	errno = saved;
	return !same;
}

void module_closing(void)
{
	thread_self()->closing++;
	atomic_fetch_add(&closing, 1);
	wait_while(&walking);
}

void module_closed_now(void)
{
	thread_self()->closing--;
	if (atomic_fetch_sub(&closing, 1) == 1)
		wake(&closing);
}

void module_walk_forked(void)
{
	atomic_store(&walking, 0);
	atomic_store(&closing, thread_self()->closing);
}
