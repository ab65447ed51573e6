/* SPDX-License-Identifier: Apache-2.0 */
/* A random program's steps as calls of the API, whoever makes them. */
#ifndef TESTS_RANDOM_PLAY_H
#define TESTS_RANDOM_PLAY_H

#include "step.h"

/* Makes one call of a function (enum acl_api), its arguments as in struct acl_args_…, on the program's
 * thread. */
typedef void (*play_call_fn)(void *context, unsigned thread, unsigned api, void *args);

struct play {
	play_call_fn call;
	void *context;
	void *stream[STREAMS], *event[EVENTS], *block[BLOCKS]; /* NULL: freed */
	void *freed[BLOCKS]; /* where the last one lay */
	void *model[MODELS]; /* NULL: it does not live */
};

/* The objects; the rest of what play holds is the caller's. */
void play_begin(struct play *play);
void play_step(struct play *play, const struct step *s);
/* Waits for all, and gives everything back. */
void play_end(struct play *play);

#endif
