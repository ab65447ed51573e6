/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what "aclcheck summary" only counts: calls are put together in one place, there. */
#include <string.h>

#include "tools/aclcheck/trace/timeline/timeline.h"

/* One more element of an array, zero. */
#define ADD(array, n, room)                                                                                  \
	({                                                                                                   \
		if ((n) == (room)) {                                                                         \
			(room) = (room) ? (room)*2 : 64;                                                     \
			(array) = need(realloc((array), (room) * sizeof(*(array))));                         \
		}                                                                                            \
		memset(&(array)[n], 0, sizeof(*(array)));                                                    \
		&(array)[(n)++];                                                                             \
	})

static void first_time(struct timeline *t, int64_t time)
{
	if (!t->first || time < t->first)
		t->first = time;
}

/* After a loss what is in use is no longer known. */
static void keep_memory(struct timeline *t, const struct process_state *p, int64_t time)
{
	struct timeline_memory *m;

	if (summary_is_incomplete(&t->summary))
		return;
	m = ADD(t->memory, t->n_memory, t->room_memory);
	m->process = p;
	m->time = time;
	for (unsigned i = 0; i < MEMORY_KINDS; i++)
		m->now[i] = p->memory.use[i].now;
}

static void keep_call(void *context, const struct thread_state *thread, const struct open_call *c,
	enum call_end how, int64_t end, int64_t result)
{
	struct timeline *t = context;
	struct timeline_call *k = ADD(t->calls, t->n_calls, t->room_calls);
	struct memory_rule memory;

	*k = (struct timeline_call){.thread = thread,
		.start = c->start,
		.end = end,
		.result = result,
		.bytes = c->bytes,
		.stream = c->stream,
		.object = c->object,
		.caller = c->caller,
		.number = c->number,
		.api = c->api,
		.kind = c->kind,
		.how = (uint8_t)how,
		.inside = c->inside,
		.bare = c->bare};
	first_time(t, c->start);
	if (how == CALL_RETURNED && !result && !c->inside && !c->bare && memory_rule(c->api, &memory))
		keep_memory(t, thread->process, end);
}

static char *words(const bt_field *fields, const char *name)
{
	const bt_field *f = bt_field_structure_borrow_member_field_by_name_const(fields, name);
	bt_field_class_enumeration_mapping_label_array labels;
	char line[1025] = "";
	uint64_t n;

	if (f && bt_field_class_type_is(
			 bt_field_get_class_type(f), BT_FIELD_CLASS_TYPE_UNSIGNED_ENUMERATION)) {
		if (bt_field_enumeration_unsigned_get_mapping_labels(f, &labels, &n) ==
				BT_FIELD_ENUMERATION_GET_MAPPING_LABELS_STATUS_OK &&
			n)
			snprintf(line, sizeof(line), "%s", labels[0]);
	} else if (f) {
		ctf_text(f, line, sizeof(line));
	}
	return need(strdup(line));
}

static uint64_t timeline_number(const bt_field *fields, const char *name)
{
	const bt_field *f = bt_field_structure_borrow_member_field_by_name_const(fields, name);

	return f ? ctf_uint(f) : 0;
}

static void keep_stack(void *context, const struct process_state *p, const bt_field *fields)
{
	const bt_field *frames = bt_field_structure_borrow_member_field_by_name_const(fields, "frames");
	struct timeline *t = context;
	struct timeline_stack *s = ADD(t->stacks, t->n_stacks, t->room_stacks);

	s->process = p;
	s->id = (uint32_t)timeline_number(fields, "id");
	s->n = frames ? (unsigned)bt_field_array_get_length(frames) : 0;
	s->frames = need(calloc(s->n + 1, sizeof(*s->frames)));
	for (unsigned i = 0; i < s->n; i++)
		s->frames[i] = ctf_uint(bt_field_array_borrow_element_field_by_index_const(frames, i));
}

static void keep_finding(
	void *context, const struct thread_state *thread, const bt_field *fields, int64_t time)
{
	struct timeline *t = context;
	struct timeline_finding *f = ADD(t->findings, t->n_findings, t->room_findings);

	f->thread = thread;
	f->time = time;
	f->repeat = timeline_number(fields, "repeat");
	f->stack = (uint32_t)timeline_number(fields, "stack");
	f->rule = words(fields, "rule");
	f->severity = words(fields, "severity");
	f->status = words(fields, "status");
	f->call = words(fields, "api");
	f->title = words(fields, "title");
	f->detail = words(fields, "detail");
	first_time(t, time);
}

/* Of all that a program says, names of objects. */
static void keep_name(void *context, const struct process_state *p, const bt_field *fields, int64_t time)
{
	struct timeline *t = context;
	char *what = words(fields, "what");
	struct timeline_name *name;

	if (!strcmp(what, "name")) {
		name = ADD(t->names, t->n_names, t->room_names);
		*name = (struct timeline_name){
			p, time, timeline_number(fields, "object"), words(fields, "text")};
	}
	free(what);
}

static int by_start(const void *a, const void *b)
{
	const struct timeline_call *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

bool timeline_read(struct timeline *t, char *const *traces, unsigned n_traces)
{
	struct ctf_reader reader = {.context = &t->summary,
		.event = summary_event,
		.discarded = summary_discarded,
		.lost = summary_lost,
		.lacks = summary_lacks,
		.written = summary_written,
		.progress = true};

	t->observer = (struct call_observer){.context = t,
		.call = keep_call,
		.finding = keep_finding,
		.stack = keep_stack,
		.said = keep_name};
	t->summary.observer = &t->observer;
	if (!ctf_read(traces, n_traces, &reader))
		return false;
	summary_end(&t->summary);
	if (t->n_calls)
		qsort(t->calls, t->n_calls, sizeof(*t->calls), by_start);
	timeline_gaps_find(t);
	return true;
}

void timeline_free(struct timeline *t)
{
	for (size_t i = 0; i < t->n_findings; i++) {
		struct timeline_finding *f = &t->findings[i];

		free(f->rule);
		free(f->severity);
		free(f->status);
		free(f->call);
		free(f->title);
		free(f->detail);
	}
	for (size_t i = 0; i < t->n_stacks; i++)
		free(t->stacks[i].frames);
	free(t->stacks);
	for (size_t i = 0; i < t->n_names; i++)
		free(t->names[i].text);
	free(t->names);
	free(t->gaps);
	free(t->calls);
	free(t->findings);
	free(t->memory);
	summary_free(&t->summary);
}
