/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a checker must say of a random program, found without one: each step is
 * a node for the calling thread, and one for the task that it submits; what
 * comes before what is found by walking back over all edges.  Shares no code
 * with checks/.
 */
#ifndef TESTS_RANDOM_ORDER_MODEL_H
#define TESTS_RANDOM_ORDER_MODEL_H

#include "step.h"

#define NODES (2 * STEPS_MAX + 2)
#define EDGES (STREAMS + 2)
#define TOUCHED 3 /* by one task: a model has a copy and a set */

/* Rules that a step may break, as bits. */
enum broken {
	BROKEN_RACE_COPY = 1u << 0,
	BROKEN_RACE_SET = 1u << 1,
	BROKEN_USE_BEFORE_SYNC = 1u << 2,
	BROKEN_FREE_IN_FLIGHT = 1u << 3,
	BROKEN_HOST_FREE_IN_FLIGHT = 1u << 4,
	BROKEN_USE_AFTER_FREE = 1u << 5,
	BROKEN_DOUBLE_FREE = 1u << 6,
	BROKEN_WAIT_UNRECORDED = 1u << 7,
	BROKEN_SYNC_UNRECORDED = 1u << 8,
	BROKEN_CAPTURED_FREED = 1u << 9,
	BROKEN_CAPTURED_HOST_FREED = 1u << 10,
	BROKEN_CONCURRENT = 1u << 11, /* advice */
	BROKEN_DESTROY_RUNNING = 1u << 12, /* advice */
	/* No rule: host memory that was freed may be the program's again, and a copy of it done at once; a
	 * query of an event without a record may never say: done. Nothing is known of what follows. */
	BROKEN_UNKNOWN = 1u << 13
};
#define BROKEN_RULES 13
extern const char *const broken_rules[BROKEN_RULES]; /* ids, by bit */

struct touched {
	uint8_t block, at, units; /* rows: the first row, and how many, two units apart */
	bool rows, writes, sets;
	uint32_t life; /* of the block: how often it was allocated before */
};

struct model {
	unsigned n; /* nodes */
	int before[NODES][EDGES]; /* nodes that come right before; -1: none */
	int stream[NODES]; /* -1: of the calling threads */
	struct touched touched[NODES][TOUCHED]; /* units 0: nothing */
	int executes[NODES]; /* the life of a model, -1 = none */
	int host; /* the last node of the threads: one makes its step after the other */
	int last[STREAMS], record[EVENTS]; /* node, -1 = none */
	bool alive[BLOCKS];
	uint32_t life[BLOCKS];
	int graphs; /* captured so far */
	struct {
		int number; /* which of them it is, -1 = it does not live */
		struct touched touched[TOUCHED];
	} graph[MODELS];
};

void model_begin(struct model *m);
/* The step is made: the rules it breaks, any of which may be said; 0 = none.  *other: a stream with a task it
 * collides with, -1 = none. */
unsigned model_step(struct model *m, const struct step *s, int *other);
/* The first step that breaks a rule, p->n when none does. */
unsigned model_first_broken(const struct program *p, unsigned *rules);

#endif
