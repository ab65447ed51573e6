/* SPDX-License-Identifier: Apache-2.0 */
/* From the parts of a statement to a finding. */
#include "checks/engine/finding_statement.h"

#include <stdarg.h>

#include "checks/engine/object_names.h"
#include "checks/engine/plain_format.h"

static struct finding_grade grade_of(const struct finding_part *parts)
{
	struct finding_grade g = GRADE_TABLE;

	for (; parts->kind != PART_END; parts++) {
		if (parts->kind < PART_SEVERITY)
			continue;
		switch (parts->kind) {
		case PART_SEVERITY:
			g.severity = (int8_t)parts->i;
			break;
		case PART_ADVICE:
			g.advice = parts->u != 0;
			break;
		case PART_RELAXED_TO:
			g.relaxed_to = (int16_t)parts->i;
			break;
		case PART_CONSEQUENCE_OF:
			g.cause = parts->u;
			g.secondary = parts->u != 0;
			break;
		case PART_SECONDARY:
			g.secondary = parts->u != 0;
			break;
		case PART_BESIDE:
			g.beside = (uint8_t)parts->u;
			break;
		case PART_SITE:
			g.site = parts->u;
			break;
		case PART_CALLER:
			g.caller = parts->u;
			break;
		case PART_WHERE:
			g.caller = parts->u >> CALL_SITE_API_BITS;
			g.at = (struct acl_call_site){.caller = g.caller, .api = (uint16_t)parts->u};
			break;
		}
	}
	return g;
}

/* --- exact values ------------------------------------------------------------------- */

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

static void enum_add(struct acl_finding *f, const char *name, const char *enum_name, int64_t value)
{
	struct acl_value *v = value_add(f, name, ACL_VALUE_ENUM);

	if (!v)
		return;
	v->i = value;
	for (unsigned i = 0; i < acl_enum_count; i++)
		if (!strcmp(acl_enums[i].name, enum_name))
			v->enum_index = (int16_t)i;
}

/* --- histories ----------------------------------------------------------------------- */

static uint64_t context_value(struct checks *c, acl_ref ref)
{
	struct acl_object *context = object_of(c, ref);

	return context && context->kind == ACL_HANDLE_CONTEXT ? load_relaxed(&context->value) : 0;
}

static struct acl_object_history *history_add(struct acl_finding *f, const char *role)
{
	struct acl_object_history *h;

	if (f->n_objects >= ACL_FINDING_OBJECTS)
		return NULL;
	h = &f->objects[f->n_objects++];
	h->role = role;
	return h;
}

static void object_add(
	struct checks *c, struct acl_finding *f, const char *role, const struct acl_object *object)
{
	struct acl_object *o = (struct acl_object *)object;
	struct acl_object_history *b;

	/* An object is shown in the first part it plays. */
	for (unsigned i = 0; o && i < f->n_objects; i++) {
		if (f->objects[i].serial == load_relaxed(&o->serial))
			return;
	}
	b = o ? history_add(f, role) : NULL;
	if (!b)
		return;
	b->handle = o->kind;
	b->kind = acl_handle_names[o->kind];
	b->name = object_name_of(c, object_ref(o));
	b->value = load_relaxed(&o->value);
	b->serial = load_relaxed(&o->serial);
	b->device = load_relaxed(&o->device);
	b->context = context_value(c, load_relaxed(&o->context));
	call_site_copy(&b->created, object_created(c, o));
	call_site_copy(&b->last_used, &o->last_used);
	object_destroyed_at(c, o, &b->destroyed);
}

static void block_add(
	struct checks *c, struct acl_finding *f, const char *role, const struct acl_block *block)
{
	struct acl_block *m = (struct acl_block *)block;
	struct acl_object_history *b = m ? history_add(f, role) : NULL;

	if (!b)
		return;
	b->handle = ACL_HANDLE_NONE;
	b->kind = load_relaxed(&m->marks) & BLOCK_DECLARED ? "block of a declared pool"
							   : memory_kind_name(load_relaxed(&m->kind));
	b->name = block_name_of(c, m);
	b->value = load_relaxed(&m->base);
	b->size = load_relaxed(&m->size);
	b->serial = load_relaxed(&m->serial);
	b->device = load_relaxed(&m->device);
	b->context = context_value(c, load_relaxed(&m->owner));
	call_site_copy(&b->created, &m->created);
}

static void other_add(struct acl_finding *f, const struct finding_part *part)
{
	struct acl_object_history *h = part->source ? history_add(f, part->name) : NULL;

	if (h)
		part->history(h, part->source);
}

static void created_at_add(struct acl_finding *f, const struct finding_part *part)
{
	struct acl_object_history *h = history_add(f, part->name);

	if (!h)
		return;
	h->kind = part->enum_name;
	h->device = -1;
	call_site_copy(&h->created, (struct call_site_slot *)part->source);
}

/* --- the statement --------------------------------------------------------------------- */

static void part_add(struct checks *c, struct acl_finding *f, const struct finding_part *part)
{
	switch (part->kind) {
	case PART_UINT:
		number_add(f, part->name, ACL_VALUE_UINT, part->u);
		break;
	case PART_INT:
		number_add(f, part->name, ACL_VALUE_INT, (uint64_t)part->i);
		break;
	case PART_ADDRESS:
		number_add(f, part->name, ACL_VALUE_ADDRESS, (uintptr_t)part->address);
		break;
	case PART_BYTES:
		number_add(f, part->name, ACL_VALUE_BYTES, part->u);
		break;
	case PART_API:
		number_add(f, part->name, ACL_VALUE_API, part->u);
		break;
	case PART_ERROR:
		number_add(f, part->name, ACL_VALUE_ERROR, (uint64_t)part->i);
		break;
	case PART_ENUM:
		enum_add(f, part->name, part->enum_name, part->i);
		break;
	case PART_OBJECT:
		object_add(c, f, part->name, part->object);
		break;
	case PART_BLOCK:
		block_add(c, f, part->name, part->block);
		break;
	case PART_HISTORY:
		other_add(f, part);
		break;
	case PART_CREATED_AT:
		created_at_add(f, part);
		break;
	case PART_USED_AT:
		if (f->n_objects)
			f->objects[f->n_objects - 1].last_used = *(const struct acl_call_site *)part->source;
		break;
	case PART_OUTPUT_OF:
		f->output_of = (uint16_t)(part->u + 1);
		number_add(f, part->name, ACL_VALUE_API, part->u);
		break;
	}
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

struct finding_draft *finding_start(struct checks *c, struct acl_call_record *call,
	const struct acl_rule *rule, const struct finding_part *parts)
{
	return finding_draft_begin(c, call, rule, grade_of(parts));
}

void finding_finish(
	struct checks *c, struct finding_draft *d, const struct finding_part *parts, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	plain_format(d->detail, sizeof(d->detail), format, ap);
	va_end(ap);
	for (; parts->kind != PART_END; parts++)
		part_add(c, &d->finding, parts);
	finding_draft_end(c, d);
}
