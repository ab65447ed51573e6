/* SPDX-License-Identifier: Apache-2.0 */
/* Sites (rule, function, caller) with exact counts, and the making of findings. */
#include <stdarg.h>
#include <stdio.h>

#include "checks/report.h"

#define SITES 16384

struct site {
	_Atomic uint64_t key; /* 0 = free */
	_Atomic uint64_t count;
	_Atomic uint64_t caller, serial;
	_Atomic uint16_t rule, api;
	_Atomic uint8_t severity;
	_Atomic bool advice, secondary;
};

struct site_table {
	_Atomic uint32_t used;
	struct site sites[SITES];
};

bool report_create(struct checks *c)
{
	c->sites = checks_alloc(c, sizeof(*c->sites));
	return c->sites != NULL;
}

/* The site of a key, taken when new. NULL: the table is full. */
static struct site *site_of(struct checks *c, uint64_t key)
{
	for (uint64_t i = key, tries = 0; tries < SITES; i++, tries++) {
		struct site *s = &c->sites->sites[i % SITES];
		uint64_t found = ld_acquire(&s->key);

		if (found == key)
			return s;
		if (found)
			continue;
		if (atomic_compare_exchange_strong(&s->key, &found, key)) {
			bump(&c->sites->used);
			return s;
		}
		if (found == key)
			return s;
	}
	checks_in_trouble(c, "more sites with findings than the table holds");
	return NULL;
}

/* Shown at 1, 10, 100 … */
static bool shown_at(uint64_t n)
{
	while (n >= 10 && n % 10 == 0)
		n /= 10;
	return n == 1;
}

bool rule_wanted(const struct checks *c, const struct acl_rule *rule)
{
	return rule && !c->settings[rule->index].off;
}

/* Severity and kind of this finding after configuration and target; false = nothing to say. */
static bool grade(
	struct checks *c, const struct acl_rule *rule, const struct finding_grade *g, struct acl_finding *f)
{
	const struct rule_setting *s = &c->settings[rule->index];
	int since = rule->relaxed_since, to = g->relaxed_to == -1 ? rule->relaxed_to : g->relaxed_to;

	f->severity = g->severity >= 0 ? (uint8_t)g->severity : rule->severity;
	f->advice = s->advice || g->advice;
	f->secondary = g->secondary;
	f->relaxed = since >= 0 && to != NOT_RELAXED && ld(&c->target) < 0;
	if (since < 0 || to == NOT_RELAXED || ld(&c->target) < since)
		return true;
	if (to == ACL_RELAXED_OFF)
		return false;
	if (to < f->severity)
		f->severity = (uint8_t)to;
	return true;
}

struct acl_finding *finding_begin_as(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	struct finding_grade g, struct finding_buffer *room)
{
	uint64_t where = g.site ? g.site : ev ? ev->caller : 1, key, n;
	unsigned api = ev ? ev->api : 0xffff;
	struct acl_finding graded;
	struct site *s;

	if (!rule || c->settings[rule->index].off || (ev && !judged(ev)) || !grade(c, rule, &g, &graded))
		return NULL;
	if (c->host.place)
		where ^= mix64(c->host.place(c->host.context, ev, rule));
	key = mix64(where ^ (uint64_t)rule->index << 48 ^ (uint64_t)api << 36) | 1;
	s = site_of(c, key);
	if (!s)
		return NULL;
	n = bump(&s->count) + 1;
	if (n == 1) {
		st(&s->rule, rule->index);
		st(&s->api, api);
		st(&s->caller, ev ? ev->caller : g.caller);
		st(&s->severity, graded.severity);
		st(&s->advice, graded.advice);
		st(&s->secondary, graded.secondary);
		st_release(&s->serial, bump(&c->finding_serials) + 1);
	}
	if (ev && !graded.secondary && !graded.advice && !ev->carry[CARRY_FINDING])
		ev->carry[CARRY_FINDING] = ld_acquire(&s->serial);
	if (!shown_at(n))
		return NULL;
	memset(&room->finding, 0, sizeof(room->finding));
	room->finding.rule = rule;
	room->finding.severity = graded.severity;
	room->finding.advice = graded.advice;
	room->finding.secondary = graded.secondary;
	room->finding.relaxed = graded.relaxed;
	room->finding.cause = g.cause;
	room->finding.serial = ld_acquire(&s->serial);
	room->finding.repeat = n;
	room->finding.event = ev;
	room->finding.stack = ev ? ev->stack : 0;
	room->finding.at_leave = ev && ev->result.u; /* checks of successful calls say so themselves */
	room->finding.detail = room->detail;
	room->detail[0] = 0;
	return &room->finding;
}

