/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of the paired tests.  A pair is a scenario that runs twice: with the bug it must give
 * its rule and no other primary finding of warning or worse, fixed it must give
 * none at all.  The same scenarios run in two ways:
 *
 *	paired.c	the checker alone: calls are fed to checks/ as events and return what the
 *			scenario says, so that functions and failures no software runtime has are
 *			tested as well
 *	real/real.c	as a program on the software runtime, under the preload library; a scenario
 *			counts when the real calls return what it says
 *
 *	static void stream_twice(void)
 *	{
 *		aclrtStream s = make_stream();
 *
 *		CALL(aclrtDestroyStream, .stream = s);
 *		if (bug)
 *			CALL(aclrtDestroyStream, .stream = s);
 *	}
 *	...
 *	PAIR("stream-double-destroy", stream_twice),
 */
#ifndef PAIRED_H
#define PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checks/checks.h"

/* Which of the two runs this is. */
extern bool bug;

struct pair {
	const char *rule;
	const char *name; /* of the scenario */
	void (*scenario)(void);
	/* Or one call, with and without the bug. */
	unsigned api;
	const void *bad_args, *good_args;
	unsigned args_size;
	int target; /* enum acl_cann + 1, 0 = documents */
	const char *also; /* other rules that the bug breaks as well, a space between */
	bool bare; /* without aclInit and aclrtSetDevice before */
	const char *soc; /* product to check for */
	const char *visible[2]; /* ASCEND_RT_VISIBLE_DEVICES of the bug, and fixed */
	bool avoids; /* fixed, the program no longer makes the call the rule is about */
	bool on; /* the rule is off by default and switched on */
	/* The scenario runs with each function of an operation: with PAIR_EACH, see CALL_EACH. */
	bool each;
	uint16_t operation; /* enum acl_operation */
	uint16_t role; /* only those that have an argument of it, 0 = all */
	enum { PAIR_ANY_MODE, PAIR_IF_ASYNC, PAIR_IF_NOT_ASYNC } mode;
};

#define PAIR(id, function)                                                                                   \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function                                          \
	}
#define PAIR_ALSO(id, function, other)                                                                       \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, .also = other                           \
	}
#define PAIR_BARE(id, function)                                                                              \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, .bare = true                            \
	}
#define PAIR_FOR(id, function, release)                                                                      \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, .target = (release) + 1                 \
	}
/* Fixed, the program stays away from what the rule is about. */
#define PAIR_AVOIDS(id, function)                                                                            \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, .avoids = true                          \
	}
