/* SPDX-License-Identifier: Apache-2.0 */
/* A finding and the summary as people read them on a terminal. */
#include "interpose/report/injected_faults.h"
#include "interpose/report/finding_record.h"

#include <string.h>

#include "aclcheck/model.h"
#include "interpose/common/argument_text.h"
#include "interpose/report/expectations.h"
#include "interpose/common/messages.h"
#include "interpose/common/sentences.h"
#include "interpose/config/run_settings.h"
#include "interpose/symbolize/call_stack.h"
#include "interpose/common/suppression.h"
#include "interpose/symbolize/code_symbol.h"
#include "interpose/symbolize/stack_site.h"
#include "interpose/report/verdict.h"

#define BOLD "\033[1m"
#define DIM "\033[2m"
#define PLAIN "\033[0m"

static const char *msg(enum message m)
{
	return message_text(m, settings_lang());
}

/* In the language, what the table has of it. */
static void words(struct text *t, const char *english)
{
	sentences_put(t, english, 1024, settings_lang());
}

static const char *severity_colour(unsigned severity)
{
	static const char *const colour[] = {"\033[36m", "\033[36m", "\033[33m", "\033[31m"};

	return colour[severity & 3];
}

static enum message severity_message(unsigned severity)
{
	static const uint8_t m[] = {MSG_PORTABILITY, MSG_PERF, MSG_WARNING, MSG_ERROR};

	return (enum message)m[severity & 3];
}

static void base_name(struct text *t, const char *path)
{
	const char *slash = strrchr(path, '/');

	text_safe(t, slash ? slash + 1 : path, 128);
}

void finding_call_site(struct text *t, uint64_t address)
{
	const struct symbol *s = symbol_of(address);

	if (s->readable)
		text_safe(t, s->readable, 256);
	else
		text_hex(t, module_address(address));
	if (s->function && (s->stripped || !s->file) && s->offset) {
		text_char(t, '+');
		text_hex(t, s->offset);
	}
	text_str(t, " (");
	if (s->file) {
		base_name(t, s->file);
		text_char(t, ':');
		text_int(t, s->line);
	} else if (s->module) {
		base_name(t, s->module);
	} else {
		text_char(t, '?');
	}
	text_char(t, ')');
}

static void frames(struct text *t, const uint64_t *ips, unsigned n, const char *first, const char *indent)
{
	n = finding_stack_depth(ips, n);
	for (unsigned i = 0; i < n; i++) {
		text_str(t, i ? indent : first);
		finding_call_site(t, ips[i]);
		text_char(t, '\n');
	}
}

static void heading(struct text *t, const struct finding_record *s, bool colour)
{
	const struct acl_finding *f = s->f;

	if (colour)
		text_fmt(t, BOLD "%s", severity_colour(f->severity));
	text_str(t, "== aclcheck ");
	if (f->advice)
		text_fmt(t, "%s/", msg(MSG_ADVICE));
	text_fmt(t, "%s #%u: %s", msg(severity_message(f->severity)), f->serial, f->rule->id);
	if (colour)
		text_str(t, PLAIN BOLD);
	text_fmt(t, ": %s", rule_text_in(f->rule, RULE_TITLE, settings_lang()));
	if (colour)
		text_str(t, PLAIN);
}

static void call_lines(struct text *t, const struct finding_record *s)
{
	const struct acl_call_record *ev = s->f->event;

	if (!ev)
		return;
	text_str(t, "   ");
	decode_call(t, ev->api, ev->args);
	if (s->f->at_leave && ev->forwarded) {
		text_fmt(t, " %s", msg(MSG_RETURNED));
		decode_result(t, ev->api, &ev->result);
	}
	text_fmt(t, "  [%s%u", msg(MSG_THREAD), (uint64_t)ev->tid);
	if (ev->callback_depth)
		text_fmt(t, ", %s", msg(MSG_CALLBACK));
	text_str(t, "]\n");
}

