/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From events to a summary.  What an event class means and where its fields
 * are is looked up once a class; then an event costs a few reads by index.
 */
#include <stdlib.h>
#include <string.h>

#include "checks/engine/call_record.h"
#include "tools/aclcheck/common/command.h"
#include "tools/aclcheck/trace/summary.h"

#define COPIES_MAX 65536 /* streams x kinds of a process that are distinguished */
#define NO_FIELD (-1)

enum meaning {
	MEANS_NOTHING,
	MEANS_ENTRY,
	MEANS_EXIT,
	MEANS_CALL,
	MEANS_PROCESS,
	MEANS_FINDING,
	MEANS_VERDICT,
	MEANS_MODULE,
	MEANS_STACK,
	MEANS_PYTHON_LINE,
	MEANS_PYTHON_STACK,
	MEANS_SAID,
	MEANS_FACT,
	MEANS_ENDED
};

/* What is known of an event class: indexes of the fields of interest, NO_FIELD where there is none. */
struct event_kind {
	UT_hash_handle hh;
	const bt_event_class *class;
	enum meaning meaning;
	unsigned api, trace;
	int pid, tid; /* of the common context */
	int path, caller, stack, number, depth, start, ret, bytes, width, height, kind, stream, object,
		address, size;
	bool moves_memory; /* as .memory says */
	struct memory_rule memory;
	bool blocks, copies;
};

/* Traces are numbered as they come. */
struct trace_number {
	UT_hash_handle hh;
	const bt_trace_class *class;
	unsigned number; /* from 1 */
	int64_t end; /* of what it holds, or of the program before that */
};

/* --- event classes ----------------------------------------------------------- */

static int member(const bt_field_class *c, const char *name)
{
	if (!c)
		return NO_FIELD;
	for (uint64_t i = 0; i < bt_field_class_structure_get_member_count(c); i++)
		if (!strcmp(bt_field_class_structure_member_get_name(
				    bt_field_class_structure_borrow_member_by_index_const(c, i)),
			    name))
			return (int)i;
	return NO_FIELD;
}

static enum meaning meaning_of(const char *event, unsigned *api)
{
	char name[128];
	size_t n;
	int found;

	if (!strcmp(event, "aclcheck:process"))
		return MEANS_PROCESS;
	if (!strcmp(event, "aclcheck:finding"))
		return MEANS_FINDING;
	if (!strcmp(event, "aclcheck:verdict"))
		return MEANS_VERDICT;
	if (!strcmp(event, "aclcheck:module"))
		return MEANS_MODULE;
	if (!strcmp(event, "aclcheck:stack"))
		return MEANS_STACK;
	if (!strcmp(event, "aclcheck:python_place"))
		return MEANS_PYTHON_LINE;
	if (!strcmp(event, "aclcheck:python_stack"))
		return MEANS_PYTHON_STACK;
	if (!strcmp(event, "aclcheck:said"))
		return MEANS_SAID;
	if (!strcmp(event, "aclcheck:describe"))
		return MEANS_FACT;
	if (!strcmp(event, "aclcheck:ended"))
		return MEANS_ENDED;
	if (!strncmp(event, "acl_call:", 9)) {
		found = acl_api_find(event + 9);
		*api = (unsigned)found;
		return found >= 0 ? MEANS_CALL : MEANS_NOTHING;
	}
	n = strlen(event);
	if (strncmp(event, "acl:", 4) != 0 || n >= sizeof(name) + 4)
		return MEANS_NOTHING;
	strcpy(name, event + 4);
	n -= 4;
	if (n > 6 && !strcmp(name + n - 6, "_entry"))
		name[n - 6] = 0;
	else if (n > 5 && !strcmp(name + n - 5, "_exit"))
		name[n - 5] = 0;
	else
		return MEANS_NOTHING;
	found = acl_api_find(name);
	*api = (unsigned)found;
	return found < 0 ? MEANS_NOTHING : event[strlen(event) - 1] == 'y' ? MEANS_ENTRY : MEANS_EXIT;
}

static void find_memory(struct event_kind *k, const bt_field_class *payload)
{
	const struct memory_rule *rule = &k->memory;
	char name[64];

	k->moves_memory = memory_rule(k->api, &k->memory);
	if (!k->moves_memory)
		return;
	/* What is allocated is an output; what is freed is an input. */
	snprintf(name, sizeof(name), rule->allocates ? "%s_out" : "%s", rule->pointer);
	k->address = member(payload, name);
	k->size = rule->allocates ? member(payload, rule->size) : NO_FIELD;
}