static void detail_at(struct acl_finding *f, size_t at, const char *format, va_list ap)
{
	struct finding_buffer *room = (struct finding_buffer *)f;

	if (at < sizeof(room->detail))
		vsnprintf(room->detail + at, sizeof(room->detail) - at, format, ap);
}

void finding_detail(struct acl_finding *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	detail_at(f, 0, format, ap);
	va_end(ap);
}

void finding_more(struct acl_finding *f, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	detail_at(f, strlen(((struct finding_buffer *)f)->detail), format, ap);
	va_end(ap);
}

static struct acl_value *value_add(struct acl_finding *f, const char *name, unsigned form)
{
	struct acl_value *v;

	if (f->n_values >= ACL_FINDING_VALUES)
		return NULL;
	v = &f->values[f->n_values++];
	v->name = name;
	v->form = (uint8_t)form;
	v->enum_index = ACL_NONE;
	return v;
}

static void number_add(struct acl_finding *f, const char *name, unsigned form, uint64_t u)
{
	struct acl_value *v = value_add(f, name, form);

	if (v)
		v->u = u;
}

void finding_uint(struct acl_finding *f, const char *name, uint64_t v)
{
	number_add(f, name, ACL_VALUE_UINT, v);
}

void finding_int(struct acl_finding *f, const char *name, int64_t v)
{
	number_add(f, name, ACL_VALUE_INT, (uint64_t)v);
}

void finding_address(struct acl_finding *f, const char *name, const void *v)
{
	number_add(f, name, ACL_VALUE_ADDRESS, (uintptr_t)v);
}

void finding_bytes(struct acl_finding *f, const char *name, uint64_t v)
{
	number_add(f, name, ACL_VALUE_BYTES, v);
}

void finding_api(struct acl_finding *f, const char *name, unsigned api)
{
	number_add(f, name, ACL_VALUE_API, api);
}

void finding_error(struct acl_finding *f, const char *name, int64_t code)
{
	number_add(f, name, ACL_VALUE_ERROR, (uint64_t)code);
}

void finding_enum(struct acl_finding *f, const char *name, const char *enum_name, int64_t value)
{
	struct acl_value *v = value_add(f, name, ACL_VALUE_ENUM);

	if (!v)
		return;
	v->i = value;
	for (unsigned i = 0; i < acl_enum_count; i++)
		if (!strcmp(acl_enums[i].name, enum_name))
			v->enum_index = (int16_t)i;
}

static uint64_t context_value(struct checks *c, acl_ref ref)
{
	struct acl_object *context = object_of(c, ref);

	return context && context->kind == ACL_HANDLE_CONTEXT ? ld(&context->value) : 0;
}

static struct acl_biography *biography_add(struct acl_finding *f, const char *role)
{
	struct acl_biography *b;

	if (f->n_objects >= ACL_FINDING_OBJECTS)
		return NULL;
	b = &f->objects[f->n_objects++];
	b->role = role;
	return b;
}

void finding_object(
	struct checks *c, struct acl_finding *f, const char *role, const struct acl_object *object)
{
	struct acl_object *o = (struct acl_object *)object;
	struct acl_biography *b;