/* PAIR_CALL("alloc-size-zero", aclrtMalloc, (.devPtr = OUT, .size = 0), (.devPtr = OUT, .size = 64)) */
#define PAIR_CALL(id, function, bad, good)                                                                   \
	{                                                                                                    \
		.rule = id, .api = ACL_API_##function, .args_size = sizeof(struct acl_args_##function),      \
		.bad_args = &(const struct acl_args_##function){PAIR_PLAIN bad},                             \
		.good_args = &(const struct acl_args_##function)                                             \
		{                                                                                            \
			PAIR_PLAIN good                                                                      \
		}                                                                                            \
	}
/* The same for a good call for which the rule is not evaluated. */
#define PAIR_CALL_AVOIDS(id, function, bad, good)                                                            \
	{                                                                                                    \
		.rule = id, .api = ACL_API_##function, .args_size = sizeof(struct acl_args_##function),      \
		.bad_args = &(const struct acl_args_##function){PAIR_PLAIN bad},                             \
		.good_args = &(const struct acl_args_##function){PAIR_PLAIN good}, .avoids = true            \
	}
#define PAIR_CALL_ALSO(id, function, other, bad, good)                                                       \
	{                                                                                                    \
		.rule = id, .api = ACL_API_##function, .args_size = sizeof(struct acl_args_##function),      \
		.bad_args = &(const struct acl_args_##function){PAIR_PLAIN bad},                             \
		.good_args = &(const struct acl_args_##function){PAIR_PLAIN good}, .also = other             \
	}
#define PAIR_CALL_ON(id, product, function, bad, good)                                                       \
	{                                                                                                    \
		.rule = id, .api = ACL_API_##function, .args_size = sizeof(struct acl_args_##function),      \
		.bad_args = &(const struct acl_args_##function){PAIR_PLAIN bad},                             \
		.good_args = &(const struct acl_args_##function){PAIR_PLAIN good}, .soc = product            \
	}
#define PAIR_WITH(id, function, ...)                                                                         \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, __VA_ARGS__                             \
	}
#define PAIR_PLAIN(...) __VA_ARGS__
/*
 * The scenario once with each function of an operation (PAIR_EACH("rule", scenario, RECORD_EVENT)): what it
 * calls by CALL_EACH(result, ROLE(EVENT, e), ROLE(STREAM, s)) is that function, with the arguments that it
 * has of those roles.
 */
#define PAIR_EACH(id, function, leaf, ...)                                                                   \
	{                                                                                                    \
		.rule = id, .name = #function, .scenario = function, .each = true,                           \
		.operation = ACL_OP_##leaf, ##__VA_ARGS__                                                    \
	}
#define CALL_EACH(code, ...)                                                                                 \
	pair_call(code, (const struct pair_role[]){__VA_ARGS__},                                             \
		sizeof((const struct pair_role[]){__VA_ARGS__}) / sizeof(struct pair_role), __LINE__)
#define ROLE(name, argument)                                                                                 \
	{                                                                                                    \
		ACL_ROLE_##name, (uint64_t)(argument)                                                        \
	}
struct pair_role {
	unsigned role; /* enum acl_role */
	uint64_t value;
};
extern unsigned pair_function; /* enum acl_api of this run */
void pair_call(int64_t result, const struct pair_role *roles, size_t n, unsigned line);
/* For the frames. */
void pair_functions_use(const struct pair *t);
struct pair *pairs_with_functions(const struct pair *pairs, size_t *n);

/* Call sites are lines of the scenarios; what the frame calls lies elsewhere. */
#ifndef SITES
#define SITES 0
#endif

/* One call that returns `code`; `between` does what the real function would, when there is none. */
#define CALL_DOES(function, code, between, ...)                                                              \
	do {                                                                                                 \
		struct acl_args_##function args_ = {__VA_ARGS__};                                            \
		struct acl_call_record ev_;                                                                  \
		if (pair_enter(&ev_, ACL_API_##function, &args_, SITES + __LINE__)) {                        \
			between;                                                                             \
		}                                                                                            \
		pair_leave(&ev_, code);                                                                      \
	} while (0)
#define CALL(function, ...) CALL_DOES(function, 0, (void)0, __VA_ARGS__)
#define CALL_FAILS(code, function, ...) CALL_DOES(function, code, (void)0, __VA_ARGS__)

/* Whether the scenario must play the real function itself. */
bool pair_enter(struct acl_call_record *ev, unsigned api, const void *args, unsigned line);
void pair_leave(struct acl_call_record *ev, int64_t result);
/* From here on calls come from another thread (0 = the first). */
void pair_thread(unsigned number);
/* From here on calls come out of a callback of the runtime. */
void pair_callback(unsigned depth);
/* The same by kind: what the function `api` launched or registered begins with its argument, or ends. */
void pair_callback_begin(unsigned api, const void *argument);
void pair_callback_end(unsigned api, const void *argument);
/* What was launched as HANDLE has begun: a runtime is waited for. */
void pair_launched_begins(void);
/* The process has other ways to the objects as well (by default it has none). */
void pair_unseen(enum checks_other_submitter what);
/* Another process does so with what the key is of: what a replay of both knows. */
void pair_news(const struct checks_peer_news *news);
#define PEER(did, ...)                                                                                       \
	pair_news(&(const struct checks_peer_news){.act = CHECKS_PEER_##did, .who = "rank 1", __VA_ARGS__})
static inline void pair_peer(enum checks_peer_act act, const char *key)
{
	pair_news(&(const struct checks_peer_news){.act = act, .key = key, .who = "rank 1"});
}
/* What a scenario relies on and the runtime need not do; the checker alone has it always. */
void pair_assume(bool holds, const char *what);
/* The process ends inside the scenario: the last thing it does. */
void pair_exit(void);
int32_t pair_pid(void);
/* Full path of a kernel binary; "add.o" is there as well. */
const char *pair_file(void);
/* What another process shares: 1 MiB on a device, a notify, physical memory. */
const char *pair_memory_key(int32_t device);
const char *pair_notify_key(void);
uint64_t pair_shareable(void);
uint64_t pair_thread_id(unsigned number); /* what pthread_self() is there */
uint64_t pair_thread_number(unsigned number); /* what gettid() is there */

/* Where things the program made lie; nothing is ever read there. */
aclrtStream make_stream(void);
aclrtStream make_stream_flags(uint32_t flags);
aclrtEvent make_event(void);
aclrtEvent make_event_ex(uint32_t flags);
void callback_ran(void); /* one that has nothing to do with the scenario, and is over */
aclrtEvent make_event_flag(uint32_t flags);
aclrtContext make_context(void);
void *make_device_memory(size_t bytes);
void *make_host_memory(size_t bytes);
aclrtFuncHandle make_function(void);
/* Mode RELAXED. */
void capture_begin(aclrtStream s);
aclmdlRI capture_end(aclrtStream s);
/* The second stream takes part in the capture of the first, or is joined back. */
void capture_join(aclrtStream s, aclrtStream other);
/* What is submitted next cannot be over at once. */
void make_busy(aclrtStream stream);
/* For what plays a real function: a new handle, a new range of addresses. */
void *make_address(void);
void *make_range(size_t bytes, bool device);

#define LUCKY_BYTES 4008
extern char *lucky_block; /* of malloc, that long, and aligned to 64 bytes by luck */
extern char heap_memory[1 << 16]; /* the program's own, known as heap; aligned to a page */
extern void *answer[64]; /* somewhere for an answer */
#define OUT ((void *)answer)
/*
 * Dummies for arguments the rule does not look at.  To the checker alone they
 * are an unknown address and handle; on the runtime memory, an object of
 * the kind or a function stands in for them where they are arguments themselves.
 */
#define DEVICE ((void *)0x12c0ffff0000)
#define OTHER ((void *)0x12c0ffff8000)
#define HOST ((void *)0x7e0ffffff0000) /* page-locked */
#define HANDLE ((void *)0x5400000000)

int pairs_run(const char *name, const struct pair *pairs, size_t n, int argc, char **argv);
#define PAIRS_MAIN(name, pairs)                                                                              \
	int main(int argc, char **argv)                                                                      \
	{                                                                                                    \
		size_t n = sizeof(pairs) / sizeof((pairs)[0]);                                               \
		const struct pair *all = pairs_with_functions(pairs, &n);                                    \
                                                                                                             \
		return pairs_run(name, all, n, argc, argv);                                                  \
	}

#endif
