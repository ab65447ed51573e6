/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checker without a process around it: tests play the program and the
 * runtime, one call after the other, and look at what was found.
 *
 *	CALL(rig, aclrtMalloc, 0, .devPtr = &d, .size = 4096);
 *	want(rig, "async-copy-alignment:error");
 *
 * Every CALL is a site of its own (its line); the result is the runtime's, the
 * out parameters are set by the test before.
 */
#ifndef TESTS_CHECKS_RIG_H
#define TESTS_CHECKS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checks/checks.h"

struct rig {
	struct checks *checks;
	uint32_t tid;
	uint32_t module;
	bool in_exit, missing, inside;
	bool no_memory; /* the tables get no more */
	uint32_t dead_thread; /* it ended in the middle of its call */
	enum acl_host_class class; /* answer for addresses no table knows */
	unsigned n_found, n_seen; /* seen: already looked at by want() */
	struct {
		char what[96]; /* "rule:severity", "rule:advice", "rule:severity*" when secondary */
		char detail[640];
		uint64_t repeat;
		unsigned n_values, n_objects;
	} found[64];
};

/* target: enum acl_cann or CHECKS_TARGET_…; the caller frees nothing, the process ends soon. */
struct rig *rig_new(int target);
/* aclInit and SetDevice(0) done. */
struct rig *rig_ready(int target);
void rig_call(struct rig *rig, unsigned api, void *args, int64_t result, unsigned line);

#define CALL(rig, function, error, ...)                                                                      \
	do {                                                                                                 \
		struct acl_args_##function args_ = {__VA_ARGS__};                                            \
		rig_call(rig, ACL_API_##function, &args_, error, __LINE__);                                  \
	} while (0)

/* Exactly these findings came since the last want(), in any order; secondary ones are left out unless named.
 */
void want(struct rig *rig, const char *list);
#define silent(rig) want(rig, "")
/* The rule has not spoken at all, neither as a finding nor as advice. */
void never(const struct rig *rig, const char *rule);
/* How often a rule was put to the test. */
uint64_t rig_asked(const struct rig *rig, const char *rule);

/* Made-up handles and addresses. */
void *handle(unsigned n);
#define DEVICE_MEMORY 0x120000000000ul
#define HOST_MEMORY 0x7f0000000000ul

void *rig_malloc(struct rig *rig, uint64_t address, uint64_t size);
void *rig_malloc_host(struct rig *rig, uint64_t address, uint64_t size);
void *rig_stream(struct rig *rig, unsigned n);
void *rig_event(struct rig *rig, unsigned n, unsigned flag);

#endif
