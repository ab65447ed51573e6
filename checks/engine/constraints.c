/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The argument rules: one small interpreter of the needs in the model
 * (include/aclcheck/constraints.h), bound to every function that has any.
 */
#include "aclcheck/terms.h"
#include "checks/engine/finding_statement.h"
#include "checks/engine/program_memory.h"

/* Whether the product is one of "310P,310B". */
static bool soc_among(const char *soc, const char *names)
{
	for (size_t n; soc && *names; names += n + (names[n] == ',')) {
		n = strcspn(names, ",");
		if (n && memmem(soc, strlen(soc), names, n))
			return true;
	}
	return false;
}

bool constraint_in_force(const struct checks *c, const struct acl_constraint *n)
{
	int target = load_relaxed(&c->target);

	if ((n->since >= 0 && target < n->since) || (n->until >= 0 && target >= n->until))
		return false;
	if (n->not_soc && soc_is(c, need_text(n->not_soc)))
		return false;
	return !n->only_soc || soc_among(c->soc, need_text(n->only_soc));
}

bool function_demands(const struct checks *c, unsigned api, const struct acl_rule *rule)
{
	const struct acl_need_span *span = &acl_constraints_of[api];

	for (unsigned i = 0; rule && i < span->count; i++) {
		const struct acl_constraint *n = &acl_constraints[span->first + i];

		if (n->rule == rule->index && constraint_in_force(c, n))
			return true;
	}
	return false;
}

static bool applies(struct checks *c, const struct acl_constraint *n, const void *args, const void *behind)
{
	if (!constraint_in_force(c, n))
		return false;
	for (unsigned i = 1; i < n->n_terms; i++)
		if (term_holds(&need_terms(n)[i], args, behind) != YES)
			return false;
	return true;
}

/* --- reporting it ----------------------------------------------------------------- */

/* What the model knows of a field behind or in a parameter. */
static const struct acl_field *field_of(const struct acl_param *p, const char *name)
{
	const char *path = strchr(name, '.');
	const struct acl_struct *s;

	if (!path || p->struct_index < 0)
		return NULL;
	s = &acl_structs[p->struct_index];
	for (unsigned i = 0; i < s->n_fields; i++)
		if (!strcmp(acl_text(acl_fields(s)[i].name), path + 1))
			return &acl_fields(s)[i];
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
	return kind == ACL_KIND_POINTER || kind == ACL_KIND_HANDLE || kind == ACL_KIND_STRING ||
	       kind == ACL_KIND_CALLBACK;
}

/* The value of an operand; nothing where it has none. */
static struct finding_part operand_part(
	const struct acl_operand *o, const struct acl_call_record *call, const void *behind)
{
	const char *name = need_text(o->name);
	const struct acl_param *p;
	const struct acl_field *field;
	unsigned kind;
	int index;
	number v;

	if (!o->size || o->param < 0 || o->size > 8 || !place(o, call->args, behind))
		return part_none();
	p = &acl_params(&acl_apis[call->api])[o->param];
	field = field_of(p, name);
	kind = kind_of(o, p, field);
	index = field ? field->enum_index : p->enum_index;
	v = widen(place(o, call->args, behind),
		&(struct acl_operand){.size = o->size, .is_signed = o->is_signed, .factor = 1});
	if (kind == ACL_KIND_ENUM && index >= 0)
		return part_enum(name, acl_enums[index].name, (int64_t)v);
	if (pointer_kind(kind))
		return part_handle(name, (uint64_t)v);
	return o->is_signed ? part_int(name, (int64_t)v) : part_uint(name, (uint64_t)v);
}

/* A condition may ask for what the need itself compares. */
static bool is_among(const struct acl_operand *o, const struct acl_operand *const *shown, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (shown[i]->name == o->name)
			return true;
	return false;
}

