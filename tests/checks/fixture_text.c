/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A finding as lines, so that a test can say what it must hold.  Call sites are
 * numbered in the order of their first call ("aclrtMalloc#3"), addresses of this
 * process have no number.  The sentence is there to the word: which of several it is,
 * and what is filled in, is known by its words alone.
 */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define STACK_REACH (UINT64_C(1) << 20)

struct text {
	struct fixture *fixture;
	char *at;
	size_t left;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(t->at, t->left, format, ap);
	va_end(ap);
	assert_true(n >= 0 && (size_t)n < t->left);
	t->at += n;
	t->left -= (size_t)n;
}

/* Numbers that tests made up are the same in every run; what the loader and the kernel placed is not. An
 * emulator places the stack where there are others. */
static bool made_up(uint64_t value)
{
	uint64_t on_stack = value - (uintptr_t)&value + STACK_REACH;

	if (on_stack < 2 * STACK_REACH)
		return false;
	return value < 0x100000000000 ? value < 0x5600000000 : value < 0x500000000000 || value >> 40 == 0x7e;
}

static void put_address(struct text *t, uint64_t value)
{
	uint64_t offset = value - (uintptr_t)t->fixture->heap;

	if (t->fixture->heap && offset < t->fixture->heap_bytes)
		put(t, "heap+%#llx", (unsigned long long)offset);
	else if (made_up(value) || value == UINT64_MAX)
		put(t, "%#llx", (unsigned long long)value);
	else
		put(t, "somewhere");
}

/* As it is, but for addresses of this process. */
static void put_sentence(struct text *t, const char *sentence)
{
	while (*sentence) {
		size_t n = strcspn(sentence, " ,;:.()'\"="), all = n + (sentence[n] != 0);
		char *end;
		uint64_t value = strncmp(sentence, "0x", 2) != 0 ? 0 : strtoull(sentence, &end, 16);

		if (value && end == sentence + n) {
			put_address(t, value);
			put(t, "%.*s", (int)(all - n), sentence + n);
		} else {
			put(t, "%.*s", (int)all, sentence);
		}
		sentence += all;
	}
}

static const char *api_name(unsigned api)
{
	return acl_call_name(api) ? acl_call_name(api) : "?";
}

static unsigned site_number(const struct fixture *fixture, uint64_t caller)
{
	for (unsigned i = 0; i < fixture->n_sites; i++)
		if (fixture->sites[i] == caller)
			return i + 1;
	return 0;
}

static void put_site(struct text *t, const char *what, const struct acl_call_site *site)
{
	if (!site->caller)
		return;
	put(t, "; %s by %s#%u", what, api_name(site->api), site_number(t->fixture, site->caller));
	if (site->tid != t->fixture->tid)
		put(t, " on another thread");
	/* A stack is the one of its call site. */
	if (site->stack)
		put(t, site->stack == site_number(t->fixture, site->caller) ? " (stack)" : " (wrong stack)");
}

static void put_enum(struct text *t, const struct acl_value *v)
{
	const struct acl_enum *e = v->enum_index >= 0 ? &acl_enums[v->enum_index] : NULL;

	for (unsigned i = 0; e && i < e->n_values; i++)
		if (acl_values(e)[i].value == v->i) {
			put(t, "%s", acl_text(acl_values(e)[i].name));
			return;
		}
	put(t, "%s %lld", e ? e->name : "?", (long long)v->i);
}

static void put_value(struct text *t, const struct acl_value *v)
{
	put(t, "  value %s = ", v->name);
	switch (v->form) {
	case ACL_VALUE_INT:
		put(t, "%lld", (long long)v->i);
		break;
	case ACL_VALUE_ADDRESS:
		put_address(t, v->u);
		break;
	case ACL_VALUE_BYTES:
		put(t, "%llu bytes", (unsigned long long)v->u);
		break;
	case ACL_VALUE_ENUM:
		put_enum(t, v);
		break;
	case ACL_VALUE_ERROR:
		put(t, "error %lld", (long long)v->i);
		break;
	case ACL_VALUE_TEXT:
		put(t, "\"%s\"", v->s ? v->s : "");
		break;
	case ACL_VALUE_API:
		put(t, "%s", api_name((unsigned)v->u));
		break;
	default:
		put(t, "%llu", (unsigned long long)v->u);
	}
	put(t, "\n");
}

static void put_object(struct text *t, const struct acl_object_history *o)
{
	put(t, "  object %s: %s ", o->role, o->kind);
	put_address(t, o->value);
	if (o->name)
		put(t, " \"%s\"", o->name);
	if (o->handle == ACL_HANDLE_NONE)
		put(t, ", %llu bytes", (unsigned long long)o->size);
	if (o->device >= 0)
		put(t, ", device %d", o->device);
	if (o->context) {
		put(t, ", context ");
		put_address(t, o->context);
	}
	put_site(t, "created", &o->created);
	put_site(t, "used", &o->last_used);
	put_site(t, "destroyed", &o->destroyed);
	put(t, o->serial ? "\n" : "; without a number\n");
}

static const char *rule_of(const struct fixture *fixture, uint64_t serial)
{
	for (unsigned i = 0; i < fixture->n_found; i++)
		if (fixture->found[i].serial == serial)
			return fixture->found[i].rule->id;
	return "?";
}

void fixture_text(struct fixture *fixture, const struct acl_finding *f, char *out, size_t size)
{
	static const char *const severities[] = {"portability", "perf", "warning", "error"};
	struct text t = {fixture, out, size};

	put(&t, "%s %s", f->advice ? "advice" : severities[f->severity], f->rule->id);
	if (f->event)
		put(&t, " at %s#%u%s", api_name(f->event->api), site_number(fixture, f->event->caller),
			f->stack == site_number(fixture, f->event->caller) ? "" : " without its stack");
	if (f->repeat > 1)
		put(&t, ", time %llu", (unsigned long long)f->repeat);
	if (!f->event && f->at.caller)
		put(&t, " of %s#%u", api_name(f->at.api), site_number(fixture, f->at.caller));
	put(&t, "%s%s", f->relaxed ? ", relaxed later" : "", f->at_leave ? ", at leave" : "");
	if (f->secondary)
		put(&t, ", because of %s", f->cause ? rule_of(fixture, f->cause) : "nothing");
	put(&t, "\n  says ");
	put_sentence(&t, f->detail && f->detail[0] ? f->detail : "nothing");
	put(&t, "\n");
	for (unsigned i = 0; i < f->n_values; i++)
		put_value(&t, &f->values[i]);
	for (unsigned i = 0; i < f->n_objects; i++)
		put_object(&t, &f->objects[i]);
}
