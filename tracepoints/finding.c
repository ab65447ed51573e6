/* SPDX-License-Identifier: Apache-2.0 */
/* Findings, callbacks and what the checks asked as events of provider "aclcheck", whose probes are made here.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_HIDDEN_DEFINITION
#define LTTNG_UST_TRACEPOINT_PROVIDER_HIDDEN_DEFINITION
#include "tracepoints/events.h"

#include "aclcheck/model.h"
#include "tracepoints/provider.h"

static const char *api_name(unsigned api)
{
	return acl_call_name(api) ? acl_call_name(api) : "";
}

static const char *finding_moment(const struct acl_call_site *m)
{
	if (!m->caller)
		return "";
	if (m->stack)
		self_stack(m->stack);
	return api_name(m->api);
}

static void emit_object(uint64_t serial, const struct acl_object_history *b)
{
	const char *apis[] = {
		finding_moment(&b->created), finding_moment(&b->last_used), finding_moment(&b->destroyed)};

	lttng_ust_tracepoint(aclcheck, finding_object, serial, b, apis);
}

void finding_emit(const struct acl_finding *f, enum finding_status status)
{
	self_describe();
	if (f->stack)
		self_stack(f->stack);
	lttng_ust_tracepoint(aclcheck, finding, f, (uint8_t)status, f->event ? api_name(f->event->api) : "");
	if (lttng_ust_tracepoint_enabled(aclcheck, finding_value))
		for (unsigned i = 0; i < f->n_values; i++)
			lttng_ust_tracepoint(aclcheck, finding_value, f->serial, &f->values[i]);
	if (lttng_ust_tracepoint_enabled(aclcheck, finding_object))
		for (unsigned i = 0; i < f->n_objects; i++)
			emit_object(f->serial, &f->objects[i]);
}

void answer_emit(enum trace_question question, uint64_t of, const void *answer, unsigned bytes)
{
	lttng_ust_tracepoint(aclcheck, answer, (uint8_t)question, of, answer, (uint16_t)bytes);
}

/* A copy, as far as it goes: what lies in the program's memory may not be there. */
static const char *copy_text(char *to, size_t size, const char *text)
{
	size_t n = 0;

	while (text && n + 1 < size && trace_host->read(to + n, text + n, 1) && to[n])
		n++;
	to[n] = 0;
	return to;
}

void said_emit(const struct trace_said *s)
{
	const struct acl_module *m;
	char text[TRACE_LINE], reason[TRACE_LINE];

	if (!lttng_ust_tracepoint_enabled(aclcheck, said))
		return;
	self_describe();
	if (s->stack)
		self_stack(s->stack);
	m = trace_host->module_of(s->caller);
	if (m)
		self_module(m->id);
	lttng_ust_tracepoint(aclcheck, said, s, copy_text(text, sizeof(text), s->text),
		copy_text(reason, sizeof(reason), s->reason));
}

void callback_emit(const struct acl_call_record *outer, uint64_t argument, uint64_t launch, bool begins)
{
	/* The thread may not have made a call of its own yet. */
	if (outer && begins)
		self_call(outer, false);
	lttng_ust_tracepoint(aclcheck, callback, outer ? api_name(outer->api) : "", argument, launch, begins);
}
