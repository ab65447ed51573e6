/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the thread's state to its frames, their code objects, and names and lines of these.  All of it is
 * copied by the kernel, which fails where there is nothing: another thread may end the interpreter
 * meanwhile, and a signal may have come while a frame was made.  System calls are what it costs, so each step
 * reads all frames at once, and where a frame's caller lay last time is tried first.
 */
#include "interpose/symbolize/python_frames.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "interpose/common/kernel_copy.h"
#include "interpose/common/thread_state.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/stack/readable_memory.h"
#include "interpose/stack/tool_stack.h"
#include "interpose/symbolize/python_interpreter.h"
#include "interpose/symbolize/python_lines.h"
#include "interpose/symbolize/python_place.h"
#include "interpose/symbolize/python_status.h"

#define FRAMES_MAX 64 /* of which half may lead into C functions */
#define AT_ONCE 16 /* frames in one step */
#define TEXT_BYTES 256 /* of a text that are read with its head; most need no more */
#define HEAD_BYTES 40
#define KEYS_TRIED 128
#define OWNED_BY_C 3 /* since 3.12: a frame for the C function that runs the others */

struct frame {
	uint64_t code, position;
	bool first; /* the C function that runs it began with this one */
	bool none; /* there is no Python code in it */
	uint64_t word;
};

struct reading {
	const struct python_interpreter *python;
	uint64_t *ips;
	unsigned n, max;
	struct frame frames[FRAMES_MAX];
	unsigned n_frames;
};

