/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs: a list of steps over a few streams, events and blocks of
 * memory, made by several threads one after the other.  A seed says all of one.
 */
#ifndef TESTS_RANDOM_STEP_H
#define TESTS_RANDOM_STEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STREAMS 4
#define EVENTS 4
#define DEVICE_BLOCKS 4
#define BLOCKS 6 /* the others are page-locked memory of the host */
#define MODELS 2
#define THREADS 3
#define UNITS 16 /* of a block */
#define UNIT 64 /* bytes */
#define STEPS_MAX 96

enum step_kind {
	STEP_COPY, /* on a stream */
	STEP_COPY_ROWS, /* the same in rows of one unit, two units apart */
	STEP_SET, /* on a stream */
	STEP_RECORD,
	STEP_WAIT,
	STEP_SYNC_STREAM,
	STEP_SYNC_EVENT,
	STEP_SYNC_DEVICE,
	STEP_QUERY_STREAM, /* repeated until the answer is: done */
	STEP_QUERY_EVENT,
	STEP_COPY_NOW, /* by the calling thread, waits for no stream */
	STEP_FREE,
	STEP_ALLOCATE, /* and set to zero */
	STEP_CAPTURE, /* a model of a copy, and then a set, both on the stream; where the model lives, nothing
		       */
	STEP_REPLAY, /* on a stream; of a model that does not live, nothing */
	STEP_DESTROY, /* of a model that lives */
	STEP_KINDS
};

struct step {
	uint8_t kind; /* enum step_kind */
	uint8_t thread, stream, event;
	uint8_t dst, src; /* blocks */
	uint8_t dst_at, src_at, units; /* in units; of STEP_COPY_ROWS: units is the number of rows */
	uint8_t model;
	uint8_t set, set_at,
		set_units; /* of STEP_CAPTURE: the block that is set behind the copy, and where */
	uint8_t spelling; /* which of the functions that do the same */
};

struct program {
	uint64_t seed;
	unsigned n;
	struct step step[STEPS_MAX];
};

struct chance {
	uint64_t state;
};

/* A number below n > 0. */
unsigned chance_below(struct chance *chance, unsigned n);

/* A program that breaks no rule, by the model of order_model.h. */
void program_make(struct program *p, uint64_t seed);
/* One change: a step is dropped, moved ahead, or swapped with the next one. */
void program_change(struct program *p, struct chance *chance);
void program_drop(struct program *p, unsigned at);
/* In words, one step a line, each behind "# ". */
void program_print(const struct program *p);

/* It runs on a stream and uses memory. */
static inline bool step_is_task(unsigned kind)
{
	return kind <= STEP_SET || kind == STEP_REPLAY;
}

static inline bool block_is_host(unsigned block)
{
	return block >= DEVICE_BLOCKS;
}

#endif
