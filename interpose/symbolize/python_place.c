/* SPDX-License-Identifier: Apache-2.0 */
/* Places of Python code, interned in a table that only grows; the word is the record's address, marked. */
#include "interpose/symbolize/python_place.h"

#include <stdatomic.h>
#include <string.h>

#include "interpose/common/tool_arena.h"

#define MARK (UINT64_C(1) << 63)
#define BUCKETS 4096 /* power of two */
#define PLACES_MAX 262144 /* a program that makes code without end is not to fill the memory */

struct place_record {
	struct place_record *next; /* of the same bucket */
	uint64_t hash;
	struct python_place place;
};

static _Atomic(struct place_record *) buckets[BUCKETS];
static _Atomic uint32_t count;

/* Eight bytes at a time: names are long, and each frame of each stack has some. */
static uint64_t mix_text(uint64_t h, const char *s)
{
	size_t n = strlen(s);
	uint64_t word;

	h ^= n;
	for (; n >= sizeof(word); n -= sizeof(word), s += sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, s, n);
	h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

/* "<frozen runpy>", and not "<frozen __main__>": programs are frozen, too. */
static bool is_frozen_library(const char *file)
{
	static const char *const names[] = {"importlib.", "zipimport>", "abc>", "codecs>", "io>",
		"_collections_abc>", "_sitebuiltins>", "genericpath>", "ntpath>", "posixpath>", "os>",
		"site>", "stat>", "runpy>", "getpath>"};
	static const char begin[] = "<frozen ";

	if (strncmp(file, begin, sizeof(begin) - 1) != 0)
		return false;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(file + sizeof(begin) - 1, names[i], strlen(names[i])))
			return true;
	return false;
}

/* "/usr/lib/python3.11/threading.py", but nothing that was installed beside it. */
static bool is_library(const char *file)
{
	const char *at = strstr(file, "/python3.");

	if (is_frozen_library(file))
		return true;
	if (!at)
		return false;
	at += strlen("/python3.");
	at += strspn(at, "0123456789dt");
	return *at == '/' && strncmp(at, "/site-packages/", 15) != 0 &&
	       strncmp(at, "/dist-packages/", 15) != 0;
}

static struct place_record *place_find(struct place_record *r, uint64_t hash, const struct python_place *p)
{
	while (r &&
		(r->hash != hash || r->place.line != p->line || strcmp(r->place.function, p->function) != 0 ||
			strcmp(r->place.file, p->file) != 0))
		r = r->next;
	return r;
}

static struct place_record *place_new(uint64_t hash, const struct python_place *p)
{
	struct place_record *r;
	uint32_t before = atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);

	if (before >= PLACES_MAX)
		return NULL;
	r = arena_alloc(sizeof(*r));
	if (!r)
		return NULL;
	r->hash = hash;
	r->place = (struct python_place){
		arena_string(p->function), arena_string(p->file), p->line, is_library(p->file), before + 1};
	return r->place.function && r->place.file ? r : NULL;
}

uint64_t python_place_word(const char *function, const char *file, int line)
{
	struct python_place wanted = {.function = function, .file = file, .line = line};
	uint64_t hash =
		mix_text(mix_text(UINT64_C(0xcbf29ce484222325) ^ (uint64_t)line << 32, function), file);
	_Atomic(struct place_record *) *bucket = &buckets[(hash ^ hash >> 32) % BUCKETS];
	struct place_record *head = atomic_load_explicit(bucket, memory_order_acquire), *made = NULL, *r;

	/* Of two threads that come at once one takes the other's: words are compared. */
	while (!(r = place_find(head, hash, &wanted))) {
		if (!made && !(made = place_new(hash, &wanted)))
			return 0;
		made->next = head;
		if (atomic_compare_exchange_weak_explicit(
			    bucket, &head, made, memory_order_release, memory_order_acquire))
			return (uint64_t)(uintptr_t)made | MARK;
	}
	return (uint64_t)(uintptr_t)r | MARK;
}

const struct python_place *python_place_of(uint64_t word)
{
	return &((const struct place_record *)(uintptr_t)(word & ~MARK))->place;
}
