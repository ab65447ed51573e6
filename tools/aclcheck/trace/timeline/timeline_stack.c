/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of findings as text. A recording holds addresses; the files they lie in may be on this host. */
#include <inttypes.h>
#include <string.h>

#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/trace/timeline/timeline.h"

static const struct timeline_stack *stack_of(const struct timeline *t, const struct timeline_finding *f)
{
	for (size_t i = 0; f->stack && i < t->n_stacks; i++)
		if (t->stacks[i].process == f->thread->process && t->stacks[i].id == f->stack)
			return &t->stacks[i];
	return NULL;
}

/* A later module takes the place of an earlier one. */
static const struct timeline_module *module_at(
	const struct timeline *t, const struct process_state *p, uint64_t address)
{
	for (size_t i = t->n_modules; i-- > 0;)
		if (t->modules[i].process == p && address >= t->modules[i].start &&
			address < t->modules[i].end)
			return &t->modules[i];
	return NULL;
}

static json_t *frame(const struct timeline *t, const struct process_state *p, uint64_t returns_to)
{
	const struct timeline_module *m = module_at(t, p, returns_to - 1);
	char offset[32];

	/* Of the call itself, which ends before. */
	snprintf(offset, sizeof(offset), "0x%" PRIx64, returns_to - 1 - (m ? m->base : 0));
	return need(json_pack("{s:s, s:s, s:s}", "module", m ? m->path : "", "build_id", m ? m->build_id : "",
		"offset", offset));
}

static json_t *line(const json_t *frame)
{
	const char *module = text_of(frame, "module"), *file = text_of(frame, "file");
	const char *name = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;

	if (*file)
		return json_sprintf("%s:%lld (%s)", file, (long long)number_of(frame, "line"), name);
	return json_sprintf("%s+%s", name, text_of(frame, "offset"));
}

json_t *timeline_stacks(const struct timeline *t)
{
	json_t *stacks = need(json_array()), *resolved = need(json_pack("{s:O}", "findings", stacks));
	json_t *frames, *one;
	size_t i, k;

	for (i = 0; i < t->n_findings; i++) {
		const struct timeline_stack *s = stack_of(t, &t->findings[i]);

		frames = need(json_array());
		for (k = 0; s && k < s->n; k++)
			json_array_append_new(frames, frame(t, s->process, s->frames[k]));
		json_array_append_new(stacks, frames);
	}
	missing_lines_resolve(resolved);
	json_decref(resolved);
	json_array_foreach(stacks, i, frames)
	{
		json_array_foreach(frames, k, one) json_array_set_new(frames, k, line(one));
	}
	return stacks;
}
