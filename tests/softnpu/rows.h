/* SPDX-License-Identifier: Apache-2.0 */
/* What the rows of oracle_rows are made with: a row is a function whose calls print what they return. */
#ifndef TESTS_SOFTNPU_ROWS_H
#define TESTS_SOFTNPU_ROWS_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/acl_rt_allocator.h"

#define RELAXED ACL_MODEL_RI_CAPTURE_MODE_RELAXED
#define MIB2 ((size_t)2 << 20)

static inline void row(long code)
{
	printf(" %ld", code);
}

/* What a call returns, and whether that is the last error. */
static inline void code_and_last(aclError code)
{
	row(code);
	row(aclrtGetLastError(ACL_RT_THREAD_LEVEL));
}

/* What the calls of a row need; a failure of these is none of its answers. */
static inline void need(aclError code)
{
	if (code) {
		printf(" prepared:%d", code);
		exit(0);
	}
}

static inline aclrtStream stream(void)
{
	aclrtStream s = NULL;

	need(aclrtCreateStream(&s));
	return s;
}

static inline aclrtEvent event(uint32_t flag)
{
	aclrtEvent e = NULL;

	need(aclrtCreateEventWithFlag(&e, flag));
	return e;
}

static inline aclrtEvent event_ex(uint32_t flag)
{
	aclrtEvent e = NULL;

	need(aclrtCreateEventExWithFlag(&e, flag));
	return e;
}

static inline void *device(void)
{
	void *p = NULL;

	need(aclrtMalloc(&p, 4096, ACL_MEM_MALLOC_HUGE_FIRST));
	return p;
}

static inline void in_thread(void *(*fn)(void *), void *argument)
{
	pthread_t t;

	need(pthread_create(&t, NULL, fn, argument));
	need(pthread_join(t, NULL));
}

static inline aclrtStream capturing(void)
{
	aclrtStream s = stream();

	need(aclmdlRICaptureBegin(s, RELAXED));
	return s;
}

static inline aclmdlRI model(void)
{
	aclrtStream s = capturing();
	aclmdlRI m = NULL;

	need(aclrtMemsetAsync(device(), 64, 0, 64, s));
	need(aclmdlRICaptureEnd(s, &m));
	return m;
}

static inline aclError at_init(const char *config, size_t bytes, void *data)
{
	(void)config, (void)bytes, (void)data;
	return ACL_SUCCESS;
}

struct row {
	const char *name; /* NULL behind the last one */
	void (*run)(void);
};

#define ROW(name)                                                                                            \
	{                                                                                                    \
#name, name                                                                                  \
	}

extern const struct row rows_published[]; /* those that the published source answers */
extern const struct row rows_kernels[]; /* the same, of kernels and errors */
extern const struct row rows_memory[], rows_graphs[], rows_graph_tasks[], rows_conditions[];
extern const struct row rows_tasks[]; /* the same, of tasks that are looked at and set */
extern const struct row rows_devices[]; /* the same, of devices and contexts */
extern const struct row rows_drawn[]; /* the same, of kernels, models and tasks */
extern const struct row rows_lots[]; /* the same, of what was drawn by lot later */
extern const struct row rows_sharing[]; /* the same, of what only the driver looks at */
extern const struct row rows_states[]; /* the same, of what calls before left behind */

#endif
