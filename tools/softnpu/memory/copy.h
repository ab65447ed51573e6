/* SPDX-License-Identifier: Apache-2.0 */
/* Copying and setting, for calls and for tasks. */
#ifndef SOFTNPU_COPY_H
#define SOFTNPU_COPY_H

#include "tools/softnpu/memory/addrmap.h"
#include "tools/softnpu/sync/stream.h"

/* Rows of width bytes; an ordinary copy is one row. */
struct area {
	void *dst;
	const void *src;
	size_t dpitch, spitch, width, height;
};

/* Moves the bytes now. Takes the lock itself while it looks the addresses up. */
aclError copy_now(const struct area *a);
/* The same for a call, which notes what fails. */
aclError copy_by_caller(const struct area *a);
aclError set_now(void *dst, size_t count, int value);
/* As copy_now, for tasks that hold addresses of their own. */
aclError bytes_move(char *dst, bool dst_safe, const char *src, bool src_safe, size_t n);
/* Operation that copies n areas; takes over the array (malloc) and staged, a buffer it frees. NULL: no
 * memory. */
struct op *copy_op_new(struct area *areas, size_t n, void *staged);

/* What an asynchronous copy turns out to be. */
enum copy_form {
	COPY_QUEUED,
	COPY_NOW, /* a pageable side: synchronise, then copy */
	COPY_FAILS_LATER /* host to host in the oldest profile */
};

/* Locates both sides; makes the kind the one that they ask for, or 107000 when it contradicts them. */
aclError copy_classify(const void *dst, const void *src, aclrtMemcpyKind *kind, enum copy_form *form);
/* The form is known: do it. */
aclError copy_submit(struct stream *s, const struct area *a, aclrtMemcpyKind kind, enum copy_form form);
/* 107000/107027 on a capturing stream, 107041/107030 when the mode forbids, else the stream is synchronised.
 */
aclError copy_pageable_ready(struct stream *s);
/* Zero bytes: since 9.1 the call is over at once, before it is refused after the other arguments. */
bool copy_nothing(size_t count);
aclError copy_not_nothing(size_t count);

#endif