/* The parameter with what streams wait for, or with a model, that is used or destroyed; -1 = none. */
static int object_param(unsigned api)
{
	const struct acl_api_info *a = &acl_apis[api];
	int found = -1;

	for (unsigned i = 0; i < a->n_params && found < 0; i++) {
		const struct acl_param *p = &acl_params(a)[i];

		if (p->kind == ACL_KIND_HANDLE && (p->life == ACL_LIFE_USE || p->life == ACL_LIFE_DESTROY) &&
			(p->handle == ACL_HANDLE_EVENT || p->handle == ACL_HANDLE_NOTIFY ||
				p->handle == ACL_HANDLE_CNT_NOTIFY || p->handle == ACL_HANDLE_MODEL))
			found = (int)i;
	}
	return found < 0 ? signal_argument(api) : found;
}

static bool works_on_bytes(const struct acl_api_info *a)
{
	return a->operation_group == ACL_OP_GROUP_COPY || a->operation_group == ACL_OP_GROUP_SET ||
	       a->operation_group == ACL_OP_GROUP_REDUCE;
}

static void find_fields(struct event_kind *k, const bt_field_class *payload)
{
	const struct acl_api_info *a = &acl_apis[k->api];
	int bytes, object;

	k->path = member(payload, "call_path");
	k->caller = member(payload, "call_caller");
	k->stack = member(payload, "call_stack");
	k->number = member(payload, "call_number");
	k->depth = member(payload, "call_depth");
	k->start = member(payload, "call_start");
	/* "ret" is the same with a name, where it is recorded. */
	k->ret = a->ret_kind == ACL_KIND_ERROR ? member(payload, "call_result") : NO_FIELD;
	if (a->ret_kind == ACL_KIND_ERROR && k->ret == NO_FIELD)
		k->ret = member(payload, "ret");
	k->blocks = a->mode == ACL_MODE_BLOCKING;
	find_memory(k, payload);
	for (unsigned i = 0; i < a->n_params; i++) {
		if (a->mode != ACL_MODE_IMMEDIATE &&
			!strcmp(acl_text(acl_params(a)[i].type), "aclrtMemcpyKind"))
			k->kind = member(payload, acl_params(a)[i].name);
		if (acl_params(a)[i].handle == ACL_HANDLE_STREAM && k->stream == NO_FIELD)
			k->stream = member(payload, acl_params(a)[i].name);
	}
	k->copies = k->kind != NO_FIELD;
	object = object_param(k->api);
	k->object = object < 0 ? NO_FIELD : member(payload, acl_params(a)[object].name);
	bytes = acl_role_param(k->api, ACL_ROLE_BYTES);
	k->bytes = bytes < 0 || !works_on_bytes(a) ? NO_FIELD : member(payload, acl_params(a)[bytes].name);
	k->width = member(payload, "width");
	k->height = member(payload, "height");
}

/* Pids are distinguished by it. */
static struct trace_number *trace_number(struct summary *s, const bt_trace_class *t)
{
	struct trace_number *n;

	HASH_FIND_PTR(s->traces, &t, n);
	if (!n) {
		n = need(calloc(1, sizeof(*n)));
		n->class = t;
		n->number = HASH_COUNT(s->traces) + 1;
		HASH_ADD_PTR(s->traces, class, n);
	}
	return n;
}

static struct event_kind *kind_of(struct summary *s, const bt_event_class *class)
{
	const bt_field_class *context, *payload;
	struct event_kind *k;
	const char *name;

	HASH_FIND_PTR(s->kinds, &class, k);
	if (k)
		return k;
	k = need(calloc(1, sizeof(*k)));
	k->class = class;
	k->pid = k->tid = k->stack = k->path = k->number = k->depth = k->start = k->ret = k->bytes =
		k->width = k->height = k->kind = k->stream = k->object = k->address = k->size = NO_FIELD;
	name = bt_event_class_get_name(class);
	k->meaning = meaning_of(name ? name : "", &k->api);
	k->trace = trace_number(
		s, bt_stream_class_borrow_trace_class_const(bt_event_class_borrow_stream_class_const(class)))
			   ->number;
	context = bt_stream_class_borrow_event_common_context_field_class_const(
		bt_event_class_borrow_stream_class_const(class));
	k->pid = member(context, "vpid");
	k->tid = member(context, "vtid");
	payload = bt_event_class_borrow_payload_field_class_const(class);
	if (k->meaning == MEANS_ENTRY || k->meaning == MEANS_EXIT || k->meaning == MEANS_CALL) {
		find_fields(k, payload);
		s->no_threads |= k->pid == NO_FIELD || k->tid == NO_FIELD;
	}
	HASH_ADD_PTR(s->kinds, class, k);
	return k;
}

