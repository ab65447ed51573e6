/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the real runtime's code was observed to return, as a table: memory and copies.
 * V(new, old) is 9.1 and 8.5; where the real one crashes 107017 is expected.
 */
#include "oracle.h"

/* --- memory ------------------------------------------------------------------------- */

static void bad_allocations(void)
{
	void *p;

	OK(aclrtSetDevice(0));
	IS(aclrtMalloc(&p, 0, 0), 100000);
	IS(aclrtMalloc(NULL, 64, 0), 100000);
	IS(aclrtMallocHost(&p, 0), 100000);
	IS(aclrtFree(NULL), 100000);
	IS(aclrtFreeHost(NULL), 100000);
}

static void bad_frees(void)
{
	char stack[64], *d;
	void *p;

	OK(aclrtSetDevice(0));
	p = device_new(64);
	OK(aclrtFree(p));
	IS(aclrtFree(p), 107000);
	d = device_new(4096);
	IS(aclrtFree(d + 64), 107000);
	IS(aclrtFree(stack), 107000);
	IS(aclrtFreeHost(stack), 107000);
	IS(aclrtFreeHost(d), 107000);
}

static void copy_sizes(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	h = host_new(64);
	IS(aclrtMemcpy(d, 32, h, 64, ACL_MEMCPY_HOST_TO_DEVICE), 107000);
	IS(aclrtMemset(d, 32, 0, 64), 107000);
	IS(aclrtMemcpy(d, 64, h, 0, ACL_MEMCPY_HOST_TO_DEVICE), V(0, 107000));
	IS(aclrtMemcpy(d, 0, h, 0, ACL_MEMCPY_HOST_TO_DEVICE), V(0, 107000));
	IS(aclrtMemcpyAsync(d, 64, h, 0, ACL_MEMCPY_HOST_TO_DEVICE, NULL), V(0, 107000));
	IS(aclrtMemset(d, 64, 0, 0), V(0, 107000));
}

static void copy_arguments(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	h = host_new(64);
	IS(aclrtMemcpy(NULL, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpy(d, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpyAsync(NULL, 64, h, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
	IS(aclrtMemcpyAsync(d, 64, NULL, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
	IS(aclrtMemcpy(d, 64, h, 64, (aclrtMemcpyKind)99), 100000);
	IS(aclrtMemcpyAsync(d, 64, h, 64, (aclrtMemcpyKind)99, NULL), 100000);
}

static void copy_wrong_kind(void)
{
	void *d, *d2, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	d2 = device_new(64);
	h = host_new(64);
	OK(aclrtMemcpy(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_HOST));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	OK(aclrtMemcpyAsync(d, 64, d2, 64, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d, 64, h, 64, ACL_MEMCPY_HOST_TO_HOST, NULL));
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_host_to_host(void)
{
	char a[64], b[64];

	OK(aclrtSetDevice(0));
	IS(aclrtMemcpyAsync(host_new(64), 64, host_new(64), 64, ACL_MEMCPY_HOST_TO_HOST, NULL), 207000);
	IS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_HOST_TO_HOST, NULL), 207000);
	IS(aclrtMemcpyAsync(a, 64, b, 64, ACL_MEMCPY_DEFAULT, NULL), 207000);
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_odd_addresses(void)
{
	char *d, *d2, *h;

	OK(aclrtSetDevice(0));
	d = device_new(64);
	d2 = device_new(64);
	h = host_new(64);
	OK(aclrtMemcpyAsync(d + 1, 5, h + 3, 5, ACL_MEMCPY_HOST_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(d2 + 7, 5, d + 1, 5, ACL_MEMCPY_DEVICE_TO_DEVICE, NULL));
	OK(aclrtMemcpyAsync(h + 9, 5, d2 + 7, 5, ACL_MEMCPY_DEVICE_TO_HOST, NULL));
	OK(aclrtMemsetAsync(d + 11, 5, 1, 5, NULL));
	OK(aclrtSynchronizeStream(NULL));
}

static void copy_pageable(void)
{
	aclrtStream s;
	atomic_int gate;
	char host[64] = "x";
	pthread_t opener;

	OK(aclrtSetDevice(0));
	s = stream_new();
	gate_hold(s, &gate);
	OK(pthread_create(&opener, NULL, open_later, &gate));
	OK(aclrtMemcpyAsync(device_new(64), 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE, s));
	IS(atomic_load(&gate), 1); /* the stream was synchronised first */
	OK(pthread_join(opener, NULL));
}

static void copy_2d_pitch(void)
{
	void *d, *h;

	OK(aclrtSetDevice(0));
	d = device_new(N_BYTES);
	h = host_new(N_BYTES);
	IS(aclrtMemcpy2d(d, 16, h, 64, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
	IS(aclrtMemcpy2dAsync(d, 64, h, 16, 32, 4, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 100000);
}

static void unregister_twice(void)
{
	void *h = NULL, *d = NULL;

	OK(aclrtSetDevice(0));
	OK(posix_memalign(&h, 4096, 8192));
	OK(aclrtHostRegister(h, 8192, ACL_HOST_REGISTER_MAPPED, &d));
	OK(aclrtHostUnregister(h));
	IS(aclrtHostUnregister(h), 507911);
	free(h);
}

static void free_while_pending(void)
{
	void *d, *h;
	atomic_int gate;
	aclrtStream s;

	OK(aclrtSetDevice(0));
	s = stream_new();
	d = device_new(N_BYTES);
	h = host_new(N_BYTES);
	gate_hold(s, &gate);
	OK(aclrtMemcpyAsync(d, N_BYTES, h, N_BYTES, ACL_MEMCPY_HOST_TO_DEVICE, s));
	OK(aclrtFree(d));
	OK(aclrtFreeHost(h));
	device_new(N_BYTES);
	IS(atomic_load(&gate), 0);
	gate_open(&gate);
	OK(aclrtSynchronizeStream(s));
}

static const struct tap_case cases[] = {
	C(bad_allocations),
	C(bad_frees),
	C(copy_sizes),
	C(copy_arguments),
	C(copy_wrong_kind),
	C(copy_host_to_host),
	C(copy_odd_addresses),
	C(copy_pageable),
	C(copy_2d_pitch),
	C(unregister_twice),
	C(free_while_pending),
};

ORACLE_MAIN(cases)
