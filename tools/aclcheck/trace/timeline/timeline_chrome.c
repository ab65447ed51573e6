/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline in the trace event format: one JSON object an event.  Times are microseconds since the first
 * call, so that a double holds them to the nanosecond.
 */
#include <inttypes.h>
#include <string.h>

#include "tools/aclcheck/trace/timeline/timeline.h"

/* Above all that the kernel gives out: rows of streams are threads as well in this format. */
#define STREAM_TID 10000000u
#define TRACE_PID 10000000u

struct chrome {
	const struct timeline *t;
	FILE *out;
	bool any;
	unsigned flows;
};

/* --- JSON ---------------------------------------------------------------------- */

static void put_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, ",\"%s\":", name);
	timeline_put_text(out, text);
}

/* Of a difference that is not negative. */
static void put_time(FILE *out, const char *name, int64_t ns)
{
	fprintf(out, ",\"%s\":%" PRId64 ".%03d", name, ns / 1000, (int)(ns % 1000));
}

/* --- events ---------------------------------------------------------------------- */

/* Processes of other machines may have the same number. */
static uint64_t pid_of(const struct chrome *c, const struct process_state *p)
{
	const struct summary *s = &c->t->summary;

	for (unsigned i = 0; i < s->n_processes; i++)
		if (s->processes[i] != p && s->processes[i]->pid == p->pid &&
			s->processes[i]->trace < p->trace)
			return (uint64_t)p->trace * TRACE_PID + p->pid;
	return p->pid;
}

static unsigned lane_tid(const struct stream_lane *lane, unsigned row)
{
	return STREAM_TID + lane->number * LANE_ROWS + row;
}

static void chrome_begin(struct chrome *c, const char *phase, const struct process_state *p, unsigned tid)
{
	fprintf(c->out, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%u", c->any ? ",\n" : "", phase,
		pid_of(c, p), tid);
	c->any = true;
}

static void begin_at(
	struct chrome *c, const char *phase, const struct process_state *p, unsigned tid, int64_t time)
{
	chrome_begin(c, phase, p, tid);
	put_time(c->out, "ts", time > c->t->first ? time - c->t->first : 0);
}

static void put_address(FILE *out, const char *name, uint64_t value)
{
	if (value)
		fprintf(out, ",\"%s\":\"0x%" PRIx64 "\"", name, value);
}

static void put_call_args(FILE *out, const struct timeline_call *k)
{
	const char *error = acl_error_name(k->result), *kind = summary_copy_kind(k->kind);

	fprintf(out, ",\"args\":{\"number\":%u", k->number);
	put_address(out, "stream", k->stream);
	put_address(out, "object", k->object);
	if (k->kind >= 0) {
		put_member(out, "kind", kind ? kind : "unknown");
		fprintf(out, ",\"bytes\":%" PRIu64, k->bytes);
	}
	if (k->result) {
		fprintf(out, ",\"result\":%" PRId64, k->result);
		put_member(out, "error", error ? error : "");
	}
	if (k->how == CALL_OPEN || k->how == CALL_KILLED)
		fputs(",\"returned\":false", out);
	if (k->how == CALL_KILLED)
		fputs(",\"killed\":true", out);
	if (k->how == CALL_END_LOST)
		fputs(",\"end\":\"lost\"", out);
	putc('}', out);
}

static void put_call(struct chrome *c, const struct timeline_call *k)
{
	const struct acl_api_info *a = &acl_apis[k->api];
	bool lost = k->how == CALL_END_LOST;

	begin_at(c, lost ? "i" : "X", k->thread->process, k->thread->tid, k->start);
	if (lost)
		fputs(",\"s\":\"t\"", c->out);
	else
		put_time(c->out, "dur", k->end > k->start ? k->end - k->start : 0);
	put_member(c->out, "cat", k->inside ? "inside" : a->mode == ACL_MODE_BLOCKING ? "blocking" : "call");
	put_member(c->out, "name", a->name);
	put_call_args(c->out, k);
	putc('}', c->out);
}

static void put_arrow(struct chrome *c, const struct timeline_call *k, const struct lane_item *item)
{
	const struct process_state *p = k->thread->process;

	c->flows++;
	begin_at(c, "s", p, lane_tid(item->recorded_lane, item->recorded_row), item->recorded);
	fprintf(c->out, ",\"id\":%u,\"cat\":\"wait\",\"name\":\"record to wait\"}", c->flows);
	begin_at(c, "f", p, lane_tid(item->lane, item->row), k->start);
	fprintf(c->out, ",\"id\":%u,\"cat\":\"wait\",\"name\":\"record to wait\",\"bp\":\"e\"}", c->flows);
}

static void put_item(struct chrome *c, const struct timeline_call *k, const struct lane_item *item)
{
	begin_at(c, "X", k->thread->process, lane_tid(item->lane, item->row), k->start);
	put_time(c->out, "dur", k->end > k->start ? k->end - k->start : 0);
	put_member(c->out, "cat", "stream");
	put_member(c->out, "name", acl_apis[k->api].name);
	put_call_args(c->out, k);
	putc('}', c->out);
	if (item->recorded_lane)
		put_arrow(c, k, item);
}