/* --- fields -------------------------------------------------------------------- */

static uint64_t value(const bt_field *structure, int index)
{
	if (index == NO_FIELD)
		return 0;
	return ctf_uint(bt_field_structure_borrow_member_field_by_index_const(structure, (uint64_t)index));
}

static char *text(const bt_field *structure, const char *name)
{
	const bt_field *f = bt_field_structure_borrow_member_field_by_name_const(structure, name);
	char line[1025] = "";

	if (f)
		ctf_text(f, line, sizeof(line));
	return need(strdup(line));
}

/* --- processes and threads ------------------------------------------------------- */

static struct process_state *process_of(struct summary *s, unsigned trace, uint32_t pid)
{
	uint64_t key = (uint64_t)trace << 32 | pid;
	struct process_state *p;

	HASH_FIND(hh, s->by_key, &key, sizeof(key), p);
	if (p)
		return p;
	p = need(calloc(1, sizeof(*p)));
	p->trace = trace;
	p->pid = pid;
	p->key = key;
	HASH_ADD(hh, s->by_key, key, sizeof(p->key), p);
	s->processes = need(realloc(s->processes, (s->n_processes + 1) * sizeof(*s->processes)));
	s->processes[s->n_processes++] = p;
	return p;
}

static struct thread_state *summary_thread(
	struct summary *s, const struct event_kind *k, const bt_event *event)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event);
	uint32_t pid = context ? (uint32_t)value(context, k->pid) : 0;
	uint32_t tid = context ? (uint32_t)value(context, k->tid) : 0;
	uint64_t key = (uint64_t)pid << 32 | tid;
	struct process_state *p;
	struct thread_state *t;

	if (s->latest && s->latest_key == key && s->latest->process->trace == k->trace)
		return s->latest;
	p = process_of(s, k->trace, pid);
	HASH_FIND(hh, p->threads, &tid, sizeof(tid), t);
	if (!t) {
		t = need(calloc(1, sizeof(*t)));
		t->tid = tid;
		t->process = p;
		HASH_ADD(hh, p->threads, tid, sizeof(t->tid), t);
	}
	s->latest = t;
	s->latest_key = key;
	return t;
}

/* --- calls ------------------------------------------------------------------------- */

static struct open_call *push(struct thread_state *t)
{
	if (t->depth == t->room) {
		t->room = t->room ? t->room * 2 : 8;
		t->open = need(realloc(t->open, t->room * sizeof(*t->open)));
	}
	return &t->open[t->depth++];
}

/* The line of Python code that makes the call, else where it returns to. */
static uint64_t call_place(const struct process_state *p, const struct event_kind *k, const bt_field *f)
{
	const bt_field *list = k->stack == NO_FIELD ? NULL
						    : bt_field_structure_borrow_member_field_by_index_const(
							      f, (uint64_t)k->stack);
	uint64_t python = 0;

	if (list && bt_field_array_get_length(list))
		python = code_python_place(
			p, (uint32_t)ctf_uint(bt_field_array_borrow_element_field_by_index_const(list, 0)));
	return python ? python : value(f, k->caller);
}

static void read_inputs(
	const struct process_state *p, struct open_call *c, const struct event_kind *k, const bt_field *f)
{
	c->api = (uint16_t)k->api;
	c->inside = value(f, k->path) == ACL_PATH_INSIDE;
	c->caller = call_place(p, k, f);
	c->bare = k->caller == NO_FIELD;
	c->number = (uint32_t)value(f, k->number);
	c->callbacks = (uint16_t)(value(f, k->depth) - (c->inside ? 1 : 0));
	c->kind = k->copies ? (int16_t)value(f, k->kind) : -1;
	c->bytes = k->bytes != NO_FIELD ? value(f, k->bytes) : value(f, k->width) * value(f, k->height);
	c->stream = value(f, k->stream);
	c->object = value(f, k->object);
	c->size = value(f, k->size);
	c->address = k->moves_memory && !k->memory.allocates ? value(f, k->address) : 0;
}

static void add_copy(
	struct process_state *p, const struct event_kind *k, const struct open_call *c, int64_t now)
{
	const struct copy_key key = {c->stream, c->kind, k->blocks};
	struct copy_stat *s;

