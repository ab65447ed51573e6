/* SPDX-License-Identifier: Apache-2.0 */
/* How a packet of a stream begins, as LTTng-UST writes it, in this machine's byte order. */
#ifndef ACLCHECK_LTTNG_PACKET_H
#define ACLCHECK_LTTNG_PACKET_H

#include <stdint.h>

#define LTTNG_PACKET_MAGIC 0xc1fc1fc1u

struct lttng_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream;
	uint64_t instance;
	uint64_t begin, end; /* times */
	uint64_t content_bits, packet_bits;
};

#endif
