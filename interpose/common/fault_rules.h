/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults that the user asks for (ACLCHECK_INJECT): which calls are to fail, or to take longer.
 *
 *	aclrtMalloc:when=3:error=207001;aclrtMemcpyAsync:p=0.01:seed=7:error=507899;aclrtSynchronizeStream:delay=50ms
 *
 * Function (may end in *), then keys; of the calls that a fault speaks of the first fault that chooses one
 * decides. when=N the Nth, when=N+ from the Nth on; p= with seed= by chance, the same in each run; at= those
 * from a function, a file, a file#line or a module+0xoffset (as reports have it), of the nearest Python
 * code or of what calls the runtime (twice: both must fit); thread= main, other, or a thread's name (may
 * end in *).
 */
#ifndef INTERPOSE_FAULT_RULES_H
#define INTERPOSE_FAULT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAULT_RULES 32
#define FAULT_WORD 128
#define FAULT_PLACES 2

struct fault_rule {
	char text[256]; /* as the user wrote it */
	char function[FAULT_WORD], at[FAULT_PLACES][FAULT_WORD], thread[FAULT_WORD]; /* "" = any */
	uint64_t from; /* 0 = each call */
	bool onwards;
	bool by_chance;
	uint64_t chance, seed; /* chance: of 2^64 */
	int32_t error; /* 0 = the call is forwarded */
	bool watch; /* nothing is changed: the places are listed */
	uint64_t delay_ns;
};

struct fault_rules {
	unsigned n;
	struct fault_rule rule[FAULT_RULES];
};

/*
 * Reads a list. NULL, or what is wrong with its part *bad of *len characters, to be read after it; then out
 * has no rule.
 */
const char *fault_rules_parse(const char *list, struct fault_rules *out, const char **bad, size_t *len);

bool fault_is_about(const struct fault_rule *rule, unsigned api);
/* The nth call (1, 2 …) of those that a rule speaks of: is it chosen? */
bool fault_chooses(const struct fault_rule *rule, uint64_t nth);
/* Text with a * at its end, or exactly. */
bool fault_word_matches(const char *pattern, const char *word);

#endif
