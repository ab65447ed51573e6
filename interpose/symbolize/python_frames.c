/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the thread's state to its frames, their code objects, and names and lines of these.  All of it is
 * copied by the kernel, which fails where there is nothing: another thread may end the interpreter
 * meanwhile, and a signal may have come while a frame was made.  System calls and copies are what it costs:
 * as a rule one system call reads the state and all frames, where they lay last time, and another what their
 * code is known by.
 */
#include "interpose/symbolize/python_frames.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "checks/engine/atomics.h"
#include "interpose/symbolize/memory_windows.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/stack/readable_memory.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/python_bytes.h"
#include "interpose/symbolize/python_interpreter.h"
#include "interpose/symbolize/python_known.h"
#include "interpose/symbolize/python_names.h"
#include "interpose/symbolize/python_status.h"

#define FRAMES_MAX PYTHON_POSITIONS_MAX /* of which half may lead into C functions */
#define KEYS_TRIED 128
#define NUMBER_BYTES (4 * MEMORY_PAGE) /* on the program's stack */
#define OWNED_BY_C 3 /* since 3.12: a frame for the C function that runs the others */

struct frame {
	struct python_position at;
	bool first; /* the C function that runs it began with this one */
	bool none; /* there is no Python code in it */
};

struct reading {
	const struct python_interpreter *python;
	uint64_t *ips;
	unsigned n, max;
	struct frame frames[FRAMES_MAX];
	unsigned n_frames, wanted; /* at most so many are read */
	struct memory_windows *windows;
};

/* --- the thread's state ------------------------------------------------------------------ */

/* The key under which the interpreter keeps it, plus one; 0 = not known yet. */
static _Atomic unsigned state_key;

/* --- where frames lay last time ------------------------------------------------------------ */

/* Where the caller of a frame lay, and the present frame of a thread's state: guesses that save system calls.
 */
#define GUESSES 4096 /* power of two; each has two places, as frames at equal distances may meet in one */
static struct {
	_Atomic uint64_t frame, previous;
} guesses[GUESSES];

static bool guess_is_of(unsigned i, uint64_t frame)
{
	return atomic_load_explicit(&guesses[i].frame, memory_order_relaxed) == frame;
}

