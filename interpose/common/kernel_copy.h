/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of memory of this process that may not be there: the kernel copies, and fails where we would. */
#ifndef INTERPOSE_KERNEL_COPY_H
#define INTERPOSE_KERNEL_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* false: not all of it can be read. errno stays as it is. */
bool kernel_copy(void *to, const void *from, size_t size);

/* One of several copies that are made in one system call. */
struct kernel_copy_part {
	void *to;
	uint64_t from;
	size_t size;
	bool good; /* all of it was there */
};

static inline struct kernel_copy_part kernel_copy_part_of(void *to, uint64_t from, size_t size)
{
	return (struct kernel_copy_part){.to = to, .from = from, .size = size};
}

/* On a stack of the tool's. */
void kernel_copy_parts(struct kernel_copy_part *parts, unsigned n);

/* Copies that are made in one system call, if all are there. */
#define KERNEL_COPY_LIST 8
struct kernel_copy_list {
	unsigned n;
	struct iovec here[KERNEL_COPY_LIST], there[KERNEL_COPY_LIST];
};

/* false: not all of it can be read. The list is empty then. */
bool kernel_copy_all(struct kernel_copy_list *list);

/* A text and its NUL, cut to room bytes; false: not all of what is wanted of it can be read. */
bool kernel_copy_text(char *to, const char *from, size_t room);

#endif
