/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A checker without a process around it: tests play the program and the
 * runtime, one call after the other, and look at what was found.
 *
 *	CALL(fixture, aclrtMalloc, 0, .devPtr = &d, .size = 4096);
 *	want(fixture, "async-copy-alignment:error");
 *
 * Every CALL is a call site of its own (its line); the result is the runtime's,
 * the out parameters are set by the test before.  The paired tests
 * (tests/paired) run on the same fixture and bring a CALL of their own.
 */
#ifndef TESTS_CHECKS_FIXTURE_H
#define TESTS_CHECKS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "checks/checks.h"

#define FIXTURE_FINDINGS 64
#define FIXTURE_REGIONS 256
#define FIXTURE_SITES 256
#define FIXTURE_THREADS 64

/* A finding, copied while its pointer was valid. */
struct fixture_finding {
	char what[96]; /* "rule:severity", "rule:advice", "rule:severity*" when secondary */
	char detail[640];
	char text[2048]; /* all it says, see fixture_text.c */
	const struct acl_rule *rule;
	uint8_t severity;
	bool advice, secondary, explains, at_leave;
	uint64_t repeat, serial;
	unsigned n_values, n_objects;
};

struct fixture {
	struct checks *checks;
	/* The next call's. */
	uint32_t tid, module;
	uint64_t pthread_id; /* of the thread tid; 0: one that no other thread has */
	uint16_t callback_depth;
	bool in_exit, in_exit_handlers, missing, inside;
	unsigned n_threads;
	struct {
		uint32_t tid;
		void *record; /* the checker's, from the thread's first call on */
	} threads[FIXTURE_THREADS];
	bool deep; /* there is room for deep calls */
	uint64_t running; /* call site of the call the checker is in, 0 = none */
	/* The process. */
	uint32_t pid;
	uint64_t other_code; /* from there on it is another module's, 0 = nowhere */
	uint32_t dead_thread; /* it ended in the middle of its call */
	uint32_t other_ways; /* bit i: enum checks_other_submitter i may happen where we do not see it */
	uint64_t memory_total;
	const char *heap; /* addresses in it are heap, … */
	size_t heap_bytes;
	const char *block; /* a block of malloc that is aligned by luck */
	size_t block_bytes;
	bool libc_everywhere; /* it may have mapped the addresses of the device, too */
	uint64_t mapping; /* … which mapping of a shared file any address lies in */
	enum acl_host_class class; /* … and this is the answer for others no table knows */
	uint64_t place; /* what makes findings others than those of the same call site elsewhere */
	_Atomic uint32_t places; /* 0: place is 0 */
	unsigned n_placed; /* findings counted at it */
	/* What is in the program's memory: all of it may be read but this. */
	uintptr_t wild, wild_bytes, page_end; /* page_end: nor does the page that begins here */
	/* What the tables got. */
	bool no_memory; /* they get no more */
	unsigned n_memory,
		refused; /* how often they wanted some; from which time on they get none, 0 = never */
	bool refused_once; /* only that time */
	char *arena;
	size_t bytes;
	unsigned n_regions;
	struct {
		void *at;
		size_t bytes;
	} regions[FIXTURE_REGIONS]; /* the first of them */
	int image; /* file with the tables as they were kept; -1 = none */
	char *image_bytes;
	struct fixture *kept;
	/* Call sites in the order of their first call, so that texts need no line numbers. */
	unsigned n_sites;
	uint64_t sites[FIXTURE_SITES];
	/* What came out. */
	unsigned n_found, n_seen; /* seen: already looked at by want() */
	struct fixture_finding found[FIXTURE_FINDINGS];
};

/* One thread, module 1, process 1, unknown addresses are heap; fixture_free when the memory is to be used
 * again.
 */
struct fixture *fixture_with(const struct checks_config *config);
struct fixture *fixture_new(int target);
/* The same where all that hooks wait for has happened: plans have all of them. */
struct fixture *fixture_with_all_hooks(void);
/* aclInit and SetDevice(0) done. */
struct fixture *fixture_ready(int target);
void fixture_free(struct fixture *fixture);
/* The tables get no more memory, and have no room left. */
void fixture_use_up_memory(struct fixture *fixture);
/* The program keeps what is found by itself, and not in a file of the fixture's (fixture.c). */
void fixture_unrecorded(void);
/* The same, but how often each rule was evaluated is kept (fixture_rules.c). */
void fixture_counts_only(void);
/* The state now is the one fixture_again() goes back to: a hundred times cheaper than a new checker. */
void fixture_keep(struct fixture *fixture);
void fixture_again(struct fixture *fixture);

/* The two halves of a call, and both at once. */
void fixture_enter(
	struct fixture *fixture, struct acl_call_record *call, unsigned api, const void *args, unsigned line);
void fixture_leave(struct fixture *fixture, struct acl_call_record *call, int64_t result);
void fixture_call(struct fixture *fixture, unsigned api, void *args, int64_t result, unsigned line);
/* What the function `api` launched or registered begins with its argument, or ends, on the present thread. */
void fixture_callback(struct fixture *fixture, unsigned api, const void *argument, bool begins);
/* What the program says of itself; why it is refused, NULL: it is not. */
const char *fixture_annotate(struct fixture *fixture, unsigned annotation, const void *args, unsigned line);
/* What pthread_self() is on the thread. */
uint64_t fixture_pthread(uint32_t tid);

/* Call sites are lines of the tests; what the fixture itself calls lies elsewhere. */
#ifndef SITES
#define SITES 0
#endif

/* SAY(fixture, BLOCK, .address = p, .bytes = 64): an annotation. */
#define SAY(fixture, what, ...)                                                                              \
	({                                                                                                   \
		struct acl_args_ACLCHECK_##what args_ = {__VA_ARGS__};                                       \
		fixture_annotate(fixture, ACL_ANNOTATION_##what, &args_, SITES + __LINE__);                  \
	})

#ifndef CALL
#define CALL(fixture, function, error, ...)                                                                  \
	do {                                                                                                 \
		struct acl_args_##function args_ = {__VA_ARGS__};                                            \
		fixture_call(fixture, ACL_API_##function, &args_, error, SITES + __LINE__);                  \
	} while (0)
#endif

/* Exactly these findings came since the last want(), in any order; secondary ones are left out unless named.
 */
void want(struct fixture *fixture, const char *list);
#define silent(fixture) want(fixture, "")
/* The rule has not spoken at all, neither as a finding nor as advice. */
void never(const struct fixture *fixture, const char *rule);
/* How often a rule was evaluated. */
uint64_t fixture_count(const struct fixture *fixture, const char *rule);
/* The same of all rules and all checkers of the program, compared with the file, or written into it; once, in
 * the end. */
bool fixture_rules_compare(const char *path, bool writing);

/* fixture_text.c: all that a finding says, in lines that hold no line number and no address of this process.
 */
void fixture_text(struct fixture *fixture, const struct acl_finding *finding, char *out, size_t size);

/* Made-up handles and addresses. */
void *handle(unsigned n);
#define DEVICE_MEMORY 0x120000000000ul
#define HOST_MEMORY 0x7f0000000000ul

void *fixture_malloc(struct fixture *fixture, uint64_t address, uint64_t size);
void *fixture_malloc_host(struct fixture *fixture, uint64_t address, uint64_t size);
void *fixture_stream(struct fixture *fixture, unsigned n);
void *fixture_event(struct fixture *fixture, unsigned n, unsigned flag);

#endif
