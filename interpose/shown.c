/* SPDX-License-Identifier: Apache-2.0 */
/* What every sink needs of a finding first: its stack and its fingerprint. */
#include "interpose/shown.h"

#include "aclcheck/model.h"
#include "interpose/stack.h"
#include "interpose/symbol.h"

/* A finding of the whole process (a leak) stands where its object was created. */
static void place(struct shown *s, const struct acl_finding *f)
{
	const struct acl_moment *born = f->n_objects ? &f->objects[0].created : NULL;
	uint32_t stack = f->stack;

	s->api = ACL_API_COUNT;
	if (f->event) {
		s->api = f->event->api;
		s->caller = f->event->caller;
		if (!stack)
			stack = f->event->stack;
		if (!stack)
			stack = stack_take(s->caller);
	} else if (born) {
		s->api = born->api;
		s->caller = born->caller;
		if (!stack)
			stack = born->stack;
	}
	if (stack)
		s->n_ips = stack_frames(stack, &s->ips);
	if (!s->n_ips && s->caller) {
		s->ips = &s->caller;
		s->n_ips = 1;
	}
}

void shown_init(struct shown *s, const struct acl_finding *f)
{
	struct fingerprint print;

	*s = (struct shown){ .f = f };
	place(s, f);
	fingerprint_begin(&print, f->rule->id, s->api < acl_api_count ? acl_apis[s->api].name : "");
	for (unsigned i = 0; i < s->n_ips && print.frames < FINGERPRINT_FRAMES; i++) {
		const struct symbol *sym = symbol_of(s->ips[i]);

		if (!symbol_is_outside(sym))
			fingerprint_frame(&print, sym->function, sym->module, sym->stripped);
	}
	fingerprint_end(&print, s->fingerprint);
}
