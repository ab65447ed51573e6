/* SPDX-License-Identifier: Apache-2.0 */
/* The packets of a stream, as LTTng-UST writes them, in this machine's byte order. */
#ifndef ACLCHECK_LTTNG_PACKET_H
#define ACLCHECK_LTTNG_PACKET_H

#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define LTTNG_PACKET_MAGIC 0xc1fc1fc1u

struct lttng_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream;
	uint64_t instance;
	uint64_t begin, end; /* times */
	uint64_t content_bits, packet_bits;
};

/* From packet to packet; begins with all but the file as 0. */
struct packet_walk {
	int fd;
	uint64_t at, bytes; /* of the packet: where it begins and, as it says itself, how large it is */
	struct lttng_packet head;
};

/* False: none begins where the last one says to end. */
static inline bool packet_walk_next(struct packet_walk *w)
{
	if (w->bytes > (uint64_t)INT64_MAX - w->at)
		return false;
	w->at += w->bytes;
	if (pread(w->fd, &w->head, sizeof(w->head), (off_t)w->at) != sizeof(w->head) ||
		w->head.magic != LTTNG_PACKET_MAGIC)
		return false;
	w->bytes = w->head.packet_bits / 8;
	return true;
}

#endif