static void fault_lines(struct text *t, const struct acl_finding *f)
{
	if (f->detail) {
		text_str(t, "   ");
		words(t, f->detail);
		text_char(t, '\n');
	}
	for (unsigned i = 0; i < f->n_values && i < ACL_FINDING_VALUES; i++) {
		text_fmt(t, "     %s = ", f->values[i].name);
		decode_value(t, &f->values[i]);
		text_char(t, '\n');
	}
	if (f->relaxed && f->rule->relaxed_since >= 0)
		text_fmt(t, "   %s%s\n", msg(MSG_RELAXED), acl_cann_names[f->rule->relaxed_since]);
}

static void text_moment(struct text *t, enum message what, const struct acl_call_site *m)
{
	const uint64_t *ips;
	uint64_t caller;
	unsigned n;

	if (!m->caller && !m->stack)
		return;
	n = finding_site_frames(m, &caller, &ips);
	text_fmt(t, "     %s%s", msg(what), acl_call_name(m->api) ? acl_call_name(m->api) : "?");
	text_fmt(t, "  [%s%u]\n", msg(MSG_THREAD), (uint64_t)m->tid);
	frames(t, ips, n, "       ", "       ");
}

static void object_lines(struct text *t, const struct acl_object_history *b)
{
	char digits[64];
	struct text size;

	text_str(t, "   ");
	words(t, b->role ? b->role : "object");
	text_str(t, ": ");
	words(t, b->kind ? b->kind : "");
	/* What has no handle or address, such as the initialisation of the process. */
	if (b->value) {
		text_char(t, ' ');
		text_hex(t, b->value);
	}
	if (b->name) {
		text_str(t, " \"");
		text_safe(t, b->name, 64);
		text_char(t, '"');
	}
	if (b->size) {
		text_init(&size, digits, sizeof(digits));
		text_size(&size, b->size);
		text_str(t, ", ");
		words(t, digits);
	}
	if (b->device >= 0)
		text_fmt(t, ", %s%u", msg(MSG_DEVICE), (uint64_t)b->device);
	if (b->context) {
		text_fmt(t, ", %s", msg(MSG_CONTEXT));
		text_hex(t, b->context);
	}
	text_char(t, '\n');
	text_moment(t, MSG_CREATED, &b->created);
	text_moment(t, MSG_LAST_USED, &b->last_used);
	text_moment(t, MSG_DESTROYED, &b->destroyed);
}

static void closing_lines(struct text *t, const struct finding_record *s, bool colour)
{
	const struct acl_finding *f = s->f;
	const char *hint = rule_text_in(f->rule, RULE_HINT, settings_lang()),
		   *source = rule_text(f->rule, RULE_SOURCE);

	if (hint)
		text_fmt(t, "   %s%s\n", msg(MSG_HINT), hint);
	if (colour)
		text_str(t, DIM);
	if (source)
		text_fmt(t, "   %s%s\n", msg(MSG_SEE), source);
	if (f->repeat > 1) {
		text_str(t, "   ");
		text_fmt(t, msg(MSG_SEEN), f->repeat);
		text_str(t, "; ");
		text_fmt(t, msg(MSG_FURTHER), f->repeat * 10);
		text_char(t, '\n');
	}
	if (colour)
		text_str(t, PLAIN);
}

/* An error that another finding explains: that one has the hint and the objects. */
static void consequence(struct text *t, const struct finding_record *s)
{
	call_lines(t, s);
	text_fmt(t, "   %s%u\n", msg(MSG_SECONDARY), s->f->cause);
	frames(t, s->ips, s->n_ips ? 1 : 0, msg(MSG_AT), "      ");
}

void finding_line(struct text *t, const struct finding_record *s, bool colour)
{
	heading(t, s, colour);
	if (s->f->event)
		text_fmt(t, "  %s", acl_apis[s->f->event->api].name);
	if (s->n_ips) {
		text_str(t, "  ");
		finding_call_site(t, s->ips[0]);
	}
	if (s->f->repeat > 1)
		text_fmt(t, "  x %u", s->f->repeat);
	text_char(t, '\n');
}

