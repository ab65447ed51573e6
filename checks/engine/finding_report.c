/* SPDX-License-Identifier: Apache-2.0 */
/* The making of findings. */
#include <stdarg.h>

#include "checks/engine/call_sites.h"
#include "checks/engine/finding_collect.h"
#include "checks/engine/finding_report.h"
#include "checks/engine/plain_format.h"

/* Shown at 1, 10, 100 … */
bool finding_shown_at(uint64_t n)
{
	while (n >= 10 && n % 10 == 0)
		n /= 10;
	return n == 1;
}

uint64_t finding_shown_after(uint64_t n)
{
	uint64_t next = 1;

	while (next <= n && next <= UINT64_MAX / 10)
		next *= 10;
	return next;
}

bool rule_wanted(const struct checks *c, const struct acl_rule *rule)
{
	return rule && !c->settings[rule->index].off;
}

struct graded {
	uint8_t severity;
	bool advice, secondary, relaxed;
};

/* Severity and kind of this finding after configuration and target; false = nothing to say. */
static bool grade(
	const struct checks *c, const struct acl_rule *rule, const struct finding_grade *g, struct graded *f)
{
	const struct rule_setting *s = &c->settings[rule->index];
	int since = rule->relaxed_since, to = g->relaxed_to == -1 ? rule->relaxed_to : g->relaxed_to;

	f->severity = g->severity >= 0 ? (uint8_t)g->severity : rule->severity;
	f->advice = s->advice || g->advice;
	f->secondary = g->secondary || g->beside == BESIDE_AS_REASON;
	f->relaxed = since >= 0 && to != NOT_RELAXED && load_relaxed(&c->target) < 0;
	if (since < 0 || to == NOT_RELAXED || load_relaxed(&c->target) < since)
		return true;
	if (to == ACL_RELAXED_OFF)
		return false;
	if (to < f->severity)
		f->severity = (uint8_t)to;
	return true;
}

bool checks_severity_on(const struct checks *c, enum acl_severity least)
{
	for (unsigned i = 0; i < acl_rule_count; i++) {
		const struct acl_rule *rule = &acl_rules[i];
		struct graded f;

		if (rule->state == ACL_RULE_IMPLEMENTED && rule_wanted(c, rule) &&
			grade(c, rule, &GRADE_TABLE, &f) && !f.advice && f.severity >= least)
			return true;
	}
	return false;
}

/* Where the finding is made: collected with those of its call, else memory of its own. NULL: there is none.
 */
static struct finding_draft *draft_for(struct checks *c, struct acl_call_record *call)
{
	struct finding_draft *d = finding_collect(c, call);

	if (!d)
		d = checks_alloc(c, sizeof(*d));
	return d;
}

static void fill(struct acl_finding *f, const struct acl_rule *rule, const struct graded *graded)
{
	f->rule = rule;
	f->severity = graded->severity;
	f->advice = graded->advice;
	f->secondary = graded->secondary;
	f->relaxed = graded->relaxed;
	f->serial = f->repeat = 0;
	f->n_values = f->n_objects = 0;
}

/* One that is not collected is counted at once; whether it is shown. */
static bool is_shown_alone(struct checks *c, struct acl_call_record *call, struct finding_draft *d)
{
	uint64_t before = call ? call->state.finding : 0;
	struct acl_finding *f = &d->finding;

	if (!before && d->beside == BESIDE_AS_REASON)
		return false;
	if (before && d->beside) {
		f->secondary = true;
		f->cause = before;
	}
	if (!call_site_count_one(c, call, d->key, d->caller, f))
		return false;
	if (call && !before && !f->secondary && !f->advice)
		call->state.finding = f->serial;
	return finding_shown_at(f->repeat);
}

/* Counted, unless that waits for the end of the phase; whether it is to be shown. */
static bool is_shown(struct checks *c, struct acl_call_record *call, struct finding_draft *d)
{
	if (d->collected)
		return finding_collected(c, call, d);
	if (is_shown_alone(c, call, d))
		return true;
	checks_forget(c, d, sizeof(*d));
	return false;
}

struct acl_finding *finding_begin_as(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, struct finding_grade g, struct finding_buffer *room)
{
	struct finding_draft *d;
	struct acl_finding *f;
	struct graded graded;

