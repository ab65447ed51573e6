/* SPDX-License-Identifier: Apache-2.0 */
/* The observed results hold in three profiles. */
#ifndef SOFTNPU_ORACLE_H
#define SOFTNPU_ORACLE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "common.h"

/* The value of 9.1 and 9.2, or of 8.5. */
#define V(new, old) (strcmp(getenv("SOFTNPU_CANN"), "8.5") ? (new) : (old))

/* In all three releases, or in the one that SOFTNPU_CANN names. */
static inline void oracle_run(const struct tap_case *cases, size_t n)
{
	static const char *const profiles[][2] = {
		{"SOFTNPU_CANN=9.2", NULL}, {"SOFTNPU_CANN=9.1", NULL}, {"SOFTNPU_CANN=8.5", NULL}};
	const char *only = getenv("SOFTNPU_CANN");

	for (size_t i = 0; i < COUNT(profiles); i++) {
		const char *release = strchr(profiles[i][0], '=') + 1;
		char label[16];

		snprintf(label, sizeof(label), "%s: ", release);
		if (!only || !strcmp(only, release))
			tap_run(cases, n, label, profiles[i]);
	}
}

#define ORACLE_MAIN(cases)                                                                                   \
	int main(void)                                                                                       \
	{                                                                                                    \
		oracle_run(cases, COUNT(cases));                                                             \
		return tap_done();                                                                           \
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