void finding_text(struct text *t, const struct finding_record *s, bool colour)
{
	heading(t, s, colour);
	text_char(t, '\n');
	if (s->f->secondary && s->f->cause && !s->f->explains) {
		consequence(t, s);
		return;
	}
	call_lines(t, s);
	if (s->f->explains && s->f->cause)
		text_fmt(t, "   %s%u\n", msg(MSG_EXPLAINS), s->f->cause);
	fault_lines(t, s->f);
	/* What it explains has the rest of the stack. */
	frames(t, s->ips, s->f->explains && s->n_ips ? 1 : s->n_ips, msg(MSG_AT), "      ");
	for (unsigned i = 0; i < s->f->n_objects && i < ACL_FINDING_OBJECTS; i++)
		object_lines(t, &s->f->objects[i]);
	closing_lines(t, s, colour);
}

#define PLACES_SHOWN 40

/* The worst places, in the order in which they are shown. */
struct place_list {
	struct checks_site at[PLACES_SHOWN];
	unsigned n, all;
};

/* Suppressions that no longer hold, and those that stood for nothing: time to take them out. */
static void stale_suppressions(struct text *t)
{
	size_t n, unused = 0;
	const struct suppression *list = suppress_list(&n);

	for (size_t i = 0; i < n; i++) {
		if (list[i].expired && !list[i].expected) {
			text_fmt(t, "   %s%s: ", msg(MSG_EXPIRED), list[i].until);
			text_safe(t, list[i].reason, 200);
			text_char(t, '\n');
		} else if (!list[i].matched && !list[i].expected) {
			unused++;
		}
	}
	if (unused) {
		text_str(t, "   ");
		text_fmt(t, msg(MSG_UNUSED), (uint64_t)unused);
		text_char(t, '\n');
	}
}

static void injected_lines(struct text *t)
{
	struct injected_fault f;

	for (unsigned i = 0; injected_get(i, &f); i++) {
		if (!f.error && !f.delay_ns)
			continue;
		text_fmt(t, "   %s%s  ", msg(MSG_INJECTED), acl_apis[f.api].name);
		finding_call_site(t, f.place.python ? f.place.python : f.place.code);
		text_fmt(t, "  x %u  (", f.times);
		text_safe(t, f.fault, 255);
		text_str(t, ")\n");
	}
}

static void unmet_line(void *context, const struct unmet *u)
{
	struct text *t = context;

	text_fmt(t, "   %s", msg(u->expired ? MSG_EXPECT_EXPIRED : MSG_UNMET));
	text_safe(t, u->rule, 100);
	text_str(t, " (");
	text_safe(t, u->reason, 200);
	text_char(t, ')');
	if (u->place) {
		text_str(t, "  ");
		finding_call_site(t, module_mark(u->place));
	}
	if (u->opened > 1) {
		text_str(t, ", ");
		text_fmt(t, msg(MSG_MET), u->met, u->opened);
	}
	text_char(t, '\n');
}

/* Gates first, then severity, then time. */
static bool goes_before(const struct checks_site *a, const struct checks_site *b)
{
	if (a->advice != b->advice)
		return b->advice;
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return a->serial < b->serial;
}

/* Consequences stand with the findings that explain them. */
static void text_collect(void *context, const struct checks_site *place)
{
	struct place_list *list = context;
	unsigned i;

	if (place->secondary || verdict_status_of(place->serial))
		return;
	list->all++;
	for (i = list->n; i && goes_before(place, &list->at[i - 1]); i--)
		if (i < PLACES_SHOWN)
			list->at[i] = list->at[i - 1];
	if (i < PLACES_SHOWN)
		list->at[i] = *place;
	list->n += list->n < PLACES_SHOWN;
}

static void place_line(struct text *t, const struct checks_site *place)
{
	uint64_t noted = finding_noted_site(place->serial);

	text_fmt(t, "   #%u ", place->serial);
	if (place->advice)
		text_fmt(t, "%s/", msg(MSG_ADVICE));
	text_fmt(t, "%s %s x %u", msg(severity_message(place->severity)), place->rule->id, place->count);
	if (acl_call_name(place->api))
		text_fmt(t, "  %s", acl_call_name(place->api));
	if (place->caller) {
		text_str(t, "  ");
		finding_call_site(t, noted ? noted : module_mark(stack_site_address(place->caller)));
	}
	text_char(t, '\n');
}

