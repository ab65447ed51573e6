/* SPDX-License-Identifier: Apache-2.0 */
/* Two streams of device 0, and twice N_BYTES of its memory and of the host's. */
#ifndef TESTS_SOFTNPU_TWO_STREAMS_H
#define TESTS_SOFTNPU_TWO_STREAMS_H

#include "common.h"

#define TO_DEVICE ACL_MEMCPY_HOST_TO_DEVICE
#define TO_HOST ACL_MEMCPY_DEVICE_TO_HOST
#define MIB2 ((size_t)2 << 20)

static unsigned char *a, *b; /* of the host: a pattern, zeros */
static void *d, *d2;
static aclrtStream s, s2;

static void setup(void)
{
	OK(aclrtSetDevice(0));
	a = host_new(N_BYTES);
	b = host_new(N_BYTES);
	d = device_new(N_BYTES);
	d2 = device_new(N_BYTES);
	s = stream_new();
	s2 = stream_new();
	for (unsigned i = 0; i < N_BYTES; i++)
		a[i] = (unsigned char)(i * 31 + i / 256);
	memset(b, 0, N_BYTES);
}

#endif