static void put_capture(struct chrome *c, const struct stream_lane *lane, int64_t from, int64_t to)
{
	const char *const phases[] = {"b", "e"};

	c->flows++;
	for (unsigned i = 0; i < 2; i++) {
		begin_at(c, phases[i], lane->process, lane_tid(lane, 0), i ? to : from);
		fprintf(c->out, ",\"id\":%u,\"cat\":\"capture\",\"name\":\"capture, stream %u\"}", c->flows,
			lane->number);
	}
}

static void chrome_put_finding(struct chrome *c, const struct timeline_finding *f)
{
	begin_at(c, "i", f->thread->process, f->thread->tid, f->time);
	fputs(",\"s\":\"t\"", c->out);
	put_member(c->out, "cat", "finding");
	put_member(c->out, "name", f->rule);
	fprintf(c->out, ",\"args\":{\"repeat\":%" PRIu64, f->repeat);
	put_member(c->out, "severity", f->severity);
	put_member(c->out, "status", f->status);
	put_member(c->out, "call", f->call);
	put_member(c->out, "title", f->title);
	put_member(c->out, "detail", f->detail);
	fputs("}}", c->out);
}

static void put_memory(struct chrome *c, const struct timeline_memory *m)
{
	begin_at(c, "C", m->process, 0, m->time);
	put_member(c->out, "name",
		summary_lacks_memory(m->process) ? "memory in use, of what was recorded" : "memory in use");
	for (unsigned i = 0; i < MEMORY_KINDS; i++)
		fprintf(c->out, "%s\"%s\":%" PRIu64, i ? "," : ",\"args\":{", memory_kind_names[i],
			m->now[i]);
	fputs("}}", c->out);
}

/* --- names ------------------------------------------------------------------------- */

static void name(
	struct chrome *c, const struct process_state *p, unsigned tid, const char *what, const char *text)
{
	chrome_begin(c, "M", p, tid);
	put_member(c->out, "name", what);
	fputs(",\"args\":{\"name\":", c->out);
	timeline_put_text(c->out, text);
	fputs("}}", c->out);
}

static void sort_index(
	struct chrome *c, const struct process_state *p, unsigned tid, const char *what, unsigned index)
{
	chrome_begin(c, "M", p, tid);
	put_member(c->out, "name", what);
	fprintf(c->out, ",\"args\":{\"sort_index\":%u}}", index);
}

static void name_process(struct chrome *c, const struct process_state *p, unsigned index)
{
	char text[2048];

	timeline_process_name(p, text, sizeof(text));
	name(c, p, 0, "process_name", text);
	sort_index(c, p, 0, "process_sort_index", index);
	for (const struct thread_state *t = p->threads; t; t = t->hh.next) {
		snprintf(text, sizeof(text), "thread %u", t->tid);
		name(c, p, t->tid, "thread_name", text);
	}
}

static void name_lane(struct chrome *c, const struct stream_lane *lane)
{
	char stream[192], text[256];

	timeline_stream_name(c->t, lane, stream, sizeof(stream));
	snprintf(text, sizeof(text), "%s, as the host put work there", stream);
	for (unsigned row = 0; row == 0 || row < lane->rows; row++) {
		name(c, lane->process, lane_tid(lane, row), "thread_name", text);
		sort_index(c, lane->process, lane_tid(lane, row), "thread_sort_index", lane_tid(lane, row));
	}
}

/* --- all -------------------------------------------------------------------------- */

static void put_calls(struct chrome *c, struct lanes *lanes)
{
	for (size_t i = 0; i < c->t->n_calls; i++) {
		const struct timeline_call *k = &c->t->calls[i];
		struct lane_item item;

		put_call(c, k);
		if (lanes_call(lanes, k, &item))
			put_item(c, k, &item);
		else if (item.captured_since)
			put_capture(c, item.lane, item.captured_since, k->start);
	}
	/* Captures that nothing ended. */
	for (const struct stream_lane *l = lanes->all; l; l = l->next)
		if (l->capture)
			put_capture(c, l, l->capture, l->process->last);
}

void timeline_print_chrome(const struct timeline *t, FILE *out)
{
	const struct summary *s = &t->summary;
	struct chrome c = {.t = t, .out = out};
	struct lanes lanes = {.timeline = t};

	fputs("{\"traceEvents\":[\n", out);
	put_calls(&c, &lanes);
	for (size_t i = 0; i < t->n_findings; i++)
		chrome_put_finding(&c, &t->findings[i]);
	for (size_t i = 0; i < t->n_memory; i++)
		put_memory(&c, &t->memory[i]);
	for (unsigned i = 0; i < s->n_processes; i++)
		name_process(&c, s->processes[i], i);
	for (const struct stream_lane *l = lanes.all; l; l = l->next)
		name_lane(&c, l);
	fprintf(out,
		"\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"source\":\"aclcheck " ACLCHECK_VERSION
		"\",\"origin_ns\":\"%" PRId64 "\",\"complete\":%s,\"discarded_events\":%" PRIu64,
		t->first, summary_is_incomplete(s) ? "false" : "true", s->discarded);
	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (s->lacks >> i & 1)
			put_member(out, recording_lack_name(i), recording_lack_text(i));
	fputs("}}\n", out);
	lanes_free(&lanes);
}