	HASH_FIND(hh, p->copies, &key, sizeof(key), s);
	if (!s) {
		if (HASH_COUNT(p->copies) >= COPIES_MAX)
			return;
		s = need(calloc(1, sizeof(*s)));
		s->stream = k->blocks ? 0 : c->stream;
		s->kind = c->kind;
		s->blocking = k->blocks;
		s->first = c->start;
		s->key = key;
		HASH_ADD(hh, p->copies, key, sizeof(s->key), s);
	}
	s->copies++;
	s->bytes += c->bytes;
	s->busy += (uint64_t)(now - c->start);
	s->last = now;
}

static void add_memory(struct process_state *p, const struct event_kind *k, const struct open_call *c,
	const bt_field *f, int64_t now)
{
	if (k->memory.allocates)
		memory_allocated(&p->memory, k->memory.kind, value(f, k->address), c->size, now);
	else
		memory_freed(&p->memory, c->address);
}

/* The result of a call that has ended; true: success. */
static bool add_result(
	struct summary *s, struct process_state *p, const struct event_kind *k, const bt_field *f)
{
	int64_t ret = k->ret == NO_FIELD ? 0 : (int64_t)value(f, k->ret);

	if (ret && !acl_result_is_answer(k->api, ret)) {
		stat_error(&s->functions[k->api], ret);
		p->errors++;
		s->errors++;
	}
	return !ret;
}

static void observe(const struct summary *s, const struct thread_state *t, const struct open_call *c,
	enum call_end how, int64_t end, int64_t result)
{
	if (s->observer)
		s->observer->call(s->observer->context, t, c, how, end, result);
}

/* A call has ended: outer says whether it lies within one that blocks, whose time it is then. */
static void summary_finish(struct summary *s, const struct thread_state *t, const struct event_kind *k,
	const struct open_call *c, const bt_field *f, int64_t now, bool outer)
{
	uint64_t ns = now > c->start ? (uint64_t)(now - c->start) : 0;
	struct process_state *p = t->process;

	stat_add(&s->functions[k->api], ns);
	if (k->blocks && !outer && !c->inside)
		p->blocked += ns;
	if (!t->depth && !c->callbacks && !c->inside)
		p->in_calls += ns;
	site_add(p, c, ns, k->blocks && !outer ? ns : 0);
	if (add_result(s, p, k, f)) {
		if (c->kind >= 0 && !c->inside)
			add_copy(p, k, c, now);
		p->bare |= c->bare;
		if (k->moves_memory && !c->inside && !c->bare)
			add_memory(p, k, c, f, now);
	}
	observe(s, t, c, CALL_RETURNED, now, k->ret == NO_FIELD ? 0 : (int64_t)value(f, k->ret));
}

static void summary_count(
	struct summary *s, struct thread_state *t, const struct event_kind *k, uint32_t number, bool inside)
{
	struct process_state *p = t->process;

	if (!t->called && number)
		p->earlier += number - 1;
	t->called = true;
	p->inside += inside;
	s->functions[k->api].calls++;
	s->calls++;
	p->calls++;
}

/* The calls from there on are over, though nothing says when. */
static void summary_forget(struct summary *s, struct thread_state *t, unsigned from)
{
	for (unsigned i = from; i < t->depth; i++) {
		s->lost_ends++;
		t->blocked -= acl_apis[t->open[i].api].mode == ACL_MODE_BLOCKING;
		observe(s, t, &t->open[i], CALL_END_LOST, t->open[i].start, 0);
	}
	t->depth = from;
}

/* How many of the open calls a new one can lie in: one of the program's own is made in a later callback. */
static unsigned enclosing(const struct thread_state *t, const struct open_call *new)
{
	unsigned n = t->depth;

	while (n && t->open[n - 1].callbacks + !new->inside > new->callbacks)
		n--;
	return n;
}

static void entry(
	struct summary *s, struct thread_state *t, const struct event_kind *k, const bt_field *f, int64_t now)
{
	struct open_call c = {.start = now};

	read_inputs(t->process, &c, k, f);
	if (k->number != NO_FIELD)
		summary_forget(s, t, enclosing(t, &c));
	*push(t) = c;
	t->blocked += k->blocks;
	summary_count(s, t, k, c.number, c.inside);
}