	if (!rule || c->settings[rule->index].off || (call && !is_checked(call)) ||
		!grade(c, rule, &g, &graded) || finding_superfluous(call, rule))
		return NULL;
	d = room->draft = draft_for(c, call);
	if (!d)
		return NULL;
	f = &d->finding;
	fill(f, rule, &graded);
	d->caller = call ? call->caller : g.caller;
	d->key = call_site_key(c, call, rule, g.site ? g.site : call ? call->caller : 1);
	d->beside = g.beside;
	d->detail[0] = 0;
	f->at_leave = call && call->state.phase != ACL_ENTER;
	f->cause = g.cause;
	f->event = call;
	f->stack = call ? call->stack : 0;
	f->detail = d->detail;
	if (!is_shown(c, call, d))
		return NULL;
	memset(f->values, 0, sizeof(f->values));
	memset(f->objects, 0, sizeof(f->objects));
	return f;
}

static void detail_at(struct acl_finding *f, size_t at, const char *format, va_list ap)
{
	struct finding_draft *d = (struct finding_draft *)f;

	if (at < sizeof(d->detail))
		plain_format(d->detail + at, sizeof(d->detail) - at, format, ap);
}

void finding_vdetail(struct acl_finding *f, const char *format, va_list ap)
{
	detail_at(f, 0, format, ap);
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
	detail_at(f, strlen(((struct finding_draft *)f)->detail), format, ap);
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

	return context && context->kind == ACL_HANDLE_CONTEXT ? load_relaxed(&context->value) : 0;
}

static struct acl_object_history *biography_add(struct acl_finding *f, const char *role)
{
	struct acl_object_history *b;

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
	struct acl_object_history *b;

	/* The first part an object plays is the one it is told for. */
	for (unsigned i = 0; o && i < f->n_objects; i++) {
		b = &f->objects[i];
		if (b->handle == o->kind && b->value == load_relaxed(&o->value) &&
			b->serial == load_relaxed(&o->serial))
			return;
	}
	b = o ? biography_add(f, role) : NULL;
	if (!b)
		return;
	b->handle = o->kind;
	b->kind = acl_handle_names[o->kind];
	b->value = load_relaxed(&o->value);
	b->serial = load_relaxed(&o->serial);
	b->device = load_relaxed(&o->device);
	b->context = context_value(c, load_relaxed(&o->context));
	call_site_copy(&b->created, &o->created);
	call_site_copy(&b->last_used, &o->last_used);
	call_site_copy(&b->destroyed, &o->destroyed);
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
	struct acl_object_history *b = m ? biography_add(f, role) : NULL;

	if (!b)
		return;
	b->handle = ACL_HANDLE_NONE;
	b->kind = memory_kind_name(load_relaxed(&m->kind));
	b->value = load_relaxed(&m->base);
	b->size = load_relaxed(&m->size);
	b->serial = load_relaxed(&m->serial);
	b->device = load_relaxed(&m->device);
	b->context = context_value(c, load_relaxed(&m->owner));
	call_site_copy(&b->created, &m->created);
}

void finding_send(struct checks *c, struct acl_finding *f)
{
	if (f->event && !f->stack && c->host.stack)
		f->stack = c->host.stack(c->host.context, f->event);
	if (c->host.finding)
		c->host.finding(c->host.context, f);
}

/* A collected one is sent when the phase of its call ends. */
void finding_show(struct checks *c, struct acl_finding *f)
{
	struct finding_draft *d = (struct finding_draft *)f;

	if (d->collected)
		return;
	finding_send(c, f);
	checks_forget(c, d, sizeof(*d));
}

const char *human_bytes(uint64_t bytes, char out[24])
{
	static const char *const unit[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	unsigned u = 0;

	while (u < 4 && bytes >= 1024 && bytes % 1024 == 0) {
		bytes /= 1024;
		u++;
	}
	return plain_print(out, 24, "%llu %s", (unsigned long long)bytes, unit[u]);
}

void finding_say(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const char *name, const void *value, const char *detail)
{
	struct finding_buffer room;
	struct acl_finding *f = finding_begin(c, call, rule, &room);

	if (!f)
		return;
	finding_detail(f, "%s", detail);
	finding_address(f, name, value);
	finding_show(c, f);
}

void finding_on(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct acl_object *o, const struct acl_object *other, const char *format, ...)
{
	struct finding_buffer room;
	struct acl_finding *f;
	va_list ap;

	f = finding_begin(c, call, rule, &room);
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
