/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument rules: one small interpreter of the needs in the model
 * (include/aclcheck/needs.h), bound to every function that has any.
 */
#include "aclcheck/needs.h"
#include "checks/report.h"

typedef __int128 number; /* wide enough for sums and products of any two values */

static number widen(const void *at, const struct acl_operand *o)
{
	union {
		uint64_t u;
		int64_t i;
	} v = { 0 };

	switch (o->size) {
	case 1:
		v.u = *(const uint8_t *)at;
		if (o->is_signed)
			v.i = (int8_t)v.u;
		break;
	case 2:
		v.u = *(const uint16_t *)at;
		if (o->is_signed)
			v.i = (int16_t)v.u;
		break;
	case 4:
		v.u = *(const uint32_t *)at;
		if (o->is_signed)
			v.i = (int32_t)v.u;
		break;
	default:
		v.u = *(const uint64_t *)at;
		break;
	}
	if (o->value)
		v.u &= o->value;
	return (o->is_signed && !o->value ? (number)v.i : (number)v.u) * o->factor;
}

/* Where an operand lies; NULL = behind a NULL pointer. */
static const void *place(const struct acl_operand *o, const void *args)
{
	const unsigned char *at = (const unsigned char *)args + o->offset;

	if (o->how == ACL_OPERAND_PARAM)
		return at;
	at = *(const unsigned char *const *)at;
	return at ? at + o->behind : NULL;
}

/* false: unknown. */
static bool fetch(const struct acl_operand *o, const void *args, number *v)
{
	const void *at;

	if (o->how == ACL_OPERAND_NUMBER) {
		*v = (int64_t)o->value;
		return true;
	}
	at = place(o, args);
	if (at)
		*v = widen(at, o);
	return at != NULL;
}

static bool in_ranges(const struct acl_term *t, number v)
{
	for (unsigned i = 0; i < t->n_ranges; i++)
		if (v >= t->ranges[i].low && v <= t->ranges[i].high)
			return true;
	return false;
}

static bool all_zero(const unsigned char *at, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (at[i])
			return false;
	return true;
}

enum holds { NO, YES, UNKNOWN };

static enum holds compare(const struct acl_term *t, number left, number right)
{
	switch (t->op) {
	case ACL_TERM_EQ:
		return left == right;
	case ACL_TERM_NE:
		return left != right;
	case ACL_TERM_LT:
		return left < right;
	case ACL_TERM_LE:
		return left <= right;
	case ACL_TERM_GT:
		return left > right;
	case ACL_TERM_GE:
		return left >= right;
	case ACL_TERM_ALIGN:
		return (uint64_t)left % (uint64_t)right == 0;
	default:
		return UNKNOWN;
	}
}

static enum holds term_holds(const struct acl_term *t, const void *args)
{
	number left, more, right;

	if (t->op == ACL_TERM_ZERO) {
		const void *at = place(&t->left, args);

		return at ? all_zero(at, t->left.size) : UNKNOWN;
	}
	if (!fetch(&t->left, args, &left))
		return UNKNOWN;
	if (t->more.size) {
		if (!fetch(&t->more, args, &more))
			return UNKNOWN;
		left += more;
	}
	if (t->op == ACL_TERM_SET)
		return left != 0;
	if (t->op == ACL_TERM_IN)
		return in_ranges(t, left);
	if (t->op == ACL_TERM_OUT)
		return !in_ranges(t, left);
	return fetch(&t->right, args, &right) ? compare(t, left, right) : UNKNOWN;
}

static bool applies(struct checks *c, const struct acl_need *n, const void *args)
{
	int target = ld(&c->target);

	if ((n->since >= 0 && target < n->since) || (n->until >= 0 && target >= n->until))
		return false;
	if (n->not_soc && c->soc && strstr(c->soc, n->not_soc))
		return false;
	for (unsigned i = 1; i < n->n_terms; i++)
		if (term_holds(&n->terms[i], args) != YES)
			return false;
	return true;
}

/* --- saying it ------------------------------------------------------------------- */

