/* SPDX-License-Identifier: Apache-2.0 */
/* The stage on which the sinks are tested without the library around them. */
#ifndef TESTS_REPORT_HOST_H
#define TESTS_REPORT_HOST_H

#include "checks/checks.h"

struct test_host {
	uint64_t ips[32];
	unsigned n_ips;
	struct checks_totals totals;
	struct checks_site sites[8];
	unsigned n_sites;
};

extern struct test_host test_host;

/* The checker the sinks are given: never looked into. */
#define TEST_CHECKS ((struct checks *)&test_host)

#endif
