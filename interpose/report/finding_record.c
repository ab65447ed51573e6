/* SPDX-License-Identifier: Apache-2.0 */
/* What every sink needs of a finding first: its stack and its fingerprint. */
#include "interpose/report/finding_record.h"

#include <string.h>

#include "aclcheck/model.h"
#include "interpose/report/expect_scope.h"
#include "interpose/config/job_identity.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/common/suppression.h"
#include "interpose/symbolize/code_symbol.h"
#include "interpose/symbolize/python_place.h"
#include "interpose/symbolize/stack_site.h"

unsigned finding_stack_depth(const uint64_t *ips, unsigned n)
{
	while (n > 1 && symbol_is_outside(symbol_of(ips[n - 1])))
		n--;
	return n;
}

uint32_t finding_site_stack(const struct acl_call_site *site)
{
	return site->stack ? site->stack : stack_site_stack(site->caller);
}

unsigned finding_site_frames(const struct acl_call_site *site, uint64_t *caller, const uint64_t **ips)
{
	uint32_t stack = finding_site_stack(site);

	if (stack)
		return stack_frames(stack, ips);
	*caller = module_mark(site->caller);
	*ips = caller;
	return !symbol_is_interpreter(symbol_of(*caller));
}

/* One of the whole process stands at the call that was wrong, or where its object was created (a leak). */
static void place(struct finding_record *s, const struct acl_finding *f)
{
	const struct acl_call_site *created = f->at.caller   ? &f->at
					      : f->n_objects ? &f->objects[0].created
							     : NULL;
	uint32_t stack = f->stack;

	s->api = UINT16_MAX;
	if (f->event) {
		s->api = f->event->api;
		s->caller = stack_site_address(f->event->caller);
		if (!stack)
			stack = f->event->stack;
		if (!stack)
			stack = stack_take(s->caller);
	} else if (created) {
		s->api = created->api;
		s->caller = stack_site_address(created->caller);
		if (!stack)
			stack = finding_site_stack(created);
	}
	if (stack)
		s->n_ips = stack_frames(stack, &s->ips);
	if (!s->n_ips && s->caller) {
		s->caller = module_mark(s->caller);
		s->ips = &s->caller;
		s->n_ips = 1;
	}
}

#define FRAMES_MATCHED 32

static const struct suppression *suppression_of(const struct finding_record *s)
{
	static struct suppress_frame frames[FRAMES_MATCHED];
	const char *words[3 * ACL_FINDING_OBJECTS];
	char values[ACL_FINDING_OBJECTS][24];
	struct suppress_subject subject = {.rule = s->f->rule->id,
		.call = acl_call_name(s->api),
		.fingerprint = s->fingerprint,
		.frames = frames,
		.objects = words,
		.rank = identity_rank()};
	struct text t;
	size_t n;

	suppress_list(&n);
	if (!n)
		return NULL;
	for (; subject.n_frames < s->n_ips && subject.n_frames < FRAMES_MATCHED; subject.n_frames++) {
		const struct symbol *sym = symbol_of(s->ips[subject.n_frames]);

		frames[subject.n_frames] =
			(struct suppress_frame){sym->readable, sym->function, sym->file, sym->module};
	}
	for (unsigned i = 0; i < s->f->n_objects && i < ACL_FINDING_OBJECTS; i++) {
		text_init(&t, values[i], sizeof(values[i]));
		text_hex(&t, s->f->objects[i].value);
		words[subject.n_objects++] = s->f->objects[i].role;
		words[subject.n_objects++] = s->f->objects[i].kind;
		words[subject.n_objects++] = values[i];
	}
	return suppress_match(&subject);
}

/* A scope of the program comes first, then the files' entries; consequences follow what explains them. */
static void decide_status(struct finding_record *s)
{
	const struct suppression *p;
	struct expectation scope;

	if (expect_get(expect_scope(s->f->rule->id, false), &scope)) {
		s->status = scope.ignores ? FINDING_SUPPRESSED : FINDING_EXPECTED;
		s->reason = scope.reason;
		s->in_program = true;
		return;
	}
	p = suppression_of(s);
	if (p) {
		s->status = p->expected ? FINDING_EXPECTED : FINDING_SUPPRESSED;
		s->reason = p->reason;
	} else if (s->f->secondary && verdict_status_of(s->f->cause) == FINDING_EXPECTED) {
		s->status = FINDING_EXPECTED;
		s->reason = "a consequence of an expected finding";
	}
}

/*
 * Where findings stand, for the summary: the callers of Python code are all the same, and the library of
 * others may be gone by then.
 */
#define SITES_KEPT 4096
static struct {
	uint64_t serial, word;
} sites[SITES_KEPT];

static void note_site(const struct finding_record *s)
{
	if (s->f->repeat != 1 || !s->n_ips)
		return;
	if (!is_python_frame(s->ips[0]) && module_address(s->ips[0]) != module_address(s->caller))
		return;
	sites[s->f->serial % SITES_KEPT].serial = s->f->serial;
	sites[s->f->serial % SITES_KEPT].word = s->ips[0];
}

uint64_t finding_noted_site(uint64_t serial)
{
	return sites[serial % SITES_KEPT].serial == serial ? sites[serial % SITES_KEPT].word : 0;
}

void finding_record_forked(void)
{
	memset(sites, 0, sizeof(sites));
}

/* "<module>" and "<lambda>" are in every file of Python code. */
static void fingerprint_symbol(struct fingerprint *print, const struct symbol *sym)
{
	if (sym->python)
		fingerprint_frame(print, sym->function, sym->file, sym->function[0] == '<');
	else
		fingerprint_frame(print, sym->function, sym->module, sym->stripped);
}

void finding_record_init(struct finding_record *s, const struct acl_finding *f)
{
	struct fingerprint print;

	*s = (struct finding_record){.f = f};
	place(s, f);
	fingerprint_begin(&print, f->rule->id, acl_call_name(s->api) ? acl_call_name(s->api) : "");
	for (unsigned i = 0; i < s->n_ips && print.frames < FINGERPRINT_FRAMES; i++) {
		const struct symbol *sym = symbol_of(s->ips[i]);

		if (!symbol_is_outside(sym) && !symbol_is_interpreter(sym))
			fingerprint_symbol(&print, sym);
	}
	fingerprint_end(&print, s->fingerprint);
	note_site(s);
	decide_status(s);
}
