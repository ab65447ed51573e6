/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the functions of each operation: class, mode, what they do during a
 * capture, and for each role that two of them share the kind of object and the
 * access. A check that follows an operation holds for all of its functions
 * only when these are alike. "differs" names a fact that is not, with the
 * reason; one that names a fact which is alike is refused, too.
 */
#include <string.h>

#include "read.h"
#include "variants.h"

static const char *const facts[] = {"class", "mode", "capture", "context", "object", "access", NULL};

static bool same_word(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_class(const struct function *a, const struct function *b)
{
	for (unsigned i = 0; a->classes[i] || b->classes[i]; i++)
		if (!same_word(a->classes[i], b->classes[i]))
			return false;
	return true;
}

/* Blocking and async are what variants are made of. */
static bool same_mode(const struct function *a, const struct function *b)
{
	return !strcmp(a->mode, "immediate") == !strcmp(b->mode, "immediate");
}

/* It follows from the mode; what is not known differs from nothing. */
static bool same_capture(const struct function *a, const struct function *b)
{
	return strcmp(a->mode, b->mode) || !strcmp(a->capture, b->capture) ||
	       !strcmp(a->capture, "unknown") || !strcmp(b->capture, "unknown");
}

static bool same_object(const struct param *a, const struct param *b)
{
	return same_word(a->handle, b->handle) && same_word(a->life, b->life) && a->list == b->list &&
	       a->callback == b->callback;
}

static bool same_access(const struct param *a, const struct param *b)
{
	const char *host = "host";

	if (is_accessed(a) != is_accessed(b))
		return false;
	return same_word(a->access, b->access) &&
	       same_word(a->memory ? a->memory : host, b->memory ? b->memory : host) &&
	       same_word(a->each, b->each) && same_word(a->each_memory, b->each_memory);
}

/* Holds same for the parameters of each role that both functions have? */
static bool same_params(const struct function *a, const struct function *b,
	bool (*same)(const struct param *, const struct param *))
{
	for (unsigned i = 0; i < a->n_params; i++)
		for (unsigned k = 0; k < b->n_params; k++)
			if (!strcmp(a->params[i].role, b->params[k].role) &&
				!same(&a->params[i], &b->params[k]))
				return false;
	return true;
}

static bool same_fact(const char *fact, const struct function *a, const struct function *b)
{
	if (!strcmp(fact, "class"))
		return same_class(a, b);
	if (!strcmp(fact, "mode"))
		return same_mode(a, b);
	if (!strcmp(fact, "capture"))
		return same_capture(a, b);
	if (!strcmp(fact, "context"))
		return strcmp(a->mode, b->mode) || same_word(a->context, b->context);
	return same_params(a, b, !strcmp(fact, "object") ? same_object : same_access);
}

static bool excused(const struct function *f, const char *fact)
{
	return json_object_get(f->differs, fact);
}

/* The functions that do not differ in a fact are alike in it; each that differs does so from one of them. */
static void compare(const struct model *m, const struct function *f, const char *fact)
{
	bool differs = false;

	for (unsigned i = 0; i < m->n_wrapped; i++) {
		const struct function *other = m->wrapped[i];

		if (other == f || other->operation != f->operation || same_fact(fact, f, other))
			continue;
		if (!excused(f, fact) && !excused(other, fact))
			read_fail("does \"%s\" as %s does, but its %s is another: make them alike or say why "
				  "in "
				  "\"differs\"",
				f->operation->name, other->name, fact);
		differs |= !excused(other, fact);
	}
	if (excused(f, fact) && !differs)
		read_fail("\"differs\": its %s is as in the other functions that do \"%s\"", fact,
			f->operation->name);
}

void load_differs(struct function *f, const json_t *o)
{
	f->differs = json_object_get(o, "differs");
	if (!f->differs)
		return;
	read_only_keys(f->differs, facts);
	for (unsigned i = 0; facts[i]; i++)
		if (read_string(f->differs, facts[i]) && !*read_string(f->differs, facts[i]))
			read_fail("\"differs\": no reason for %s", facts[i]);
}

void check_variants(const struct model *m)
{
	for (unsigned i = 0; i < m->n_wrapped; i++) {
		read_at(m->wrapped[i]->name);
		for (unsigned k = 0; facts[k]; k++)
			compare(m, m->wrapped[i], facts[k]);
	}
}
