/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process_vm_readv on ourselves copies or fails, in one step.  Where it is forbidden
 * (a seccomp filter, an old container runtime) the pages are asked for first: a signal
 * mask is read by the kernel before it finds that there is no such way of setting one.
 * Between that and our own read another thread could still unmap them.
 */
#include "interpose/common/kernel_copy.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "interpose/common/compiler.h"
#include "interpose/common/thread_state.h"

#define PAGE ((uintptr_t)4096) /* or a part of a larger one */
#define PARTS_AT_ONCE 256

static _Atomic bool forbidden; /* process_vm_readv */

/* A thread's id names its process as well, and is known without asking, if the thread is followed. */
static pid_t own_id(void)
{
	struct acl_thread *t = thread_self();

	return atomic_load_explicit(&t->pointer, memory_order_relaxed) ? (pid_t)thread_tid(t) : getpid();
}

static bool copy_at_once(void *to, const void *from, size_t size)
{
	struct iovec here = {to, size}, there = {(void *)(uintptr_t)from, size};

	return syscall(SYS_process_vm_readv, own_id(), &here, 1UL, &there, 1UL, 0UL) == (long)size;
}

/* The kernel reads a whole mask of eight bytes, wherever it begins in the page. */
static bool page_is_there(uintptr_t address)
{
	uintptr_t at = address & ~(uintptr_t)7;

	return syscall(SYS_rt_sigprocmask, -1, (void *)at, NULL, sizeof(uint64_t)) == -1 && errno == EINVAL;
}

static bool pages_are_there(uintptr_t from, size_t size)
{
	uintptr_t last = from + size - 1;

	if (last < from)
		return false;
	for (uintptr_t at = from;; at = (at & ~(PAGE - 1)) + PAGE) {
		if (!page_is_there(at))
			return false;
		if ((at | (PAGE - 1)) >= last)
			return true;
	}
}

/* Words wherever they lie: both machines read and write them in one instruction. */
typedef uint64_t word __attribute__((aligned(1), may_alias));

NO_SANITIZE static void plain_copy(char *to, const char *from, size_t size)
{
	size_t i = 0;

	for (; i + sizeof(word) <= size; i += sizeof(word))
		*(word *)(to + i) = *(const volatile word *)(from + i);
	for (; i < size; i++)
		to[i] = ((const volatile char *)from)[i];
}

bool kernel_copy(void *to, const void *from, size_t size)
{
	int saved = errno;
	bool good = false;

	if (!size)
		return true;
	if (!atomic_load_explicit(&forbidden, memory_order_relaxed)) {
		good = copy_at_once(to, from, size);
		if (!good && (errno == EPERM || errno == ENOSYS || errno == EACCES))
			atomic_store_explicit(&forbidden, true, memory_order_relaxed);
	}
	if (!good && atomic_load_explicit(&forbidden, memory_order_relaxed) &&
		pages_are_there((uintptr_t)from, size)) {
		plain_copy(to, from, size);
		good = true;
	}
	errno = saved;
	return good;
}

/* As many as the kernel copies before one that is not there. */
static unsigned parts_at_once(struct kernel_copy_part *parts, unsigned n)
{
	struct iovec here[PARTS_AT_ONCE], there[PARTS_AT_ONCE];
	unsigned good = 0;
	long bytes;

	if (n > PARTS_AT_ONCE)
		n = PARTS_AT_ONCE;
	for (unsigned i = 0; i < n; i++) {
		here[i] = (struct iovec){parts[i].to, parts[i].size};
		there[i] = (struct iovec){(void *)(uintptr_t)parts[i].from, parts[i].size};
	}
	bytes = syscall(SYS_process_vm_readv, own_id(), here, (unsigned long)n, there, (unsigned long)n, 0UL);
	while (good < n && bytes >= (long)parts[good].size)
		bytes -= (long)parts[good++].size;
	return good;
}

void kernel_copy_parts(struct kernel_copy_part *parts, unsigned n)
{
	int saved = errno;
	unsigned done = 0, good;

	for (unsigned i = 0; i < n; i++)
		parts[i].good = false;
	while (done < n && !atomic_load_explicit(&forbidden, memory_order_relaxed)) {
		good = parts_at_once(parts + done, n - done);
		for (unsigned i = 0; i < good; i++)
			parts[done + i].good = true;
		done += good;
		/* The one that stopped it: alone, and where this system call is forbidden, otherwise. */
		if (!good) {
			parts[done].good = kernel_copy(
				parts[done].to, (const void *)(uintptr_t)parts[done].from, parts[done].size);
			done++;
		}
	}
	for (; done < n; done++)
		parts[done].good = kernel_copy(
			parts[done].to, (const void *)(uintptr_t)parts[done].from, parts[done].size);
	errno = saved;
}

bool kernel_copy_all(struct kernel_copy_list *l)
{
	unsigned n = l->n;
	long wanted = 0;
	int saved = errno;

	l->n = 0;
	for (unsigned i = 0; i < n; i++)
		wanted += (long)l->here[i].iov_len;
	if (!n || (!atomic_load_explicit(&forbidden, memory_order_relaxed) &&
			  syscall(SYS_process_vm_readv, own_id(), l->here, (unsigned long)n, l->there,
				  (unsigned long)n, 0UL) == wanted))
		return true;
	errno = saved;
	for (unsigned i = 0; i < n; i++)
		if (!kernel_copy(l->here[i].iov_base, l->there[i].iov_base, l->here[i].iov_len))
			return false;
	return true;
}

bool kernel_copy_text(char *to, const char *from, size_t room)
{
	/* In pieces that do not cross a page: the text may end right before one that is not there. */
	for (size_t got = 0; got < room;) {
		size_t n = PAGE - ((uintptr_t)from + got) % PAGE;

		if (n > room - got)
			n = room - got;
		if (!kernel_copy(to + got, from + got, n))
			return false;
		if (memchr(to + got, 0, n))
			return true;
		got += n;
	}
	if (room)
		to[room - 1] = 0;
	return room > 0;
}
