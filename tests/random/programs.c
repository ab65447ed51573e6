/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs fed to the checker: what breaks no rule stays silent, and of
 * one with a change the first finding is at the step, and of the rule, that the
 * model of order_model.h says.
 *
 *	programs [NUMBER [SEED]]	so many programs, each right and changed (default: 3000 from 1)
 *
 * A failure is printed with its seed, made as short as it gets; `programs 1 SEED`
 * plays it again.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order_model.h"
#include "play.h"
#include "tests/checks/fixture.h"

#define CHANGES 4 /* of each program */

/* --- the checker plays ------------------------------------------------------------------------ */

struct game {
	struct fixture *fixture;
	unsigned line;
	uint64_t places; /* handed out */
};

static void hand_out(void **out, struct game *g, uint64_t base, uint64_t bytes)
{
	*out = (void *)(base + g->places * bytes);
	g->places++;
}

/* What the runtime would: handles and memory. */
static void answer(struct game *g, unsigned api, void *args)
{
	switch (api) {
	case ACL_API_aclrtCreateStream:
		hand_out(((struct acl_args_aclrtCreateStream *)args)->stream, g, 0x55550000, 64);
		break;
	case ACL_API_aclrtCreateEvent:
		hand_out(((struct acl_args_aclrtCreateEvent *)args)->event, g, 0x66660000, 64);
		break;
	case ACL_API_aclmdlRICaptureEnd:
		hand_out(((struct acl_args_aclmdlRICaptureEnd *)args)->modelRI, g, 0x77770000, 64);
		break;
	case ACL_API_aclrtMalloc:
		hand_out(((struct acl_args_aclrtMalloc *)args)->devPtr, g, DEVICE_MEMORY, 4096);
		break;
	case ACL_API_aclrtMallocHost:
		hand_out(((struct acl_args_aclrtMallocHost *)args)->hostPtr, g, HOST_MEMORY, 4096);
		break;
	}
}

static void checker_call(void *context, unsigned thread, unsigned api, void *args)
{
	struct game *g = context;
	struct acl_call_record call;

	g->fixture->tid = 1 + thread;
	fixture_enter(g->fixture, &call, api, args, g->line);
	answer(g, api, args);
	fixture_leave(g->fixture, &call, 0);
}

/* The first finding that a user would see, after those already looked at; NULL = none. */
static const struct fixture_finding *finding_next(const struct fixture *f)
{
	for (unsigned i = f->n_seen; i < f->n_found; i++)
		if (!f->found[i].secondary)
			return &f->found[i];
	return NULL;
}

/* Plays it up to the first finding; where that was (p->n: after all steps, p->n + 1: none). */
static unsigned program_play(struct fixture *f, const struct program *p, const struct fixture_finding **found)
{
	struct game g = {.fixture = f, .line = 1};
	struct play play = {.call = checker_call, .context = &g};
	unsigned i;

	fixture_again(f);
	play_begin(&play);
	*found = finding_next(f);
	for (i = 0; i < p->n && !*found; i++) {
		g.line = 100 + i;
		play_step(&play, &p->step[i]);
		*found = finding_next(f);
	}
	if (*found)
		return i ? i - 1 : 0;
	play_end(&play);
	*found = finding_next(f);
	return *found ? p->n : p->n + 1;
}

/* --- what is wanted ------------------------------------------------------------------------------- */

/* Whether the finding is of one of the rules. */
static bool found_is(const struct fixture_finding *found, unsigned rules)
{
	for (unsigned i = 0; found && i < BROKEN_RULES; i++)
		if (rules & 1u << i && !strcmp(found->rule->id, broken_rules[i]))
			return true;
	return false;
}

/* The checker says what the model says, no more and no less. */
static bool program_agrees(struct fixture *f, const struct program *p)
{
	const struct fixture_finding *found;
	struct program part = *p;
	unsigned rules, wanted = model_first_broken(p, &rules), at;

	if (rules == BROKEN_UNKNOWN) {
		part.n = wanted;
		rules = 0;
	}
	at = program_play(f, &part, &found);
	return rules ? at == wanted && found_is(found, rules) : !found;
}

