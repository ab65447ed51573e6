/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two tables without locks: code object -> where its objects are, and position -> word.  An entry's check
 * tells whether all of its words belong together.  Both say only what to read and what to expect: what is
 * read decides.
 */
#include "interpose/symbolize/python_known.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "checks/engine/atomics.h"
#include "interpose/common/tool_arena.h"
#include "interpose/symbolize/python_bytes.h"

#define CODES 2048 /* power of two */
#define WORDS 8192 /* power of two */
#define NO_HASH UINT64_MAX /* not computed yet */
#define HEAD_BYTES 40 /* of an object: type, length, hash, state */

#define CONTENTS_MAX 256 /* of an object without a hash that are compared */

struct known_code {
	_Atomic uint64_t code, of[PYTHON_OBJECTS], sizes, check;
};

struct known_word {
	_Atomic uint64_t code, position, identity, word, check;
};

/* Made when there is Python code. */
static _Atomic(struct known {
	struct known_code codes[CODES];
	struct known_word words[WORDS];
} *) known;

static uint64_t load(_Atomic uint64_t *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

static void store(_Atomic uint64_t *to, uint64_t value)
{
	atomic_store_explicit(to, value, memory_order_relaxed);
}

void python_code_objects(
	const struct python_layout *l, const uint8_t code[PYTHON_CODE_BYTES], uint64_t of[PYTHON_OBJECTS])
{
	of[PYTHON_OF_FILE] = python_number(code, l->code_file);
	of[PYTHON_OF_NAME] = python_number(code, l->code_name);
	of[PYTHON_OF_LINES] = python_number(code, l->code_lines);
}

/* --- what a code object is known by ----------------------------------------------------------- */

/* Bytes of a text or of bytes with its head. */
static uint64_t object_size(const struct python_interpreter *python, const uint8_t *object)
{
	uint64_t length = python_number(object, PYTHON_TEXT_LENGTH), state;

	if (python_number(object, PYTHON_TYPE) == python->bytes_type)
		return PYTHON_BYTES_DATA + length;
	state = python_number(object, PYTHON_TEXT_STATE);
	return (uint64_t)(state >> 6 & 1 ? python->layout.text_ascii : python->layout.text_compact) +
	       length * (state >> 2 & 7);
}

/* How many bytes tell it from others: of one with a hash its head; 0: too many. No more is read, since what
 * is behind it may not be there. */
static size_t size_needed(const struct python_interpreter *python, const uint8_t *object)
{
	uint64_t length = python_number(object, PYTHON_TEXT_LENGTH), all;

	if (python_number(object, PYTHON_HASH) != NO_HASH)
		return HEAD_BYTES;
	if (length > CONTENTS_MAX)
		return 0;
	all = object_size(python, object);
	return all < HEAD_BYTES ? HEAD_BYTES : all > CONTENTS_MAX ? 0 : (size_t)all;
}

/* Adds an object of which size bytes are there; 0: they do not tell it from others. */
static uint64_t add_object(
	const struct python_interpreter *python, uint64_t h, const uint8_t *object, size_t size)
{
	size_t needed = size_needed(python, object);

	if (!needed || needed > size)
		return 0;
	for (size_t i = PYTHON_TYPE, n; i < needed; i += n) {
		uint64_t word = 0;

		n = needed - i < sizeof(word) ? needed - i : sizeof(word);
		memcpy(&word, object + i, n);
		h = mix64_add(h, word);
	}
	return h | 1;
}

static uint64_t number_of(const struct python_layout *l, const uint8_t *code)
{
	return l->code_number < 0 ? 0 : (uint32_t)python_int(code, l->code_number);
}

/* 0: it cannot be told from another. */
static uint64_t identity_of(const struct python_interpreter *python, const uint8_t *code,
	const uint8_t *const object[PYTHON_OBJECTS], const size_t size[PYTHON_OBJECTS])
{
	const struct python_layout *l = &python->layout;
	uint64_t of[PYTHON_OBJECTS], number = number_of(l, code), h;

	if (python_number(code, PYTHON_TYPE) != python->code_type)
		return 0;
	python_code_objects(l, code, of);
	h = mix64_add(mix64_add(UINT64_C(0xcbf29ce484222325), number),
		(uint32_t)python_int(code, l->code_first_line));
	for (unsigned i = 0; i < PYTHON_OBJECTS; i++)
		h = mix64_add(h, of[i]);
	for (unsigned i = 0; i < PYTHON_OBJECTS && h && !number; i++)
		h = add_object(python, h, object[i], size[i]);
	return h ? h | 1 : 0;
}

/* --- the tables --------------------------------------------------------------------------------- */

/* NULL: there is no memory for them. */
static struct known *tables(void)
{
	struct known *t = atomic_load_explicit(&known, memory_order_acquire), *none = NULL;

	if (t)
		return t;
	t = arena_alloc(sizeof(*t));
	/* A loser's untouched pages cost address space only. */
	if (t && !atomic_compare_exchange_strong(&known, &none, t))
		t = none;
	return t;
}

/* Each has two places: of two that meet in one, each stack would read both anew. */
static struct known_code *code_slot(struct known *t, uint64_t code)
{
	uint64_t i = mix64_add(1, code) & (CODES - 1);
	struct known_code *first = &t->codes[i], *second = &t->codes[i ^ 1];
	uint64_t other = load(&second->code);

	return load(&first->code) != code && (other == code || !other) ? second : first;
}

static bool is_word_of(struct known_word *w, const struct python_position *p)
{
	return load(&w->code) == p->code && load(&w->position) == p->position;
}

static struct known_word *word_slot(struct known *t, const struct python_position *p)
{
	uint64_t i = mix64_add(mix64_add(1, p->code), p->position) & (WORDS - 1);
	struct known_word *first = &t->words[i], *second = &t->words[i ^ 1];

	return !is_word_of(first, p) && (is_word_of(second, p) || !load(&second->code)) ? second : first;
}

/* Where the objects of a code object are, and how many bytes of them are needed. */
struct expected {
	uint64_t of[PYTHON_OBJECTS], sizes;
};

static size_t expected_size(const struct expected *x, unsigned object)
{
	return (size_t)(x->sizes >> 16 * object & 0xffff);
}

static uint64_t code_check(uint64_t code, const struct expected *x)
{
	return mix64_add(
		mix64_add(mix64_add(mix64_add(mix64_add(2, code), x->of[0]), x->of[1]), x->of[2]), x->sizes);
}

static uint64_t word_check(const struct python_position *p, uint64_t identity)
{
	return mix64_add(mix64_add(mix64_add(mix64_add(3, p->code), p->position), identity), p->word);
}

static bool code_find(struct known *t, uint64_t code, struct expected *x)
{
	struct known_code *k = code_slot(t, code);

	if (load(&k->code) != code)
		return false;
	for (unsigned i = 0; i < PYTHON_OBJECTS; i++)
		x->of[i] = load(&k->of[i]);
	x->sizes = load(&k->sizes);
	return load(&k->check) == code_check(code, x);
}

static void code_store(struct known *t, uint64_t code, const struct expected *x)
{
	struct known_code *k = code_slot(t, code);

	store(&k->code, code);
	for (unsigned i = 0; i < PYTHON_OBJECTS; i++)
		store(&k->of[i], x->of[i]);
	store(&k->sizes, x->sizes);
	store(&k->check, code_check(code, x));
}

static void word_find(struct known *t, struct python_position *p, uint64_t identity)
{
	struct known_word *k = word_slot(t, p);
	struct python_position found = {.code = p->code, .position = p->position, .word = load(&k->word)};

	if (is_word_of(k, p) && load(&k->identity) == identity &&
		load(&k->check) == word_check(&found, identity))
		p->word = found.word;
}

void python_known_note(const struct python_interpreter *python, const struct python_position *p,
	const uint8_t code[PYTHON_CODE_BYTES], const uint8_t *const object[PYTHON_OBJECTS],
	const size_t size[PYTHON_OBJECTS])
{
	uint64_t identity = identity_of(python, code, object, size);
	struct expected x = {.sizes = 0};
	struct known *t = tables();
	struct known_word *w;

	if (!t || !identity || !p->word)
		return;
	python_code_objects(&python->layout, code, x.of);
	for (unsigned i = 0; i < PYTHON_OBJECTS; i++)
		x.sizes |= (uint64_t)size_needed(python, object[i]) << 16 * i;
	code_store(t, p->code, &x);
	w = word_slot(t, p);
	store(&w->code, p->code);
	store(&w->position, p->position);
	store(&w->identity, identity);
	store(&w->word, p->word);
	store(&w->check, word_check(p, identity));
}

/* --- reading what is expected -------------------------------------------------------------------- */

/* A code object that has a number is read alone. */
static void want_code(struct known *t, const struct python_layout *l, struct memory_windows *w, uint64_t code)
{
	struct expected x;

	if (!code_find(t, code, &x))
		return;
	windows_want(w, code, PYTHON_CODE_BYTES);
	for (unsigned i = 0; i < PYTHON_OBJECTS && l->code_number < 0; i++)
		windows_want(w, x.of[i], expected_size(&x, i));
}

/* 0: not known, or not as it was. */
static uint64_t identity_read(struct known *t, const struct python_interpreter *python,
	const struct memory_windows *w, uint64_t code)
{
	const uint8_t *bytes = windows_find(w, code, PYTHON_CODE_BYTES), *object[PYTHON_OBJECTS] = {0};
	size_t size[PYTHON_OBJECTS] = {0};
	uint64_t of[PYTHON_OBJECTS];
	struct expected x;

	if (!bytes || !code_find(t, code, &x))
		return 0;
	python_code_objects(&python->layout, bytes, of);
	for (unsigned i = 0; i < PYTHON_OBJECTS && !number_of(&python->layout, bytes); i++) {
		size[i] = expected_size(&x, i);
		object[i] = of[i] == x.of[i] ? windows_find(w, of[i], size[i]) : NULL;
		if (!object[i])
			return 0;
	}
	return identity_of(python, bytes, object, size);
}

void python_known_words(const struct python_interpreter *python, struct memory_windows *w,
	struct python_position *const positions[], unsigned n)
{
	struct known *t = tables();
	uint64_t identity = 0;

	if (!t)
		return;
	windows_clear(w);
	for (unsigned i = 0; i < n; i++)
		if (!i || positions[i]->code != positions[i - 1]->code)
			want_code(t, &python->layout, w, positions[i]->code);
	windows_read(w);
	for (unsigned i = 0; i < n; i++) {
		if (!i || positions[i]->code != positions[i - 1]->code)
			identity = identity_read(t, python, w, positions[i]->code);
		if (identity)
			word_find(t, positions[i], identity);
	}
}