/* What the model knows of a field behind or in a parameter. */
static const struct acl_field *field_of(const struct acl_param *p, const char *name)
{
	const char *path = strchr(name, '.');
	const struct acl_struct *s;

	if (!path || p->struct_index < 0)
		return NULL;
	s = &acl_structs[p->struct_index];
	for (unsigned i = 0; i < s->n_fields; i++)
		if (!strcmp(s->fields[i].name, path + 1))
			return &s->fields[i];
	return NULL;
}

static unsigned kind_of(const struct acl_operand *o, const struct acl_param *p, const struct acl_field *field)
{
	if (field)
		return field->kind;
	return o->how == ACL_OPERAND_BEHIND ? p->pointee_kind : p->kind;
}

static bool pointer_kind(unsigned kind)
{
	return kind == ACL_KIND_POINTER || kind == ACL_KIND_HANDLE || kind == ACL_KIND_STRING || kind == ACL_KIND_CALLBACK;
}

static void say_operand(struct acl_finding *f, const struct acl_operand *o, const struct acl_event *ev)
{
	const struct acl_param *p;
	const struct acl_field *field;
	unsigned kind;
	number v;

	if (!o->size || o->param < 0)
		return;
	p = &acl_apis[ev->api].params[o->param];
	field = field_of(p, o->name);
	kind = kind_of(o, p, field);
	if (o->size > 8 || !place(o, ev->args))
		return;
	v = widen(place(o, ev->args), &(struct acl_operand){ .size = o->size, .is_signed = o->is_signed, .factor = 1 });
	if (kind == ACL_KIND_ENUM && (field ? field->enum_index : p->enum_index) >= 0)
		finding_enum(f, o->name, acl_enums[field ? field->enum_index : p->enum_index].name, (int64_t)v);
	else if (pointer_kind(kind))
		finding_address(f, o->name, (const void *)(uintptr_t)v);
	else if (o->is_signed)
		finding_int(f, o->name, (int64_t)v);
	else
		finding_uint(f, o->name, (uint64_t)v);
}

static void say(struct acl_finding *f, const struct acl_need *n, const struct acl_event *ev)
{
	const struct acl_term *t = n->terms;
	const struct acl_param *p = t->left.param >= 0 ? &acl_apis[ev->api].params[t->left.param] : NULL;

	if (t->op == ACL_TERM_SET && p && !t->more.size && n->n_terms == 1)
		finding_detail(f, "%s is %s.", t->left.name,
			pointer_kind(kind_of(&t->left, p, field_of(p, t->left.name))) ? "NULL" : "0");
	else
		finding_detail(f, "What %s needs does not hold: %s.", acl_apis[ev->api].name, n->text);
	for (unsigned i = 0; i < n->n_terms; i++) {
		say_operand(f, &n->terms[i].left, ev);
		say_operand(f, &n->terms[i].more, ev);
		say_operand(f, &n->terms[i].right, ev);
	}
}

/* One call, one report: the first need that is broken ends it. */
static void check_needs(struct checks *c, struct acl_event *ev)
{
	const struct acl_need_span *span = &acl_needs_of[ev->api];
	const struct acl_need *n = &acl_needs[span->first], *end = n + span->count;
	struct finding_grade grade = GRADE_TABLE;
	const struct acl_rule *rule;
	struct finding_buffer room;
	struct acl_finding *f;

	for (; n < end; n++) {
		if (__builtin_expect(term_holds(n->terms, ev->args) != NO, 1) || !applies(c, n, ev->args))
			continue;
		rule = acl_rule_find(n->rule);
		if (!rule_wanted(c, rule))
			continue;
		grade.severity = n->severity;
		f = finding_begin_as(c, ev, rule, grade, &room);
		if (f) {
			say(f, n, ev);
			finding_show(c, f);
		}
		return;
	}
}

static void bind_needs(void (*add)(void *binder, unsigned api, enum acl_phase, acl_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_needs_of[api].count)
			add(binder, api, ACL_ENTER, check_needs);
}

const struct acl_topic topic_arguments = { .name = "arguments", .bind = bind_needs };