/* The place of a frame's guess; where there is none, one of another frame. */
static unsigned guess_place(uint64_t frame)
{
	unsigned i = (unsigned)(frame * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (GUESSES - 1);

	return !guess_is_of(i, frame) && (guess_is_of(i ^ 1, frame) || guess_is_of(i ^ 1, 0)) ? i ^ 1 : i;
}

static uint64_t guess(uint64_t frame)
{
	unsigned i = guess_place(frame);

	return guess_is_of(i, frame) ? atomic_load_explicit(&guesses[i].previous, memory_order_relaxed) : 0;
}

static void guess_note(uint64_t frame, uint64_t previous)
{
	unsigned i = guess_place(frame);

	if (guess(frame) == previous)
		return;
	atomic_store_explicit(&guesses[i].frame, frame, memory_order_relaxed);
	atomic_store_explicit(&guesses[i].previous, previous, memory_order_relaxed);
}

/* --- frames -------------------------------------------------------------------------------- */

static size_t frame_size(const struct python_layout *l)
{
	int last = l->frame_code;

	if (l->frame_previous > last)
		last = l->frame_previous;
	if (l->frame_position > last)
		last = l->frame_position;
	if (l->frame_owner > last)
		last = l->frame_owner;
	return (size_t)last + 8;
}

/* Since 3.11 callers lie before a frame, and all that is so on its page comes with it. */
static bool want_frame(struct reading *r, uint64_t frame)
{
	size_t before = r->python->layout.minor < 11 ? 0 : (size_t)(frame % MEMORY_PAGE);

	return windows_want(r->windows, frame - before, before + frame_size(&r->python->layout));
}

/* A frame, and those that are guessed behind it. */
static void want_frames(struct reading *r, uint64_t frame)
{
	size_t size = frame_size(&r->python->layout);

	for (unsigned i = 0; frame && i < r->wanted; i++, frame = guess(frame))
		if (!windows_have(r->windows, frame, size) && !want_frame(r, frame))
			break;
}

/* The thread's present frame, which is read as well if it was guessed; false: this is not its state. */
static bool present_frame(struct reading *r, uint64_t state, uint64_t *frame)
{
	const struct python_layout *l = &r->python->layout;
	uint64_t at_id = state + (uint64_t)l->thread_id, at_frame = state + (uint64_t)l->thread_frame;
	const uint8_t *id, *lead;

	if (!state || state & 7)
		return false;
	windows_clear(r->windows);
	windows_want(r->windows, at_id, sizeof(uint64_t));
	windows_want(r->windows, at_frame, sizeof(uint64_t));
	want_frames(r, guess(state));
	windows_read(r->windows);
	id = windows_find(r->windows, at_id, sizeof(uint64_t));
	lead = windows_find(r->windows, at_frame, sizeof(uint64_t));
	if (!id || !lead || python_number(id, 0) != (uint64_t)pthread_self())
		return false;
	*frame = python_number(lead, 0);
	/* It lies on the thread's stack. */
	if (l->indirect_frame >= 0 && *frame &&
		!readable_copy(frame, (const void *)(uintptr_t)(*frame + (uint64_t)l->indirect_frame),
			sizeof(*frame)))
		return false;
	guess_note(state, *frame);
	return true;
}

/* NULL: it cannot be read. */
static const uint8_t *frame_bytes(struct reading *r, uint64_t frame)
{
	size_t size = frame_size(&r->python->layout);
	const uint8_t *bytes = windows_find(r->windows, frame, size);

	if (bytes)
		return bytes;
	windows_clear(r->windows);
	want_frames(r, frame);
	windows_read(r->windows);
	return windows_find(r->windows, frame, size);
}

static void add_frame(struct reading *r, const uint8_t *bytes)
{
	const struct python_layout *l = &r->python->layout;
	struct frame *f = &r->frames[r->n_frames++];

	*f = (struct frame){.at.code = python_number(bytes, l->frame_code), .first = l->minor < 11};
	if (l->minor < 11)
		f->at.position =
			(uint64_t)(int64_t)python_int(bytes, l->frame_position) * (l->minor == 10 ? 2 : 1);
	else
		f->at.position = python_number(bytes, l->frame_position) -
				 (f->at.code + (uint64_t)l->code_instructions);
	if (l->minor == 11)
		f->first = bytes[l->frame_owner] != 0;
	else if (l->minor > 11)
		f->first = f->none = bytes[l->frame_owner] == OWNED_BY_C;
}

static bool walk_frames(struct reading *r, uint64_t frame)
{
	r->n_frames = 0;
	while (frame && r->n_frames < r->wanted) {
		const uint8_t *bytes = frame & 7 ? NULL : frame_bytes(r, frame);
		uint64_t previous;

		if (!bytes)
			return false;
		add_frame(r, bytes);
		previous = python_number(bytes, r->python->layout.frame_previous);
		guess_note(frame, previous);
		frame = previous;
	}
	return true;
}

/* --- names ------------------------------------------------------------------------------- */

/* Names of as many as a stack may have; false: those of the innermost are not found. */
static bool name_frames(struct reading *r)
{
	struct python_position *some[FRAMES_MAX];
	unsigned frame_of[FRAMES_MAX], n = 0, named = 0;

	for (unsigned i = 0; i < r->n_frames && n < r->max; i++)
		if (!r->frames[i].none) {
			frame_of[n] = i;
			some[n++] = &r->frames[i].at;
		}
	python_known_words(r->python, r->windows, some, n);
	while (named < n) {
		unsigned good = python_names(r->python, some + named, n - named);

		named += good;
		if (!good) {
			/* What lies behind one that cannot be read may be anything. */
			r->n_frames = frame_of[named];
			break;
		}
	}
	return named > 0;
}

/* --- the merge ------------------------------------------------------------------------------- */

static bool runs_python(const struct python_interpreter *p, uint64_t marked)
{
	uint64_t address = module_address(marked);

	return address > p->eval_start && address <= p->eval_end;
}

/* Python frames take the place of the C function that runs them, each of which began with one of them. */
static void merge(struct reading *r)
{
	uint64_t merged[THREAD_FRAMES] = {0};
	unsigned n = 0, next = 0, max = r->max < THREAD_FRAMES ? r->max : THREAD_FRAMES;

	for (unsigned i = 0; i < r->n && n < max; i++) {
		bool here = runs_python(r->python, r->ips[i]);

		if (!here && !python_owns_code(r->python, module_address(r->ips[i])))
			merged[n++] = r->ips[i];
		while (here && next < r->n_frames && n < max) {
			const struct frame *f = &r->frames[next++];

			if (f->at.word)
				merged[n++] = f->at.word;
			here = !f->first;
		}
	}
	/* The native walk ended before. */
	for (; next < r->n_frames && n < max; next++)
		if (r->frames[next].at.word)
			merged[n++] = r->frames[next].at.word;
	memcpy(r->ips, merged, n * sizeof(*merged));
	r->n = n;
}

static bool read_by_state(struct reading *r, uint64_t state)
{
	uint64_t frame;

	return present_frame(r, state, &frame) && frame && walk_frames(r, frame) && name_frames(r);
}

/* By the first key whose value is a state of this thread with frames that check out. */
static bool search_frames(struct reading *r)
{
	unsigned key;

	for (key = 0; key < KEYS_TRIED; key++) {
		void *value = python_thread_value(key);

		if (value && read_by_state(r, (uintptr_t)value)) {
			atomic_store_explicit(&state_key, key + 1, memory_order_relaxed);
			python_status_read();
			return true;
		}
	}
	return false;
}

static bool any_runs_python(const struct reading *r)
{
	for (unsigned i = 0; i < r->n; i++)
		if (runs_python(r->python, r->ips[i]))
			return true;
	return false;
}

static void read_and_merge(struct reading *r)
{
	unsigned key = atomic_load_explicit(&state_key, memory_order_relaxed);

	if (!r->python->layout.minor)
		return;
	/* An interpreter that was ended and begun anew has another key. */
	if (key && read_by_state(r, (uintptr_t)python_thread_value(key - 1)))
		merge(r);
	else if (any_runs_python(r) && search_frames(r))
		merge(r);
	else if (any_runs_python(r))
		python_status_degrade("the thread's frames are not where this version has them");
}

struct request {
	uint64_t *ips;
	unsigned n, max;
};

static void merge_requested(void *request)
{
	struct request *q = request;
	uint8_t bytes[WINDOW_BYTES];
	struct memory_windows windows = {.room = sizeof(bytes), .bytes = bytes};
	struct reading r = {.python = python_interpreter(),
		.ips = q->ips,
		.n = q->n,
		.max = q->max,
		.wanted = FRAMES_MAX,
		.windows = &windows};

	if (!r.python)
		return;
	read_and_merge(&r);
	q->n = r.n;
}

static void python_look(void *present)
{
	*(bool *)present = python_interpreter() != NULL;
}

bool python_present(void)
{
	bool present = false;

	if (python_possible())
		tool_stack_run(python_look, &present);
	return present;
}

/* --- a number for it all ------------------------------------------------------------------------ */

uint64_t python_frames_number(unsigned frames)
{
	uint8_t bytes[NUMBER_BYTES];
	struct memory_windows windows = {.room = sizeof(bytes), .bytes = bytes};
	struct reading r = {.python = python_interpreter(), .wanted = frames, .windows = &windows};
	unsigned key = atomic_load_explicit(&state_key, memory_order_relaxed);
	uint64_t frame, number = frames;

	if (!r.python || !key || !present_frame(&r, (uintptr_t)python_thread_value(key - 1), &frame) ||
		!frame || !walk_frames(&r, frame))
		return 0;
	for (unsigned i = 0; i < r.n_frames; i++)
		number = mix64_add(mix64_add(number, r.frames[i].at.code),
			r.frames[i].at.position * 2 + r.frames[i].first);
	return number | 1;
}

bool python_was_read(void)
{
	return atomic_load_explicit(&state_key, memory_order_relaxed) != 0;
}

bool python_runs(void)
{
	unsigned key = atomic_load_explicit(&state_key, memory_order_relaxed);

	return key && python_thread_value(key - 1);
}

unsigned python_merge(uint64_t *ips, unsigned n, unsigned max)
{
	struct request q = {ips, n, max};

	if (!python_possible())
		return n;
	tool_stack_run(merge_requested, &q);
	return q.n;
}