/* Steps that are not needed to disagree are left out. */
static void program_shorten(struct fixture *f, struct program *p)
{
	bool shorter = true;

	while (shorter) {
		shorter = false;
		for (unsigned i = p->n; i-- > 0;) {
			struct program less = *p;

			program_drop(&less, i);
			if (!program_agrees(f, &less)) {
				*p = less;
				shorter = true;
			}
		}
	}
}

static void rules_print(unsigned rules)
{
	for (unsigned i = 0; i < BROKEN_RULES; i++)
		if (rules & 1u << i)
			printf(" %s", broken_rules[i]);
}

static void disagreement_print(struct fixture *f, struct program *p)
{
	const struct fixture_finding *found;
	unsigned rules, wanted, at;

	program_shorten(f, p);
	wanted = model_first_broken(p, &rules);
	at = program_play(f, p, &found);
	program_print(p);
	printf("# the model: ");
	if (rules) {
		printf("step %u:", wanted);
		rules_print(rules);
	} else {
		printf("nothing");
	}
	if (found)
		printf("\n# the checker: step %u: %s: %s\n", at, found->what, found->detail);
	else
		printf("\n# the checker: nothing\n");
}

/* --- many ------------------------------------------------------------------------------------------ */

struct tally {
	unsigned long right, changed, broken[BROKEN_RULES], steps;
};

/* The program and some changes of it; false, and said, when one disagrees. */
static bool seed_agrees(struct fixture *f, uint64_t seed, struct tally *t)
{
	struct chance chance = {~seed};
	struct program right, changed;
	unsigned rules;

	program_make(&right, seed);
	changed = right;
	t->right++;
	t->steps += right.n;
	for (unsigned i = 0; program_agrees(f, &changed); i++) {
		if (i == CHANGES)
			return true;
		changed = right;
		program_change(&changed, &chance);
		model_first_broken(&changed, &rules);
		t->changed++;
		for (unsigned k = 0; k < BROKEN_RULES; k++)
			t->broken[k] += rules >> k & 1;
	}
	disagreement_print(f, &changed);
	return false;
}

static void tally_print(const struct tally *t)
{
	printf("# %lu programs of %.1f steps on average, %lu changed ones; first broken:\n", t->right,
		(double)t->steps / (double)t->right, t->changed);
	for (unsigned i = 0; i < BROKEN_RULES; i++)
		printf("# %8lu %s\n", t->broken[i], broken_rules[i]);
}

int main(int argc, char **argv)
{
	unsigned long number = argc > 1 ? strtoul(argv[1], NULL, 10) : 3000, wrong = 0;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	struct tally tally = {0};
	struct fixture *f = fixture_ready(CHECKS_TARGET_DOCUMENTS);

	setvbuf(stdout, NULL, _IOLBF, 0);
	fixture_unrecorded();
	for (unsigned thread = 1; thread < THREADS; thread++) {
		f->tid = 1 + thread;
		CALL(f, aclrtSetDevice, 0, .deviceId = 0);
	}
	f->other_ways = 0;
	/* Numbers only: nothing is behind them. */
	f->wild = HOST_MEMORY;
	f->wild_bytes = 1ul << 32;
	f->class = ACL_HOST_UNKNOWN; /* nothing of the C library's lies where memory was freed */
	fixture_keep(f);
	for (unsigned long i = 0; i < number && wrong < 5; i++)
		wrong += !seed_agrees(f, seed + i, &tally);
	tally_print(&tally);
	printf("%sok 1 - what breaks no rule is silent, what a change breaks is named where it happens\n",
		wrong ? "not " : "");
	/* A rule that no change ever broke would be agreed upon by silence. */
	for (unsigned i = 0; i < BROKEN_RULES; i++)
		if (number >= 3000 && !tally.broken[i]) {
			printf("# %s was never broken\n", broken_rules[i]);
			wrong++;
		}
	printf("%sok 2 - every rule of the model was broken by a change\n1..2\n", wrong ? "not " : "");
	return wrong != 0;
}
