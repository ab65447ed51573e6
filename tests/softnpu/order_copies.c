/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes of the kind that a copy is given: where both sides are known to the runtime it does not count,
 * on pageable memory it must fit, and on managed memory it is believed.  From the real runtime's published
 * source.
 */
#include "order.h"

#define H2H ACL_MEMCPY_HOST_TO_HOST
#define H2D ACL_MEMCPY_HOST_TO_DEVICE
#define D2H ACL_MEMCPY_DEVICE_TO_HOST
#define D2D ACL_MEMCPY_DEVICE_TO_DEVICE
#define ANY ACL_MEMCPY_DEFAULT
#define BUF ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE

static char pageable[2 * N_BYTES];

static void async_known(void)
{
	setup();
	OK(aclrtMemcpyAsync(dev, 64, host, 64, H2H, s));
	OK(aclrtMemcpyAsync(dev, 64, host, 64, D2H, s));
	OK(aclrtMemcpyAsync(host, 64, dev, 64, H2D, s));
	OK(aclrtMemcpyAsync(dev, 64, dev2, 64, H2H, s));
	OK(aclrtMemcpyAsync(dev, 64, dev2, 64, ANY, s));
	IS(aclrtMemcpyAsync(host, 64, host + 64, 64, D2D, s), 207000);
	IS(aclrtMemcpyAsync(host, 64, host + 64, 64, ANY, s), 207000);
	IS(aclrtMemcpyAsync(host, 64, host, 64, H2D, s), 207000);
	OK(aclrtMemcpyAsync(dev, 64, dev, 64, H2H, s));
	OK(aclrtMemcpyAsync(dev, 64, host, 64, BUF, s));
	IS(aclrtMemcpyAsync(dev, 64, dev2, 64, BUF, s), 107000);
	IS(aclrtMemcpyAsync(host, 64, dev, 64, BUF, s), 107000);
	IS(aclrtMemcpyAsync(dev, 64, host, 64, BUF, bound), 107000);
	OK(aclrtSynchronizeStream(s));
}

static void async_pageable(void)
{
	setup();
	OK(aclrtMemcpyAsync(dev, 64, pageable, 64, H2D, s));
	OK(aclrtMemcpyAsync(dev, 64, pageable, 64, D2D, s));
	OK(aclrtMemcpyAsync(dev, 64, pageable, 64, ANY, s));
	OK(aclrtMemcpyAsync(dev, 64, pageable, 64, BUF, s));
	IS(aclrtMemcpyAsync(dev, 64, pageable, 64, H2H, s), 107000);
	IS(aclrtMemcpyAsync(dev, 64, pageable, 64, D2H, s), 107000);
	OK(aclrtMemcpyAsync(pageable, 64, dev, 64, D2H, s));
	OK(aclrtMemcpyAsync(pageable, 64, dev, 64, D2D, s));
	OK(aclrtMemcpyAsync(pageable, 64, dev, 64, ANY, s));
	IS(aclrtMemcpyAsync(pageable, 64, dev, 64, H2H, s), 107000);
	IS(aclrtMemcpyAsync(pageable, 64, dev, 64, H2D, s), 107000);
	OK(aclrtSynchronizeStream(s));
}

