/* SPDX-License-Identifier: Apache-2.0 */
/* From a broken rule to a finding that is counted, and shown or not. */
#include "checks/engine/call_sites.h"
#include "checks/engine/finding_collect.h"
#include "checks/engine/rule_coverage.h"

bool rule_wanted(const struct checks *c, const struct acl_rule *rule)
{
	return rule && !c->settings[rule->index].off;
}

struct graded {
	uint8_t severity;
	bool advice, secondary, explains, relaxed;
};

/* Severity and kind of this finding after configuration and target; false = nothing to say. */
static bool grade(
	const struct checks *c, const struct acl_rule *rule, const struct finding_grade *g, struct graded *f)
{
	const struct rule_setting *s = &c->settings[rule->index];
	int since = rule->relaxed_since, to = g->relaxed_to == -1 ? rule->relaxed_to : g->relaxed_to;

	f->severity = g->severity >= 0 ? (uint8_t)g->severity : rule->severity;
	f->advice = s->advice || g->advice;
	f->explains = g->beside == BESIDE_AS_REASON;
	f->secondary = g->secondary || f->explains;
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

static void draft_fill(struct acl_finding *f, const struct acl_rule *rule, const struct graded *graded)
{
	f->rule = rule;
	f->title = rule_text(rule, RULE_TITLE);
	f->severity = graded->severity;
	f->advice = graded->advice;
	f->secondary = graded->secondary;
	f->explains = graded->explains;
	f->relaxed = graded->relaxed;
}

/* One that is not collected is counted at once; whether it is shown. */
static bool is_shown_alone(struct checks *c, struct acl_call_record *call, struct finding_draft *d)
{
	uint64_t before = call ? call->state.finding : 0;
	struct acl_finding *f = &d->finding;
	bool shown;

	if (!before && d->beside == BESIDE_AS_REASON)
		return false;
	if (before && d->beside) {
		f->secondary = true;
		f->cause = before;
	}
	shown = call_site_count_one(c, call, &d->site, d->caller, f, true);
	if (!call || f->secondary || f->advice || !f->serial)
		return shown;
	if (!before)
		call->state.finding = f->serial;
	call->state.found_error |= f->severity == ACL_SEV_ERROR;
	return shown;
}

/* Counted, unless that waits for the end of the phase; whether it is to be shown. */
static bool is_shown(struct checks *c, struct acl_call_record *call, struct finding_draft *d)
{
	if (d->collected)
		return finding_collected(call, d);
	if (is_shown_alone(c, call, d))
		return true;
	checks_forget(c, d, sizeof(*d));
	return false;
}

/* What only a finding needs that is shown. */
static void show_begin(struct finding_draft *d, const struct acl_call_record *call)
{
	struct acl_finding *f = &d->finding;

	d->detail[0] = 0;
	f->detail = d->detail;
	f->at_leave = call && call->state.phase != ACL_ENTER;
	f->stack = call ? call->stack : 0;
	f->at = d->at;
	f->n_values = f->n_objects = 0;
	memset(f->values, 0, sizeof(f->values));
	memset(f->objects, 0, sizeof(f->objects));
}

/* The site of the call becomes the one that is expected next, unless more than rule and caller decides. */
static bool repeat_look(struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule)
{
	struct finding_repeat *r = &thread_of(call)->repeated;
	struct call_site_entry *site;
	uint64_t key;

	site = call_site_known(c, call, rule, &key);
	if (!site)
		return false;
	r->site = site;
	r->key = key;
	r->rule = rule;
	r->caller = call->caller;
	r->api = call->api;
	return true;
}

static inline bool repeat_count(struct acl_thread *t, struct acl_call_record *call)
{
	struct call_site_entry *site = t->repeated.site;
	uint64_t phase = t->phase, serial = call_site_count_repeat(site, t->repeated.key);

	if (!serial)
		return false;
	t->repeated.phase = phase;
	if (load_relaxed(&site->severity) == ACL_SEV_ERROR)
		call->state.found_error = true;
	if (!call->state.finding)
		call->state.finding = serial;
	return true;
}

static bool repeat_possible(const struct acl_thread *t, const struct acl_call_record *call)
{
	return !t->n_findings && t->repeated.phase != t->phase && is_checked(call);
}

/* From then on less may be wanted, and how much less depends on more. */
static bool is_relaxed(const struct checks *c, const struct acl_rule *rule)
{
	return rule->relaxed_since >= 0 && load_relaxed(&c->target) >= rule->relaxed_since;
}

/* Advice is nothing to the other findings of its call, and never the finding of it. */
static bool advice_repeats(struct checks *c, const struct acl_call_record *call, const struct acl_rule *rule)
{
	uint64_t key;
	struct call_site_entry *site = call_site_known(c, call, rule, &key);

	return site && is_checked(call) && call_site_count_repeat(site, key);
}

static __attribute__((noinline)) bool repeats_elsewhere(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule)
{
	/* Rules that yield depend on the others. */
	if (!call || !thread_of(call) || !rule || rule->yields || !rule_wanted(c, rule) ||
		is_relaxed(c, rule) || (c->host.place && c->host.place(c->host.context, call, rule, false)))
		return false;
	if (c->settings[rule->index].advice)
		return advice_repeats(c, call, rule);
	return repeat_possible(thread_of(call), call) && repeat_look(c, call, rule) &&
	       repeat_count(thread_of(call), call);
}

/* Mostly at the site of the thread's last one, which is looked at here without a call. */
bool finding_repeats(struct checks *c, struct acl_call_record *call, const struct acl_rule *rule)
{
	struct acl_thread *t = call ? thread_of(call) : NULL;

	if (!t || t->repeated.rule != rule || t->repeated.caller != call->caller ||
		t->repeated.api != call->api || load_relaxed(c->host.places) || is_relaxed(c, rule))
		return repeats_elsewhere(c, call, rule);
	return repeat_possible(t, call) && repeat_count(t, call);
}

struct finding_draft *finding_draft_begin(
	struct checks *c, struct acl_call_record *call, const struct acl_rule *rule, struct finding_grade g)
{
	struct finding_draft *d;
	struct acl_finding *f;
	struct graded graded;

	if (!rule || c->settings[rule->index].off || load_relaxed(&c->starved) ||
		(call && !is_checked(call)) || !grade(c, rule, &g, &graded) ||
		finding_superfluous(call, rule))
		return NULL;
	d = draft_for(c, call);
	if (!d)
		return NULL;
	f = &d->finding;
	draft_fill(f, rule, &graded);
	d->caller = call ? call->caller : g.caller;
	d->at = g.at;
	d->beside = g.beside;
	f->serial = f->repeat = 0;
	f->cause = g.cause;
	f->event = call;
	call_site_look(c, call, rule, g.site ? g.site : call ? call->caller : 1, &d->site);
	if (!is_shown(c, call, d))
		return NULL;
	show_begin(d, call);
	return d;
}

void finding_send(struct checks *c, struct acl_finding *f)
{
	if (f->event && !f->stack && c->host.stack)
		f->stack = c->host.stack(c->host.context, f->event);
	if (c->host.finding)
		c->host.finding(c->host.context, f);
}

struct sending {
	struct checks *c;
	struct acl_finding *finding;
};

static void send_now(void *sending)
{
	struct sending *s = sending;

	finding_send(s->c, s->finding);
}

/* A collected one is sent when the phase of its call ends. */
void finding_draft_end(struct checks *c, struct finding_draft *d)
{
	struct sending s = {c, &d->finding};

	if (d->collected)
		return;
	if (c->host.with_stack && d->finding.event)
		c->host.with_stack(c->host.context, send_now, &s);
	else
		send_now(&s);
	checks_forget(c, d, sizeof(*d));
}
