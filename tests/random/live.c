/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs on a real runtime, under the preload library.
 *
 *	live right NUMBER SEED	so many programs that break no rule, two at a time, each by threads of
 *				its own; ends with 1 when a call failed
 *	live changed SEED	one with a change, up to the first step that breaks a rule; prints the
 *				rules of that step, one a line
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "checks/checks.h"
#include "order_model.h"
#include "play.h"

int64_t test_invoke(unsigned api, const void *args);

/* --- threads that make the calls they get ----------------------------------------------------- */

struct game;

struct worker {
	struct game *game;
	pthread_t thread;
	sem_t ready, made;
	unsigned api;
	void *args; /* NULL: no more */
};

struct game {
	struct worker worker[THREADS];
	unsigned failed;
};

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore) && errno == EINTR)
		;
}

/* Queries are repeated until the answer is what the program waits for. */
static bool is_answered(unsigned api, const void *args)
{
	switch (api) {
	case ACL_API_aclrtStreamQuery:
		return *((const struct acl_args_aclrtStreamQuery *)args)->status ==
		       ACL_STREAM_STATUS_COMPLETE;
	case ACL_API_aclrtQueryEventStatus:
		return *((const struct acl_args_aclrtQueryEventStatus *)args)->status ==
		       ACL_EVENT_RECORDED_STATUS_COMPLETE;
	}
	return true;
}

static void *worker_run(void *argument)
{
	struct worker *w = argument;

	w->game->failed += aclrtSetDevice(0) != ACL_SUCCESS;
	sem_post(&w->made);
	for (;;) {
		wait_for(&w->ready);
		if (!w->args)
			break;
		for (;;) {
			bool failed = test_invoke(w->api, w->args) != ACL_SUCCESS;

			w->game->failed += failed;
			if (failed || is_answered(w->api, w->args))
				break;
			sched_yield();
		}
		sem_post(&w->made);
	}
	w->game->failed += aclrtResetDevice(0) != ACL_SUCCESS;
	return NULL;
}

static void runtime_call(void *context, unsigned thread, unsigned api, void *args)
{
	struct worker *w = &((struct game *)context)->worker[thread];

	w->api = api;
	w->args = args;
	sem_post(&w->ready);
	wait_for(&w->made);
}

static void game_begin(struct game *g)
{
	memset(g, 0, sizeof(*g));
	for (unsigned i = 0; i < THREADS; i++) {
		struct worker *w = &g->worker[i];

		w->game = g;
		sem_init(&w->ready, 0, 0);
		sem_init(&w->made, 0, 0);
		if (pthread_create(&w->thread, NULL, worker_run, w))
			abort();
		wait_for(&w->made);
	}
}

static void game_end(struct game *g)
{
	for (unsigned i = 0; i < THREADS; i++) {
		struct worker *w = &g->worker[i];

		w->args = NULL;
		sem_post(&w->ready);
		pthread_join(w->thread, NULL);
		sem_destroy(&w->ready);
		sem_destroy(&w->made);
	}
}

/* No thread may wait for a device while one of its streams is being captured, and both halves use the same.
 */
static pthread_mutex_t one_device = PTHREAD_MUTEX_INITIALIZER;

static void step_play(struct play *play, const struct step *s)
{
	bool alone = s->kind == STEP_CAPTURE || s->kind == STEP_SYNC_DEVICE;

	if (alone)
		pthread_mutex_lock(&one_device);
	play_step(play, s);
	if (alone)
		pthread_mutex_unlock(&one_device);
}

static void program_play(struct game *g, const struct program *p, unsigned steps)
{
	struct play play = {.call = runtime_call, .context = g};

	play_begin(&play);
	for (unsigned i = 0; i < steps; i++)
		step_play(&play, &p->step[i]);
	pthread_mutex_lock(&one_device);
	play_end(&play);
	pthread_mutex_unlock(&one_device);
}

/* --- right ones ------------------------------------------------------------------------------------ */

struct many {
	pthread_t thread;
	uint64_t seed;
	unsigned long number, failed;
};

/* The generator keeps its place in static memory. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static void *many_run(void *argument)
{
	struct many *m = argument;
	struct program p;
	struct game g;

	game_begin(&g);
	for (unsigned long i = 0; i < m->number; i++) {
		pthread_mutex_lock(&making);
		program_make(&p, m->seed + i);
		pthread_mutex_unlock(&making);
		program_play(&g, &p, p.n);
	}
	game_end(&g);
	m->failed = g.failed;
	return NULL;
}

static int right(unsigned long number, uint64_t seed)
{
	struct many half[2] = {{.seed = seed, .number = number / 2},
		{.seed = seed + number / 2, .number = number - number / 2}};

	for (unsigned i = 0; i < 2; i++)
		if (pthread_create(&half[i].thread, NULL, many_run, &half[i]))
			abort();
	for (unsigned i = 0; i < 2; i++)
		pthread_join(half[i].thread, NULL);
	printf("%lu programs, %lu calls failed\n", number, half[0].failed + half[1].failed);
	return half[0].failed + half[1].failed != 0;
}

/* --- changed ones ------------------------------------------------------------------------------------- */

static int changed(uint64_t seed)
{
	struct chance chance = {~seed};
	struct program p;
	struct game g;
	unsigned rules, at;

	program_make(&p, seed);
	program_change(&p, &chance);
	at = model_first_broken(&p, &rules);
	for (unsigned i = 0; i < BROKEN_RULES; i++)
		if (rules & 1u << i)
			puts(broken_rules[i]);
	game_begin(&g);
	program_play(&g, &p, rules && rules != BROKEN_UNKNOWN ? at + 1 : at);
	game_end(&g);
	return 0;
}

int main(int argc, char **argv)
{
	int ended = 2;

	if (argc < 3 || aclInit(NULL))
		return 2;
	if (!strcmp(argv[1], "right") && argc > 3)
		ended = right(strtoul(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	else if (!strcmp(argv[1], "changed"))
		ended = changed(strtoull(argv[2], NULL, 10));
	fflush(stdout);
	return aclFinalize() ? 2 : ended;
}
