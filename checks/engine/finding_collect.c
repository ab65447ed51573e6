/* SPDX-License-Identifier: Apache-2.0 */
/* Findings between their making and their sending: in the memory of the thread, not on the program's stack.
 */
#include "checks/engine/finding_collect.h"

#include "checks/engine/call_sites.h"

#define ROOM 8 /* findings of one phase; a ninth is sent at once */

struct finding_area {
	struct finding_draft at[ROOM];
};

bool finding_superfluous(const struct acl_call_record *call, const struct acl_rule *rule)
{
	const struct acl_thread *t = call ? thread_of(call) : NULL;

	if (!t || !rule->yields)
		return false;
	for (unsigned i = t->n_findings; i-- > 0 && t->findings->at[i].finding.event == call;)
		if (t->findings->at[i].finding.rule == rule)
			return true;
	return t->n_findings == ROOM;
}

bool finding_can_collect(struct checks *c, const struct acl_call_record *call)
{
	struct acl_thread *t = call ? thread_of(call) : NULL;

	if (t && !t->findings)
		t->findings = checks_alloc(c, sizeof(*t->findings));
	return t && t->findings && t->n_findings < ROOM;
}

static struct finding_draft *draft_take(struct acl_thread *t, struct acl_call_record *call)
{
	/* Taken before it is written: a signal handler's call uses the next one. */
	struct finding_draft *b = &t->findings->at[t->n_findings++];

	b->collected = true;
	b->formatted = b->counted = false;
	b->finding.event = call;
	return b;
}

/* The repeat that came before is one of several: they are settled together. */
static void repeat_collect(struct acl_thread *t, struct acl_call_record *call)
{
	struct finding_draft *b = draft_take(t, call);
	struct acl_finding *f = &b->finding;

	b->counted = true;
	b->beside = BESIDE_NOTHING;
	f->rule = t->repeated.rule;
	f->serial = call_site_serial(t->repeated.site);
	f->advice = f->secondary = false;
	f->cause = 0;
	if (call->state.finding == f->serial)
		call->state.finding = FINDING_PENDING;
	t->repeated.phase = 0;
}

struct finding_draft *finding_collect(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = call ? thread_of(call) : NULL;

	if (!finding_can_collect(c, call))
		return NULL;
	if (t->repeated.phase == t->phase && t->n_findings < ROOM - 1)
		repeat_collect(t, call);
	return draft_take(t, call);
}

/* One that others yield to. */
static bool is_primary(const struct finding_draft *b)
{
	return !b->finding.advice && !b->finding.secondary && b->beside != BESIDE_AS_CONSEQUENCE;
}

/*
 * How often its site will have been counted is known when it is: another thread
 * may be faster, and findings of this phase may be dropped.
 */
bool finding_collected(struct acl_call_record *call, struct finding_draft *b)
{
	if (is_primary(b)) {
		if (!call->state.finding)
			call->state.finding = FINDING_PENDING;
		call->state.found_error |= b->finding.severity == ACL_SEV_ERROR;
	}
	b->formatted = call_site_shown_within(&b->site, ROOM);
	return b->formatted;
}

bool findings_may_show(const struct acl_call_record *call)
{
	const struct acl_thread *t = thread_of(call);

	for (unsigned i = t->n_findings; i && t->findings->at[i - 1].finding.event == call; i--)
		if (t->findings->at[i - 1].formatted)
			return true;
	return false;
}

/*
 * Whether b, made earlier or not, is reported instead of a: never one that weighs
 * less, the verdict of the run would hang on how specific it is.
 */
static bool speaks_instead(const struct finding_draft *b, const struct finding_draft *a, bool earlier)
{
	unsigned mine = a->finding.rule->rank, other = b->finding.rule->rank;

	return is_primary(b) && (a->finding.advice || b->finding.severity >= a->finding.severity) &&
	       (other < mine || (other == mine && earlier));
}