/* The place behind the call that ends here, 0: it is not there. */
static unsigned find_open(const struct thread_state *t, unsigned api, uint32_t number)
{
	for (unsigned i = t->depth; i && t->open[i - 1].number >= number; i--)
		if (t->open[i - 1].api == api && t->open[i - 1].number == number)
			return i;
	return 0;
}

static void summary_leave(
	struct summary *s, struct thread_state *t, const struct event_kind *k, const bt_field *f, int64_t now)
{
	unsigned i = find_open(t, k->api, (uint32_t)value(f, k->number));
	struct open_call c;

	if (!i) {
		s->lost_begins++;
		summary_count(s, t, k, (uint32_t)value(f, k->number), value(f, k->path) == ACL_PATH_INSIDE);
		add_result(s, t->process, k, f);
		return;
	}
	summary_forget(s, t, i);
	c = t->open[i - 1];
	t->depth = i - 1;
	t->blocked -= k->blocks;
	summary_finish(s, t, k, &c, f, now, t->blocked > 0);
}

static void whole_call(struct summary *s, struct thread_state *t, const struct event_kind *k,
	const bt_field *f, int64_t now, const bt_clock_snapshot *clock)
{
	struct open_call c = {0};
	uint64_t end = clock ? bt_clock_snapshot_get_value(clock) : 0, start = value(f, k->start);

	read_inputs(t->process, &c, k, f);
	summary_count(s, t, k, c.number, c.inside);
	c.start = now - (end > start ? (int64_t)(end - start) : 0);
	summary_finish(s, t, k, &c, f, now, false);
}

/* --- the events ---------------------------------------------------------------------- */

static void describe(struct process_state *p, const bt_field *f)
{
	if (p->command)
		return;
	p->command = text(f, "command");
	p->rank = text(f, "rank");
	p->host = text(f, "host");
}

static uint64_t member_value(const bt_field *structure, const char *name)
{
	const bt_field *f = bt_field_structure_borrow_member_field_by_name_const(structure, name);

	return f ? ctf_uint(f) : 0;
}

static void fact(struct process_state *p, const bt_field *f)
{
	char *key = text(f, "key"), *words = text(f, "value");

	if (!strcmp(key, "calls"))
		p->made = strtoull(words, NULL, 10);
	else if (!strcmp(key, "chosen"))
		p->chosen = true;
	free(key);
	free(words);
}

/* The event is another process', and a little late. */
static void killed(struct summary *s, const struct event_kind *k, const bt_field *f, int64_t now,
	const bt_clock_snapshot *clock)
{
	uint64_t key = (uint64_t)k->trace << 32 | (uint32_t)member_value(f, "pid"),
		 at = member_value(f, "clock");
	uint64_t late = clock ? bt_clock_snapshot_get_value(clock) : 0;
	struct process_state *p;

	HASH_FIND(hh, s->by_key, &key, sizeof(key), p);
	if (p)
		p->killed = now - (at && late > at ? (int64_t)(late - at) : 0);
}

static void span(int64_t *first, int64_t *last, int64_t now)
{
	if (!*last || now < *first)
		*first = now;
	if (now > *last)
		*last = now;
}

bool summary_event(void *summary, const bt_event *event, const bt_clock_snapshot *clock)
{
	struct summary *s = summary;
	const struct event_kind *k = kind_of(s, bt_event_borrow_class_const(event));
	const bt_field *f = bt_event_borrow_payload_field_const(event);
	struct thread_state *t;
	int64_t now = 0;

	s->events++;
	if (k->meaning == MEANS_NOTHING || !f)
		return true;
	if (clock && bt_clock_snapshot_get_ns_from_origin(clock, &now) !=
			     BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK)
		now = 0;
	if (k->meaning == MEANS_ENDED) {
		killed(s, k, f, now, clock);
		return true;
	}
	t = summary_thread(s, k, event);
	if (k->meaning == MEANS_FACT) {
		fact(t->process, f);
		return true;
	}
	span(&s->first, &s->last, now);
	span(&t->process->first, &t->process->last, now);
	switch (k->meaning) {
	case MEANS_ENTRY:
		entry(s, t, k, f, now);
		break;
	case MEANS_EXIT:
		summary_leave(s, t, k, f, now);
		break;
	case MEANS_CALL:
		whole_call(s, t, k, f, now, clock);
		break;
	case MEANS_PROCESS:
		describe(t->process, f);
		break;
	case MEANS_FINDING:
		t->process->findings++;
		if (s->observer)
			s->observer->finding(s->observer->context, t, f, now);
		break;
	case MEANS_MODULE:
		code_module_add(t->process, f);
		break;
	case MEANS_STACK:
		if (s->observer)
			s->observer->stack(s->observer->context, t->process, f);
		break;
	case MEANS_PYTHON_LINE:
		code_python_line_add(t->process, f);
		break;
	case MEANS_PYTHON_STACK:
		code_python_stack_add(t->process, f);
		if (s->observer)
			s->observer->stack(s->observer->context, t->process, f);
		break;
	case MEANS_SAID:
		if (s->observer)
			s->observer->said(s->observer->context, t->process, f, now);
		break;
	default:
		free(t->process->verdict);
		t->process->verdict = text(f, "verdict");
		break;
	}
	return true;
}

