/* SPDX-License-Identifier: Apache-2.0 */
/* The observed results hold in three profiles. */
#ifndef SOFTNPU_ORACLE_H
#define SOFTNPU_ORACLE_H

#include <pthread.h>
#include <stdlib.h>

#include "common.h"

/* The value of 9.1 and 9.2, or of 8.5. */
#define V(new, old) (strcmp(getenv("SOFTNPU_CANN"), "8.5") ? (new) : (old))

static inline void oracle_run(const struct tap_case *cases, size_t n)
{
	static const char *const profile_9_2[] = {"SOFTNPU_CANN=9.2", NULL};
	static const char *const profile_9_1[] = {"SOFTNPU_CANN=9.1", NULL};
	static const char *const profile_8_5[] = {"SOFTNPU_CANN=8.5", NULL};

	tap_run(cases, n, "9.2: ", profile_9_2);
	tap_run(cases, n, "9.1: ", profile_9_1);
	tap_run(cases, n, "8.5: ", profile_8_5);
}

/* Thread: opens a gate after a while. */
static inline void *open_later(void *gate)
{
	usleep(10000);
	gate_open(gate);
	return NULL;
}

/* A model with one copy. */
static inline aclmdlRI capture_copy(aclrtStream s)
{
	aclmdlRI m = NULL;

	OK(aclmdlRICaptureBegin(s, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
	OK(aclrtMemcpyAsync(device_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	OK(aclmdlRICaptureEnd(s, &m));
	return m;
}

#endif
