/* SPDX-License-Identifier: Apache-2.0 */
/* Random programs that are right, and what is changed in them. */
#include "step.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "order_model.h"

/* --- chance ------------------------------------------------------------------------------- */

unsigned chance_below(struct chance *chance, unsigned n)
{
	uint64_t z = chance->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (unsigned)((z ^ z >> 31) % n);
}

/* --- one that is right ---------------------------------------------------------------------- */

/* How often each kind is tried, of 100. */
static const uint8_t often[STEP_KINDS] = {[STEP_COPY] = 22,
	[STEP_COPY_ROWS] = 4,
	[STEP_SET] = 8,
	[STEP_RECORD] = 13,
	[STEP_WAIT] = 12,
	[STEP_SYNC_STREAM] = 4,
	[STEP_SYNC_EVENT] = 3,
	[STEP_SYNC_DEVICE] = 1,
	[STEP_QUERY_STREAM] = 2,
	[STEP_QUERY_EVENT] = 2,
	[STEP_COPY_NOW] = 4,
	[STEP_FREE] = 5,
	[STEP_ALLOCATE] = 4,
	[STEP_CAPTURE] = 6,
	[STEP_REPLAY] = 6,
	[STEP_DESTROY] = 4};

static unsigned kind_choose(struct chance *chance)
{
	unsigned at = chance_below(chance, 100), kind = 0;

	while (at >= often[kind])
		at -= often[kind++];
	return kind;
}

static void place_choose(struct chance *chance, struct step *s)
{
	unsigned reach;

	s->dst = (uint8_t)chance_below(chance, s->kind == STEP_SET ? DEVICE_BLOCKS : BLOCKS);
	do
		s->src = (uint8_t)chance_below(chance, BLOCKS);
	while (s->src == s->dst || (block_is_host(s->src) && block_is_host(s->dst)));
	s->units = (uint8_t)(1 + chance_below(chance, s->kind == STEP_COPY_ROWS ? 4 : UNITS));
	reach = s->kind == STEP_COPY_ROWS ? 2u * s->units : s->units;
	s->dst_at = (uint8_t)chance_below(chance, UNITS - reach + 1);
	s->src_at = (uint8_t)chance_below(chance, UNITS - reach + 1);
}

static struct step step_choose(struct chance *chance)
{
	struct step s = {.kind = (uint8_t)kind_choose(chance),
		.thread = (uint8_t)chance_below(chance, THREADS),
		.stream = (uint8_t)chance_below(chance, STREAMS),
		.event = (uint8_t)chance_below(chance, EVENTS),
		.model = (uint8_t)chance_below(chance, MODELS),
		.spelling = (uint8_t)chance_below(chance, 4)};

	place_choose(chance, &s);
	if (s.kind == STEP_CAPTURE) {
		s.set = (uint8_t)chance_below(chance, DEVICE_BLOCKS);
		s.set_units = (uint8_t)(1 + chance_below(chance, UNITS));
		s.set_at = (uint8_t)chance_below(chance, UNITS - s.set_units + 1u);
	}
	if (s.kind == STEP_FREE || s.kind == STEP_ALLOCATE)
		s.dst = (uint8_t)chance_below(chance, BLOCKS);
	return s;
}

/* The step, when it breaks nothing where the program is. */
static bool step_add(struct program *p, struct model *m, const struct step *s, int *other)
{
	static struct model then;

	then = *m;
	if (p->n == STEPS_MAX || model_step(&then, s, other))
		return false;
	*m = then;
	p->step[p->n++] = *s;
	return true;
}

/* What orders the step behind the task that it would collide with: by the device, or by the host. */
static void order_add(
	struct program *p, struct model *m, struct chance *chance, const struct step *s, int behind)
{
	struct step first = *s, second = *s;
	bool by_device = step_is_task(s->kind) && chance_below(chance, 4);
	int other;

	first.stream = (uint8_t)behind;
	first.kind = by_device || chance_below(chance, 2) ? STEP_RECORD : STEP_SYNC_STREAM;
	second.kind = by_device ? STEP_WAIT : chance_below(chance, 2) ? STEP_SYNC_EVENT : STEP_QUERY_EVENT;
	step_add(p, m, &first, &other);
	if (first.kind == STEP_RECORD)
		step_add(p, m, &second, &other);
}

