/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What wrong arguments are answered with, one call a line.  The codes are those of the real runtime's
 * published source: its outer layer refuses with 1000xx, what it hands on is refused below with 1070xx, and
 * which of the two looks at an argument differs from function to function.  Releases differ nowhere here.
 */
#ifndef SOFTNPU_ARGUMENTS_H
#define SOFTNPU_ARGUMENTS_H

#include "oracle.h"

#include "acl/acl_rt_memory_soma.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define INVENTED ((void *)0x1234)
#define NO_DEVICE 99
#define MIB2 ((size_t)2 << 20)

static aclrtStream s;
static aclrtEvent e;
static char *dev, *dev2, *host;

static inline void setup(void)
{
	OK(aclInit(NULL));
	OK(aclrtSetDevice(0));
	s = stream_new();
	e = event_ex(ACL_EVENT_SYNC);
	dev = device_new(N_BYTES);
	dev2 = device_new(N_BYTES);
	host = host_new(N_BYTES);
}

static inline void called(void *data)
{
	(void)data;
}

#endif