/* The values of all operands, each once, as many as a finding shows. */
static void operand_parts(struct finding_part parts[ACL_FINDING_VALUES + 1], const struct acl_constraint *n,
	const struct acl_call_record *call, const void *behind)
{
	const struct acl_term *t = need_terms(n), *end = t + (t->op == ACL_TERM_NEVER ? 0 : n->n_terms);
	const struct acl_operand *shown[ACL_FINDING_VALUES];
	unsigned at = 0;

	for (; t < end; t++) {
		const struct acl_operand *of[] = {&t->left, &t->more, &t->right};

		for (unsigned k = 0; k < 3 && at < ACL_FINDING_VALUES; k++) {
			parts[at] = operand_part(of[k], call, behind);
			if (parts[at].kind != PART_NONE && !is_among(of[k], shown, at))
				shown[at++] = of[k];
		}
	}
	parts[at].kind = PART_END;
}

static void report(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct acl_constraint *n, const void *behind)
{
	const struct acl_term *t = need_terms(n);
	const char *name = need_text(t->left.name);
	const struct acl_param *p =
		t->left.param >= 0 ? &acl_params(&acl_apis[call->api])[t->left.param] : NULL;
	struct finding_part parts[ACL_FINDING_VALUES + 2] = {part_severity(n->severity)};

	operand_parts(parts + 1, n, call, behind);
	if (t->op == ACL_TERM_SET && p && !t->more.size && n->n_terms == 1)
		FINDING_BROKEN(c, call, rule, parts, "%s is %s.", name,
			pointer_kind(kind_of(&t->left, p, field_of(p, name))) ? "NULL" : "0");
	else
		FINDING_BROKEN(c, call, rule, parts, "%s", need_text(n->text));
}

/* One call, one report: the first need that is broken ends it. */
void constraints_report(
	struct checks *c, struct acl_call_record *call, const void *behind, unsigned evaluated)
{
	const struct acl_need_span *span = &acl_constraints_of[call->api];
	const struct acl_constraint *n = &acl_constraints[span->first], *end = n + span->count;
	const struct acl_rule *rule;

	/* Those of products are not among what was evaluated. */
	if (!(evaluated & ACL_NEEDS_BROKEN) && !c->soc)
		n += span->before_never;
	for (; n < end; n++) {
		if (term_holds(need_terms(n), call->args, behind) != NO || !applies(c, n, call->args, behind))
			continue;
		rule = &acl_rules[n->rule];
		if (!rule_wanted(c, rule))
			continue;
		/* "never" is said at every call: mostly it only needs to be counted. */
		if (!finding_repeats(c, call, rule))
			report(c, call, rule, n, behind);
		/* Advice hides nothing. */
		if (!c->settings[rule->index].advice)
			return;
	}
}

static void check(struct checks *c, struct acl_call_record *call, const void *behind)
{
	unsigned needs = acl_constraints_evaluate[call->api](call->args, behind);

	call->state.evaluated |= needs & EVALUATED_CONSTRAINTS;
	if (__builtin_expect(needs & (ACL_NEEDS_BROKEN | ACL_NEEDS_NEVER) || c->soc, 0))
		constraints_report(c, call, behind, needs);
}

/* What they look at behind a pointer is copied first. */
static void check_needs_behind(struct checks *c, struct acl_call_record *call)
{
	const struct acl_need_span *span = &acl_constraints_of[call->api];
	_Alignas(16) char copy[ACL_NEEDS_BEHIND];
	const void *behind;

	memcpy(&behind, (const char *)call->args + span->behind_param, sizeof(behind));
	check(c, call, program_read(c, behind, copy, span->behind_size) ? copy : NULL);
}

/* The others are evaluated before all hooks of rules: struct call_plan. */
static void constraints_bind(
	void (*add)(void *binder, unsigned api, enum acl_phase, check_hook_fn), void *binder)
{
	for (unsigned api = 0; api < ACL_API_COUNT; api++)
		if (acl_constraints_of[api].behind_size)
			add(binder, api, ACL_ENTER | ACL_DECIDES, check_needs_behind);
}

const struct check_module module_arguments = {.bind = constraints_bind};