void program_make(struct program *p, uint64_t seed)
{
	struct chance chance = {seed};
	static struct model m;
	unsigned want = 8 + chance_below(&chance, 40);

	model_begin(&m);
	p->seed = seed;
	p->n = 0;
	while (p->n < want) {
		struct step s = step_choose(&chance);
		int behind = -1, other;

		/* Waits of a stream for itself, blocks that live already: nothing is wrong with them, nor
		 * gained. */
		if (step_add(p, &m, &s, &behind) || behind < 0)
			continue;
		order_add(p, &m, &chance, &s, behind);
		step_add(p, &m, &s, &other);
	}
}

/* --- changes ---------------------------------------------------------------------------------- */

void program_drop(struct program *p, unsigned at)
{
	p->n--;
	memmove(&p->step[at], &p->step[at + 1], (p->n - at) * sizeof(p->step[0]));
}

static void step_move(struct program *p, unsigned from, unsigned to)
{
	struct step s = p->step[from];

	memmove(&p->step[to + 1], &p->step[to], (from - to) * sizeof(p->step[0]));
	p->step[to] = s;
}

/* What gives back memory, or a model, comes too early, or its order with others is another one. */
static void release_move(struct program *p, struct chance *chance)
{
	unsigned first = chance_below(chance, p->n);

	for (unsigned i = 0; i < p->n; i++) {
		unsigned at = (first + i) % p->n;

		if (p->step[at].kind == STEP_FREE || p->step[at].kind == STEP_DESTROY) {
			step_move(p, at, chance_below(chance, at + 1));
			return;
		}
	}
}

void program_change(struct program *p, struct chance *chance)
{
	unsigned at = chance_below(chance, p->n);

	switch (chance_below(chance, 4)) {
	case 0:
		program_drop(p, at);
		break;
	case 1:
		step_move(p, at, chance_below(chance, at + 1));
		break;
	case 2:
		release_move(p, chance);
		break;
	default:
		if (at + 1 < p->n)
			step_move(p, at + 1, at);
	}
}

/* --- in words ----------------------------------------------------------------------------------- */

static const char *const names[STEP_KINDS] = {"copy", "copy rows", "set", "record", "wait",
	"synchronise stream", "synchronise event", "synchronise device", "query stream until done",
	"query event until done", "copy now", "free", "allocate", "capture", "execute", "destroy"};

static void touched_print(const char *what, unsigned block, unsigned at)
{
	printf(" %s %s %u from %u", what, block_is_host(block) ? "host" : "device", block, at);
}

static void step_print(unsigned i, const struct step *s)
{
	printf("# %2u thread %u: %s", i, s->thread, names[s->kind]);
	if (s->kind >= STEP_CAPTURE)
		printf(" model %u", s->model);
	if (s->kind <= STEP_WAIT || s->kind == STEP_SYNC_STREAM || s->kind == STEP_QUERY_STREAM ||
		s->kind == STEP_CAPTURE || s->kind == STEP_REPLAY)
		printf(" stream %u", s->stream);
	if (s->kind == STEP_RECORD || s->kind == STEP_WAIT || s->kind == STEP_SYNC_EVENT ||
		s->kind == STEP_QUERY_EVENT)
		printf(" event %u", s->event);
	if (s->kind <= STEP_SET || (s->kind >= STEP_COPY_NOW && s->kind <= STEP_CAPTURE))
		touched_print("to", s->dst, s->dst_at);
	if (s->kind <= STEP_COPY_ROWS || s->kind == STEP_COPY_NOW || s->kind == STEP_CAPTURE)
		touched_print("of", s->src, s->src_at);
	if (s->kind <= STEP_SET || s->kind == STEP_COPY_NOW || s->kind == STEP_CAPTURE)
		printf(" %u units", s->units);
	if (s->kind == STEP_CAPTURE) {
		touched_print("and set", s->set, s->set_at);
		printf(" %u units", s->set_units);
	}
	printf("\n");
}

void program_print(const struct program *p)
{
	printf("# seed %" PRIu64 ", %u steps\n", p->seed, p->n);
	for (unsigned i = 0; i < p->n; i++)
		step_print(i, &p->step[i]);
}
