/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks of findings as text. */
#include "tools/aclcheck/trace/timeline/timeline.h"

/* The last one: with lines of Python code a stack is recorded again. */
static const struct timeline_stack *stack_of(const struct timeline *t, const struct timeline_finding *f)
{
	for (size_t i = f->stack ? t->n_stacks : 0; i-- > 0;)
		if (t->stacks[i].process == f->thread->process && t->stacks[i].id == f->stack)
			return &t->stacks[i];
	return NULL;
}

json_t *timeline_stacks(const struct timeline *t)
{
	json_t *stacks = need(json_array()), *frames;

	for (size_t i = 0; i < t->n_findings; i++) {
		const struct timeline_stack *s = stack_of(t, &t->findings[i]);

		frames = need(json_array());
		for (unsigned k = 0; s && k < s->n; k++)
			json_array_append_new(frames, code_place(s->process, s->frames[k]));
		json_array_append_new(stacks, frames);
	}
	code_lines(stacks);
	return stacks;
}