/* Host to host is refused when it is called so; under another name that fits it is a copy all the same. */
static void async_inside_host(void)
{
	setup();
	memset(host, 'h', 64);
	IS(aclrtMemcpyAsync(pageable, 64, host, 64, H2H, s), 207000);
	IS(aclrtMemcpyAsync(pageable, 64, host, 64, ANY, s), 207000);
	IS(aclrtMemcpyAsync(pageable, 64, host, 64, D2H, s), 107000);
	IS(aclrtMemcpyAsync(pageable, 64, host, 64, D2D, s), 107000);
	OK(aclrtMemcpyAsync(pageable, 64, host, 64, H2D, s));
	IS(pageable[63], 'h');
	IS(aclrtMemcpyAsync(host, 64, pageable, 64, H2H, s), 207000);
	IS(aclrtMemcpyAsync(host, 64, pageable, 64, ANY, s), 207000);
	IS(aclrtMemcpyAsync(host, 64, pageable, 64, H2D, s), 107000);
	IS(aclrtMemcpyAsync(host, 64, pageable, 64, D2D, s), 107000);
	OK(aclrtMemcpyAsync(host, 64, pageable, 64, D2H, s));
	IS(aclrtMemcpyAsync(pageable, 64, pageable + 64, 64, H2H, s), 207000);
	IS(aclrtMemcpyAsync(pageable, 64, pageable + 64, 64, ANY, s), 207000);
	OK(aclrtMemcpyAsync(pageable, 64, pageable + 64, 64, H2D, s));
	OK(aclrtMemcpyAsync(pageable, 64, pageable + 64, 64, D2H, s));
	OK(aclrtMemcpyAsync(pageable, 64, pageable + 64, 64, D2D, s));
	IS(aclrtMemcpyAsync(pageable, 64, pageable, 64, H2H, s), 207000);
	OK(aclrtMemcpyAsync(pageable, 64, pageable, 64, H2D, s));
	OK(aclrtSynchronizeStream(s));
}

/* Only what a capture would have to wait for is refused by it. */
static void captured_copies(void)
{
	setup();
	begin_capture();
	IS(aclrtMemcpyAsync(dev, 64, pageable, 64, H2D, captured), V(107000, 107027));
	IS(aclrtMemcpyAsync(dev, 64, pageable, 64, H2H, captured), 107000);
	OK(aclrtMemcpyAsync(dev, 64, pageable, 64, D2D, captured));
	OK(aclmdlRIDestroy(end_capture()));
}

static void rectangles(void)
{
	setup();
	OK(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, H2D));
	OK(aclrtMemcpy2d(dev, 64, host, 64, 16, 4, D2H));
	OK(aclrtMemcpy2d(dev, 64, pageable, 64, 16, 4, ANY));
	IS(aclrtMemcpy2d(dev, 64, pageable, 64, 16, 4, D2H), 107000);
	IS(aclrtMemcpy2d(dev, 64, dev2, 64, 16, 4, H2D), 107000);
	IS(aclrtMemcpy2d(dev, 64, dev2, 64, 16, 4, ANY), 107000);
	IS(aclrtMemcpy2d(host, 64, host + 1024, 64, 16, 4, H2D), 107000);
	IS(aclrtMemcpy2d(pageable, 64, host, 64, 16, 4, ANY), 107000);
	OK(aclrtMemcpy2d(pageable, 64, host, 64, 16, 4, H2D));
	OK(aclrtMemcpy2dAsync(dev, 64, dev2, 64, 16, 4, H2D, s));
	OK(aclrtMemcpy2dAsync(dev, 64, dev2, 64, 16, 4, ANY, s));
	OK(aclrtMemcpy2dAsync(dev, 64, pageable, 64, 16, 4, ANY, s));
	IS(aclrtMemcpy2dAsync(dev, 64, pageable, 64, 16, 4, D2H, s), 107000);
	IS(aclrtMemcpy2dAsync(host, 64, host + 1024, 64, 16, 4, D2H, s), 107000);
	IS(aclrtMemcpy2dAsync(pageable, 64, host, 64, 16, 4, ANY, s), 107000);
	OK(aclrtMemcpy2dAsync(pageable, 64, host, 64, 16, 4, H2D, s));
	OK(aclrtSynchronizeStream(s));
}

static void rectangles_apart(void)
{
	IS(aclrtMemcpy2d(dev, 64, dev2, 64, 16, 4, H2D), 107002);
	IS(aclrtMemcpy2dAsync(host, 64, host + 1024, 64, 16, 4, D2H, NULL), 107000);
	IS(aclrtMemcpy2dAsync(dev, 64, dev2, 64, 16, 4, H2D, s), 107002);
}

static void rectangles_without_context(void)
{
	setup();
	without_context(rectangles_apart);
}

static const struct tap_case cases[] = {C(async_known), C(async_pageable), C(async_inside_host),
	C(captured_copies), C(rectangles), C(rectangles_without_context)};

ORACLE_MAIN(cases)
