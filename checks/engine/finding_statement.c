/* SPDX-License-Identifier: Apache-2.0 */
/* From the parts of a statement to a finding. */
#include "checks/engine/finding_statement.h"

#include <stdarg.h>

static struct finding_grade grade_of(const struct finding_part *parts)
{
	struct finding_grade g = GRADE_TABLE;

	for (; parts->kind != PART_END; parts++)
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
		}
	return g;
}

static struct acl_object_history *history_add(struct acl_finding *f, const struct finding_part *part)
{
	struct acl_object_history *h;

	if (!part->source || f->n_objects >= ACL_FINDING_OBJECTS)
		return NULL;
	h = &f->objects[f->n_objects++];
	h->role = part->name;
	return h;
}

static void add_history(struct acl_finding *f, const struct finding_part *part)
{
	struct acl_object_history *h = history_add(f, part);

	if (h)
		part->history(h, part->source);
}

static void add_created_at(struct acl_finding *f, const struct finding_part *part)
{
	struct acl_object_history *h = history_add(f, part);

	if (!h)
		return;
	h->kind = part->enum_name;
	h->device = -1;
	call_site_copy(&h->created, (struct call_site_slot *)part->source);
}

static void add_part(struct checks *c, struct acl_finding *f, const struct finding_part *part)
{
	switch (part->kind) {
	case PART_UINT:
		finding_uint(f, part->name, part->u);
		break;
	case PART_INT:
		finding_int(f, part->name, part->i);
		break;
	case PART_ADDRESS:
		finding_address(f, part->name, part->address);
		break;
	case PART_BYTES:
		finding_bytes(f, part->name, part->u);
		break;
	case PART_API:
		finding_api(f, part->name, (unsigned)part->u);
		break;
	case PART_ERROR:
		finding_error(f, part->name, part->i);
		break;
	case PART_ENUM:
		finding_enum(f, part->name, part->enum_name, part->i);
		break;
	case PART_OBJECT:
		finding_object(c, f, part->name, part->object);
		break;
	case PART_BLOCK:
		finding_block(c, f, part->name, part->block);
		break;
	case PART_HISTORY:
		add_history(f, part);
		break;
	case PART_CREATED_AT:
		add_created_at(f, part);
		break;
	case PART_USED_AT:
		if (f->n_objects)
			f->objects[f->n_objects - 1].last_used = *(const struct acl_call_site *)part->source;
		break;
	}
}

struct acl_finding *finding_start(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule,
	const struct finding_part *parts)
{
	struct finding_buffer room;

	return finding_begin_as(c, call, rule, grade_of(parts), &room);
}

void finding_finish(
	struct checks *c, struct acl_finding *f, const struct finding_part *parts, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	finding_vdetail(f, format, ap);
	va_end(ap);
	for (; parts->kind != PART_END; parts++)
		add_part(c, f, parts);
	finding_show(c, f);
}
