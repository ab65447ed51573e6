/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the software runtime share. */
#ifndef SOFTNPU_TEST_COMMON_H
#define SOFTNPU_TEST_COMMON_H

#include <stdatomic.h>
#include <string.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "acl/acl.h"
#include "tap.h"

#define N_BYTES 4096u
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline void *device_new(size_t size)
{
	void *p = NULL;

	OK(aclrtMalloc(&p, size, ACL_MEM_MALLOC_HUGE_FIRST));
	return p;
}

static inline void *host_new(size_t size)
{
	void *p = NULL;

	OK(aclrtMallocHost(&p, size));
	return p;
}

static inline aclrtStream stream_new(void)
{
	aclrtStream s = NULL;

	OK(aclrtCreateStream(&s));
	return s;
}

static inline aclrtEvent event_ex(uint32_t flag)
{
	aclrtEvent e = NULL;

	OK(aclrtCreateEventExWithFlag(&e, flag));
	return e;
}

/* Where process_vm_readv is missing (an emulator, a sandbox) a task touches memory itself, and a bad address
 * is a crash. */
static inline bool bad_addresses_are_errors(void)
{
	char from = 1, to = 0;
	struct iovec local = {&to, 1}, remote = {&from, 1};

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

/* A host function that keeps its stream busy until the gate opens. */
static inline void gate_wait(void *gate)
{
	while (!atomic_load((atomic_int *)gate))
		usleep(100);
}

static inline void gate_hold(aclrtStream s, atomic_int *gate)
{
	atomic_store(gate, 0);
	OK(aclrtLaunchHostFunc(s, gate_wait, gate));
}

static inline void gate_open(atomic_int *gate)
{
	atomic_store(gate, 1);
}

/* Waits for a child: its status, 0 when all was well. */
static inline int child_status(void)
{
	int status = -1;

	wait(&status);
	return status;
}

#endif