static void places(struct text *t, const struct checks *c)
{
	struct place_list list = {.n = 0};

	checks_each_site(c, text_collect, &list);
	for (unsigned i = 0; i < list.n; i++)
		place_line(t, &list.at[i]);
	if (list.all > list.n) {
		text_str(t, "   … ");
		text_fmt(t, msg(MSG_PLACES), (uint64_t)list.all);
		text_char(t, '\n');
	}
}

static void totals_line(struct text *t, const struct checks_totals *totals, const uint64_t *set_aside)
{
	bool any = totals->advice || set_aside[FINDING_SUPPRESSED] || set_aside[FINDING_EXPECTED];

	text_fmt(t, "== aclcheck %s: ", msg(MSG_SUMMARY));
	for (int s = ACL_SEV_ERROR; s >= 0; s--) {
		if (!totals->findings[s])
			continue;
		text_fmt(t, "%u %s", totals->findings[s], msg(severity_message((unsigned)s)));
		/* "2 errors", but "2 performance" */
		text_str(t,
			s >= ACL_SEV_WARNING && totals->findings[s] > 1 && !settings_lang() ? "s, " : ", ");
		any = true;
	}
	if (totals->advice)
		text_fmt(t, "%u %s, ", totals->advice, msg(MSG_ADVICE));
	if (set_aside[FINDING_SUPPRESSED])
		text_fmt(t, "%u %s, ", set_aside[FINDING_SUPPRESSED], msg(MSG_SUPPRESSED));
	if (set_aside[FINDING_EXPECTED])
		text_fmt(t, "%u %s, ", set_aside[FINDING_EXPECTED], msg(MSG_EXPECTED));
	if (!any)
		text_fmt(t, "%s, ", msg(MSG_NO_FINDINGS));
	text_fmt(t, msg(MSG_CALLS), totals->calls);
	text_char(t, '\n');
}

/* Where rules about order had to be silent, or gave advice only. */
static void evidence_line(struct text *t, const struct checks_totals *totals)
{
	const char *separator = NULL;

	for (unsigned i = 0; i < CHECKS_EVIDENCE_ENDS; i++) {
		if (!totals->evidence_ends[i])
			continue;
		text_str(t, separator ? separator : "   ");
		if (!separator)
			text_str(t, msg(MSG_EVIDENCE_ENDS));
		text_fmt(t, "%u ", totals->evidence_ends[i]);
		words(t, checks_evidence_end_name(i));
		separator = ", ";
	}
	if (separator)
		text_char(t, '\n');
}

void summary_text(struct text *t, const struct checks *c, const char *report, uint64_t not_shown, bool colour)
{
	static const char *const verdict_colour[] = {"\033[32m", "\033[31m", "\033[33m"};
	enum acl_verdict verdict = verdict_get();
	struct checks_totals totals = {.calls = 0};
	const char *reason, *text;
	uint64_t set_aside[FINDING_STATUSES];

	verdict_totals(c, &totals, set_aside);
	totals_line(t, &totals, set_aside);
	if (c)
		places(t, c);
	if (not_shown) {
		text_str(t, "   ");
		text_fmt(t, msg(MSG_NOT_SHOWN), not_shown);
		text_char(t, '\n');
	}
	evidence_line(t, &totals);
	stale_suppressions(t);
	expectations_each_unmet(unmet_line, t);
	injected_lines(t);
	text_fmt(t, "   %s", msg(MSG_VERDICT));
	if (colour)
		text_fmt(t, BOLD "%s", verdict_colour[verdict]);
	text_str(t, acl_verdict_names[verdict]);
	if (colour)
		text_str(t, PLAIN);
	for (unsigned i = 0; (reason = verdict_reason(i, &text)); i++) {
		text_fmt(t, i ? ", %s (" : "; %s (", reason);
		words(t, text);
		text_char(t, ')');
	}
	text_char(t, '\n');
	if (report) {
		text_fmt(t, "   %s", msg(MSG_REPORT));
		text_safe(t, report, 4096);
		text_char(t, '\n');
	}
}