static bool yields(const struct finding_draft *of[], unsigned n, unsigned i, bool found_before)
{
	if (!of[i]->finding.rule->yields || of[i]->finding.secondary)
		return false;
	if (found_before)
		return true;
	for (unsigned k = 0; k < n; k++)
		if (k != i && speaks_instead(of[k], of[i], k < i))
			return true;
	return false;
}

/* What the runtime returned comes last, primary findings first, then by the table: whatever the order of
 * modules. */
static bool goes_before(const struct finding_draft *a, const struct finding_draft *b)
{
	if ((a->finding.rule->tier == ACL_TIER_TOOL) != (b->finding.rule->tier == ACL_TIER_TOOL))
		return b->finding.rule->tier == ACL_TIER_TOOL;
	if (is_primary(a) != is_primary(b))
		return is_primary(a);
	if (a->finding.rule->rank != b->finding.rule->rank)
		return a->finding.rule->rank < b->finding.rule->rank;
	return a->finding.rule->index < b->finding.rule->index;
}

static bool any_primary(const struct finding_draft *first, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (is_primary(&first[i]))
			return true;
	return false;
}

/* What stands beside a primary finding becomes secondary to it; false: it has nothing to stand beside. */
static bool stands(struct finding_draft *b, bool primary)
{
	if (b->beside && primary) {
		b->finding.secondary = true;
		b->finding.cause = FINDING_PENDING;
	}
	if (!primary && b->beside == BESIDE_AS_REASON)
		return false;
	if (!primary)
		b->beside = BESIDE_NOTHING;
	return true;
}

/* Those of the n findings that stay, in the order in which they are sent. */
static unsigned select_kept(
	struct finding_draft *first, unsigned n, bool found_before, struct finding_draft *kept[])
{
	bool primary = found_before || any_primary(first, n);
	const struct finding_draft *of[ROOM];
	unsigned n_kept = 0;

	for (unsigned i = 0; i < n; i++)
		of[i] = &first[i];
	for (unsigned i = 0; i < n; i++) {
		unsigned at = n_kept;

		if (!stands(&first[i], primary) || yields(of, n, i, found_before))
			continue;
		for (; at && goes_before(&first[i], kept[at - 1]); at--)
			kept[at] = kept[at - 1];
		kept[at] = &first[i];
		n_kept++;
	}
	return n_kept;
}

/* The same for one, as it mostly is. */
static bool stays_alone(struct finding_draft *b, bool found_before)
{
	return stands(b, found_before || is_primary(b)) &&
	       !(found_before && b->finding.rule->yields && !b->finding.secondary);
}

static void settle_one(struct checks *c, struct acl_call_record *call, struct finding_draft *b)
{
	struct acl_finding *f = &b->finding;
	bool shown = false;

	if (f->cause == FINDING_PENDING)
		f->cause = call->state.finding;
	if (!b->counted)
		shown = call_site_count_one(c, call, &b->site, b->caller, f, b->formatted);
	if (!f->serial)
		return;
	if (is_primary(b) && (!call->state.finding || call->state.finding == FINDING_PENDING))
		call->state.finding = f->serial;
	if (shown)
		finding_send(c, f);
}

void findings_settle(struct checks *c, struct acl_call_record *call)
{
	struct acl_thread *t = thread_of(call);
	bool found_before = call->state.finding && call->state.finding != FINDING_PENDING;
	struct finding_draft *kept[ROOM];
	unsigned first = t->n_findings, n;

	while (first && t->findings->at[first - 1].finding.event == call)
		first--;
	kept[0] = &t->findings->at[first];
	n = t->n_findings - first == 1 ? stays_alone(kept[0], found_before)
				       : select_kept(kept[0], t->n_findings - first, found_before, kept);
	for (unsigned i = 0; i < n; i++)
		settle_one(c, call, kept[i]);
	if (call->state.finding == FINDING_PENDING)
		call->state.finding = 0;
	t->n_findings = first;
}