	/* The first part an object plays is the one it is told for. */
	for (unsigned i = 0; o && i < f->n_objects; i++) {
		b = &f->objects[i];
		if (b->handle == o->kind && b->value == ld(&o->value) && b->serial == ld(&o->serial))
			return;
	}
	b = o ? biography_add(f, role) : NULL;
	if (!b)
		return;
	b->handle = o->kind;
	b->kind = acl_handle_names[o->kind];
	b->value = ld(&o->value);
	b->serial = ld(&o->serial);
	b->device = ld(&o->device);
	b->context = context_value(c, ld(&o->context));
	moment_copy(&b->created, &o->created);
	moment_copy(&b->last_used, &o->last_used);
	moment_copy(&b->destroyed, &o->destroyed);
}

const char *memory_kind_name(unsigned kind)
{
	static const char *const names[] = {"memory", "device memory", "page-locked host memory",
		"managed memory", "pool memory", "imported memory", "mapped memory", "reserved address range",
		"registered host memory"};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : names[0];
}

void finding_block(struct checks *c, struct acl_finding *f, const char *role, const struct acl_block *block)
{
	struct acl_block *m = (struct acl_block *)block;
	struct acl_biography *b = m ? biography_add(f, role) : NULL;

	if (!b)
		return;
	b->handle = ACL_HANDLE_NONE;
	b->kind = memory_kind_name(ld(&m->kind));
	b->value = ld(&m->base);
	b->size = ld(&m->size);
	b->serial = ld(&m->serial);
	b->device = ld(&m->device);
	b->context = context_value(c, ld(&m->owner));
	moment_copy(&b->created, &m->created);
}

void finding_show(struct checks *c, struct acl_finding *f)
{
	if (f->event && !f->stack && c->host.stack)
		f->stack = c->host.stack(c->host.context, f->event);
	if (c->host.finding)
		c->host.finding(c->host.context, f);
}

const char *human_bytes(uint64_t bytes, char out[24])
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	unsigned u = 0;

	while (u < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	snprintf(out, 24, "%llu %s", (unsigned long long)bytes, unit[u]);
	return out;
}

void checks_each_site(const struct checks *c, checks_site_fn fn, void *context)
{
	for (unsigned i = 0; i < SITES; i++) {
		struct site *s = &c->sites->sites[i];

		if (!ld_acquire(&s->key) || !ld(&s->count) || !ld_acquire(&s->serial))
			continue;
		fn(context, &(struct checks_place){.rule = &acl_rules[ld(&s->rule)],
				    .caller = ld(&s->caller),
				    .count = ld(&s->count),
				    .serial = ld(&s->serial),
				    .api = ld(&s->api),
				    .severity = ld(&s->severity),
				    .advice = ld(&s->advice),
				    .secondary = ld(&s->secondary)});
	}
}

void checks_totals(const struct checks *c, struct checks_totals *out)
{
	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < SITES; i++) {
		struct site *s = &c->sites->sites[i];

		if (!ld(&s->count) || ld(&s->secondary))
			continue;
		if (ld(&s->advice))
			out->advice += ld(&s->count);
		else
			out->findings[ld(&s->severity) & 3] += ld(&s->count);
	}
	for (unsigned i = 0; i < ACL_THREADS; i++)
		for (unsigned api = 0; c->threads[i].asked && api < ACL_API_COUNT; api++)
			out->calls += ld(&c->threads[i].asked->api[api].calls);
	out->trouble = ld(&((struct checks *)c)->trouble);
	out->trouble_text = ld(&((struct checks *)c)->trouble_text);
}

void finding_say(struct checks *c, struct acl_event *ev, const struct acl_rule *rule, const char *name,
	const void *value, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_first(c, ev, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_address(f, name, value);
	finding_show(c, f);
}

void finding_on(struct checks *c, struct acl_event *ev, const struct acl_rule *rule,
	const struct acl_object *o, const struct acl_object *other, const char *format, ...)
{
	struct finding_buffer room;
	struct acl_finding *f;
	va_list ap;

	f = finding_first(c, ev, rule, &room);
	if (!f)
		return;
	va_start(ap, format);
	detail_at(f, 0, format, ap);
	va_end(ap);
	if (o)
		finding_object(c, f, acl_handle_names[o->kind], o);
	if (other)
		finding_object(c, f, acl_handle_names[other->kind], other);
	finding_show(c, f);
}