static uint64_t number_at(const uint8_t *bytes, int offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static int32_t int_at(const uint8_t *bytes, int offset)
{
	int32_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static struct kernel_copy_part part_of(void *to, uint64_t from, size_t size)
{
	return (struct kernel_copy_part){.to = to, .from = from, .size = size};
}

/* --- the thread's state ------------------------------------------------------------------ */

/* The key under which the interpreter keeps it, plus one; 0 = not known yet. */
static _Atomic unsigned state_key;

/* The thread's present frame; false: this is not its state. */
static bool present_frame(const struct python_layout *l, uint64_t state, uint64_t *frame)
{
	uint64_t id, lead;
	struct kernel_copy_part parts[] = {{&id, state + (uint64_t)l->thread_id, sizeof(id), false},
		{&lead, state + (uint64_t)l->thread_frame, sizeof(lead), false}};

	if (!state || state & 7)
		return false;
	kernel_copy_parts(parts, 2);
	if (!parts[0].good || !parts[1].good || id != (uint64_t)pthread_self())
		return false;
	*frame = lead;
	/* It lies on the thread's stack. */
	return l->indirect_frame < 0 || !lead ||
	       readable_copy(
		       frame, (const void *)(uintptr_t)(lead + (uint64_t)l->indirect_frame), sizeof(*frame));
}

/* --- frames ------------------------------------------------------------------------------ */

/* Where the caller of a frame lay last time: a guess that saves a system call. */
#define GUESSES 1024 /* power of two */
static struct {
	_Atomic uint64_t frame, previous;
} guesses[GUESSES];

static unsigned guess_slot(uint64_t frame)
{
	return (unsigned)(frame * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (GUESSES - 1);
}

static uint64_t guess(uint64_t frame)
{
	unsigned i = guess_slot(frame);

	return atomic_load_explicit(&guesses[i].frame, memory_order_relaxed) == frame
		       ? atomic_load_explicit(&guesses[i].previous, memory_order_relaxed)
		       : 0;
}

static void guess_note(uint64_t frame, uint64_t previous)
{
	unsigned i = guess_slot(frame);

	atomic_store_explicit(&guesses[i].frame, frame, memory_order_relaxed);
	atomic_store_explicit(&guesses[i].previous, previous, memory_order_relaxed);
}

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

static void add_frame(struct reading *r, const uint8_t *bytes)
{
	const struct python_layout *l = &r->python->layout;
	struct frame *f = &r->frames[r->n_frames++];

	*f = (struct frame){.code = number_at(bytes, l->frame_code), .first = l->minor < 11};
	if (l->minor < 11)
		f->position = (uint64_t)(int64_t)int_at(bytes, l->frame_position) * (l->minor == 10 ? 2 : 1);
	else
		f->position =
			number_at(bytes, l->frame_position) - (f->code + (uint64_t)l->code_instructions);
	if (l->minor == 11)
		f->first = bytes[l->frame_owner] != 0;
	else if (l->minor > 11)
		f->first = f->none = bytes[l->frame_owner] == OWNED_BY_C;
}

/* Reads the frame at *next and those that are guessed behind it; false: it cannot be read. */
static bool read_some(struct reading *r, uint64_t *next)
{
	const struct python_layout *l = &r->python->layout;
	uint8_t bytes[AT_ONCE][PYTHON_FRAME_BYTES];
	struct kernel_copy_part parts[AT_ONCE];
	size_t size = frame_size(l);
	unsigned n = 0, room = FRAMES_MAX - r->n_frames;
	uint64_t at = *next;

	do {
		parts[n] = part_of(bytes[n], at, size);
		n++;
		at = guess(at);
	} while (at && n < AT_ONCE && n < room);
	kernel_copy_parts(parts, n);
	for (unsigned i = 0; i < n; i++) {
		if (parts[i].from != *next)
			break;
		if (!parts[i].good)
			return i > 0;
		add_frame(r, bytes[i]);
		*next = number_at(bytes[i], l->frame_previous);
		guess_note(parts[i].from, *next);
		if (!*next)
			break;
	}
	return true;
}

static bool walk_frames(struct reading *r, uint64_t frame)
{
	r->n_frames = 0;
	while (frame && r->n_frames < FRAMES_MAX)
		if (frame & 7 || !read_some(r, &frame))
			return false;
	return true;
}

/* --- names and lines ----------------------------------------------------------------------- */

static void put_character(char **out, uint32_t c)
{
	char *p = *out;

	if (c < 0x80) {
		*p++ = c ? (char)c : '?';
	} else if (c >= 0xdc80 && c <= 0xdcff) {
		*p++ = (char)c; /* a byte that was none of UTF-8 */
	} else if (c < 0x800) {
		*p++ = (char)(0xc0 | c >> 6);
		*p++ = (char)(0x80 | (c & 63));
	} else if (c < 0x10000) {
		*p++ = (char)(0xe0 | c >> 12);
		*p++ = (char)(0x80 | (c >> 6 & 63));
		*p++ = (char)(0x80 | (c & 63));
	} else {
		*p++ = (char)(0xf0 | (c >> 18 & 7));
		*p++ = (char)(0x80 | (c >> 12 & 63));
		*p++ = (char)(0x80 | (c >> 6 & 63));
		*p++ = (char)(0x80 | (c & 63));
	}
	*out = p;
}

static uint32_t character_at(const uint8_t *data, size_t i, unsigned width)
{
	uint16_t two;
	uint32_t four;

	if (width == 1)
		return data[i];
	if (width == 2) {
		memcpy(&two, data + 2 * i, 2);
		return two;
	}
	memcpy(&four, data + 4 * i, 4);
	return four;
}

/* What was read ahead of an object: all of size, or its head alone. */
struct ahead {
	uint64_t address;
	uint8_t bytes[TEXT_BYTES];
	size_t size;
};

#define TEXT_MAX 1024 /* characters of a file's name */

/* The text as UTF-8 in out, which has room for 4 bytes a character and NUL. */
static bool text_value(
	const struct python_interpreter *python, const struct ahead *a, char *out, size_t characters)
{
	uint64_t length = number_at(a->bytes, PYTHON_TEXT_LENGTH);
	uint32_t state = (uint32_t)int_at(a->bytes, PYTHON_TEXT_STATE);
	unsigned width = state >> 2 & 7;
	bool compact = state >> 5 & 1, ascii = state >> 6 & 1;
	size_t offset = (size_t)(ascii ? python->layout.text_ascii : python->layout.text_compact), bytes;
	uint8_t more[4 * TEXT_MAX];
	const uint8_t *data = a->bytes + offset;

	if (number_at(a->bytes, PYTHON_TYPE) != python->text_type || !compact ||
		(width != 1 && width != 2 && width != 4) || (ascii && width != 1))
		return false;
	if (length > characters)
		length = characters;
	bytes = (size_t)length * width;
	if (offset + bytes > a->size) {
		if (!kernel_copy(more, (const void *)(uintptr_t)(a->address + offset), bytes))
			return false;
		data = more;
	}
	if (ascii && !memchr(data, 0, length)) {
		memcpy(out, data, length);
		out += length;
		length = 0;
	}
	for (size_t i = 0; i < length; i++)
		put_character(&out, character_at(data, i, width));
	*out = 0;
	return true;
}

static int line_of(
	const struct python_interpreter *python, const struct ahead *a, int first_line, uint64_t position)
{
	struct python_line_table table = {.address = a->address + PYTHON_BYTES_DATA,
		.size = number_at(a->bytes, PYTHON_BYTES_LENGTH),
		.n = a->size - PYTHON_BYTES_DATA};

	if (table.size < table.n)
		table.n = (size_t)table.size;
	memcpy(table.bytes, a->bytes + PYTHON_BYTES_DATA, table.n);
	return python_line(&table, python->layout.minor, first_line, (int64_t)position);
}

/* The objects of a code object that names and lines are in. */
enum { OF_FILE, OF_NAME, OF_LINES, OBJECTS };

/* Names of one frame whose objects were read ahead. */
static bool name_frame(const struct python_interpreter *python, struct frame *f,
	const struct ahead *const of[OBJECTS], int first_line)
{
	char file[4 * TEXT_MAX + 1], function[TEXT_MAX + 1];

	if (number_at(of[OF_LINES]->bytes, PYTHON_TYPE) != python->bytes_type ||
		!text_value(python, of[OF_FILE], file, TEXT_MAX) ||
		!text_value(python, of[OF_NAME], function, TEXT_MAX / 4))
		return false;
	f->word = python_place_word(*function ? function : "?", *file ? file : "?",
		line_of(python, of[OF_LINES], first_line, f->position));
	return f->word != 0;
}

#define NAMED_AT_ONCE 12

static bool is_code(const struct python_interpreter *python, const struct kernel_copy_part *part)
{
	return part->good && number_at(part->to, PYTHON_TYPE) == python->code_type;
}

/* The objects of some frames, each once: functions of one file share its name, and recursion shares all. */
struct objects {
	struct ahead ahead[NAMED_AT_ONCE * OBJECTS];
	unsigned n;
	uint8_t at[NAMED_AT_ONCE][OBJECTS];
};

static void list_objects(
	const struct python_layout *l, uint8_t code[][PYTHON_CODE_BYTES], unsigned n, struct objects *o)
{
	const int where[OBJECTS] = {l->code_file, l->code_name, l->code_lines};

	o->n = 0;
	for (unsigned i = 0; i < n * OBJECTS; i++) {
		unsigned frame = i / OBJECTS, kind = i % OBJECTS, same = 0;
		uint64_t address = number_at(code[frame], where[kind]);

		while (same < frame && o->ahead[o->at[same][kind]].address != address)
			same++;
		o->at[frame][kind] = same < frame ? o->at[same][kind] : (uint8_t)o->n;
		if (same < frame)
			continue;
		o->ahead[o->n].address = address;
		o->ahead[o->n++].size = kind == OF_NAME ? TEXT_BYTES / 2 : TEXT_BYTES;
	}
}

/* What stops at the end of what is mapped: its head alone. What has not even that gets no type. */
static void read_objects(struct objects *o)
{
	struct kernel_copy_part parts[NAMED_AT_ONCE * OBJECTS];

	for (unsigned i = 0; i < o->n; i++)
		parts[i] = part_of(o->ahead[i].bytes, o->ahead[i].address, o->ahead[i].size);
	kernel_copy_parts(parts, o->n);
	for (unsigned i = 0; i < o->n; i++) {
		struct ahead *a = &o->ahead[i];

		if (parts[i].good)
			continue;
		a->size = HEAD_BYTES;
		if (!kernel_copy(a->bytes, (const void *)(uintptr_t)a->address, HEAD_BYTES))
			memset(a->bytes, 0, HEAD_BYTES);
	}
}

/* How many of n (NAMED_AT_ONCE at most) frames have names afterwards, from the first on. */
static unsigned name_some(const struct python_interpreter *python, struct frame *const frames[], unsigned n)
{
	const struct python_layout *l = &python->layout;
	uint8_t code[NAMED_AT_ONCE][PYTHON_CODE_BYTES];
	struct kernel_copy_part parts[NAMED_AT_ONCE];
	struct objects objects;
	unsigned good = 0;

	for (unsigned i = 0; i < n; i++)
		parts[i] = part_of(code[i], frames[i]->code, PYTHON_CODE_BYTES);
	kernel_copy_parts(parts, n);
	while (good < n && is_code(python, &parts[good]))
		good++;
	list_objects(l, code, good, &objects);
	read_objects(&objects);
	for (unsigned i = 0; i < good; i++) {
		const struct ahead *const of[OBJECTS] = {&objects.ahead[objects.at[i][OF_FILE]],
			&objects.ahead[objects.at[i][OF_NAME]], &objects.ahead[objects.at[i][OF_LINES]]};

		if (!name_frame(python, frames[i], of, int_at(code[i], l->code_first_line)))
			return i;
	}
	return good;
}

/* Names of as many as a stack may have; false: those of the innermost are not found. */
static bool name_frames(struct reading *r)
{
	struct frame *some[NAMED_AT_ONCE];
	unsigned i = 0, named = 0;

	while (i < r->n_frames && named < r->max) {
		unsigned n = 0, begin = i, good;

		for (; i < r->n_frames && n < NAMED_AT_ONCE; i++)
			if (!r->frames[i].none)
				some[n++] = &r->frames[i];
		good = name_some(r->python, some, n);
		named += good;
		if (good < n) {
			/* What lies behind one that cannot be read may be anything. */
			r->n_frames = good ? (unsigned)(some[good] - r->frames) : begin;
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

			if (f->word)
				merged[n++] = f->word;
			here = !f->first;
		}
	}
	/* The native walk ended before. */
	for (; next < r->n_frames && n < max; next++)
		if (r->frames[next].word)
			merged[n++] = r->frames[next].word;
	memcpy(r->ips, merged, n * sizeof(*merged));
	r->n = n;
}

static bool read_by_state(struct reading *r, uint64_t state)
{
	uint64_t frame;

	return present_frame(&r->python->layout, state, &frame) && frame && walk_frames(r, frame) &&
	       name_frames(r);
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
	struct reading r = {.python = python_interpreter(), .ips = q->ips, .n = q->n, .max = q->max};

	if (!r.python)
		return;
	read_and_merge(&r);
	q->n = r.n;
}

static void look(void *present)
{
	*(bool *)present = python_interpreter() != NULL;
}

bool python_present(void)
{
	bool present = false;

	if (python_possible())
		tool_stack_run(look, &present);
	return present;
}

unsigned python_merge(uint64_t *ips, unsigned n, unsigned max)
{
	struct request q = {ips, n, max};

	if (!python_possible())
		return n;
	tool_stack_run(merge_requested, &q);
	return q.n;
}