void summary_discarded(void *summary, uint64_t n)
{
	struct summary *s = summary;

	s->discarded += n;
	s->discarded_unknown |= n == 0;
}

void summary_lost(void *summary, uint64_t packets)
{
	struct summary *s = summary;

	s->lost += packets ? packets : 1;
}

void summary_written(void *summary, const bt_trace_class *trace, int64_t ns)
{
	struct trace_number *n = trace_number(summary, trace);

	if (ns > n->end)
		n->end = ns;
}

void summary_lacks(void *summary, unsigned lacks)
{
	struct summary *s = summary;

	s->lacks |= lacks;
}

bool summary_has_gaps(const struct summary *s)
{
	return s->discarded || s->discarded_unknown || s->lost;
}

bool summary_is_incomplete(const struct summary *s)
{
	return summary_has_gaps(s) || s->lacks & LACKS_UNWANTED;
}

uint64_t summary_so_far(const struct summary *s, const struct process_state *p, const struct open_call *c)
{
	int64_t end = p->last;

	if (summary_was_killed(p))
		return p->killed > c->start ? (uint64_t)(p->killed - c->start) : 0;

	/* Its verdict is the last that a process says; one that was killed says none. */
	for (const struct trace_number *n = s->traces; n && !p->verdict; n = n->hh.next)
		if (n->number == p->trace && n->end > end)
			end = n->end;

	return end > c->start ? (uint64_t)(end - c->start) : 0;
}

/* Where events were lost it is unknown whether the call is still open. */
static void add_open(struct summary *s, struct process_state *p, struct thread_state *t)
{
	bool blocked = false, blocks;

	if (s->lacks >> LACKS_AFTER_WINDOW & 1)
		summary_forget(s, t, 0);
	s->unfinished += t->depth;
	for (unsigned i = 0; i < t->depth; i++) {
		const struct open_call *c = &t->open[i];
		bool lost = summary_is_incomplete(s);

		observe(s, t, c,
			lost                    ? CALL_END_LOST
			: summary_was_killed(p) ? CALL_KILLED
						: CALL_OPEN,
			c->start + (int64_t)(lost ? 0 : summary_so_far(s, p, c)), 0);
	}
	for (unsigned i = 0; i < t->depth && !summary_is_incomplete(s); i++) {
		const struct open_call *c = &t->open[i];
		uint64_t ns = summary_so_far(s, p, c);

		stat_add(&s->functions[c->api], ns);
		s->functions[c->api].open++;
		if (!i)
			p->in_calls += ns;
		blocks = acl_apis[c->api].mode == ACL_MODE_BLOCKING && !blocked && !c->inside;
		site_add(p, c, ns, blocks ? ns : 0);
		if (!blocks)
			continue;
		p->blocked += ns;
		blocked = true;
	}
}

void summary_end(struct summary *s)
{
	if (s->n_processes)
		qsort(s->processes, s->n_processes, sizeof(*s->processes), process_by_rank);
	for (unsigned i = 0; i < s->n_processes; i++)
		for (struct thread_state *t = s->processes[i]->threads; t; t = t->hh.next)
			add_open(s, s->processes[i], t);
}

void summary_free(struct summary *s)
{
	struct event_kind *k, *next_kind;
	struct trace_number *n, *next_number;

	for (unsigned i = 0; i < ACL_API_COUNT; i++)
		stat_free(&s->functions[i]);
	HASH_CLEAR(hh, s->by_key);
	for (unsigned i = 0; i < s->n_processes; i++)
		process_free(s->processes[i]);
	free(s->processes);
	HASH_ITER(hh, s->traces, n, next_number)
	{
		HASH_DEL(s->traces, n);
		free(n);
	}
	HASH_ITER(hh, s->kinds, k, next_kind)
	{
		HASH_DEL(s->kinds, k);
		free(k);
	}
}
