/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records into calls of the checks.  The pointers of a call lead to copies of what was recorded, in memory of
 * our own: checks read in place what a successful call was given and what it wrote.  Pointers to lists are
 * those of the run, and the copies are found by these: a list may go on behind the elements that its event
 * holds, in what the checks asked.  What was not recorded cannot be read (replay_memory_read), so that rules
 * which need it stay silent.
 */
#include <stddef.h>
#include <string.h>

#include "aclcheck/model.h"
#include "interpose/call/annotation_arguments.h"
#include "interpose/report/call_coverage.h"
#include "interpose/report/expect_scope.h"
#include "interpose/report/verdict.h"
#include "interpose/runtime/loaded_module.h"
#include "interpose/symbolize/site_functions.h"
#include "tools/aclcheck/trace/replay/replay.h"

#define OUTPUT_ELEMENTS 16 /* of a list that a call writes, at least */
#define OUTPUT_TEXT 4096
#define CALLS_MAX 1024 /* of a thread within each other */

/* A copy of what a pointer leads to. */
struct copy {
	char *at;
	uint64_t original; /* where that was, 0 = not known */
	size_t room, known; /* bytes that can be read */
	bool text; /* behind it all is 0 */
	bool in_run; /* the call has the address of the run: nothing is read in place there */
};

struct frame {
	struct frame *below;
	uint32_t number;
	bool checked;
	struct acl_call_record call;
	struct copy copies[ACL_CALL_PARAMS];
	_Alignas(16) char args[ACL_CALL_PARAMS * 64];
};

/* What the checks asked in the run, from the last begin or end of a call on. */
struct answers {
	char *records; /* struct replay_record, one behind the other */
	size_t length, room;
};

/* The scopes that the program opened on a thread, as struct acl_thread has them. */
struct scopes {
	uint16_t n, met, of[THREAD_SCOPES];
};

struct replay_thread {
	uint32_t tid;
	struct scopes scopes;
	struct answers answers;
	UT_hash_handle hh;
	struct acl_call_thread by;
	struct frame *top;
	unsigned depth;
	uint16_t callbacks;
};

static struct replay_thread *threads;
static struct frame *spare, *present;
static const struct answers *present_answers;
static uint32_t present_stack;
static const char *present_text; /* of what the program says of itself */

/* --- memory ------------------------------------------------------------------------ */

/* The copy that a pointer leads into, by its address here or in the run. */
static const struct copy *copy_with(const void *pointer, size_t *offset)
{
	for (unsigned i = 0; present && i < ACL_CALL_PARAMS; i++) {
		const struct copy *c = &present->copies[i];

		if (!c->at)
			continue;
		*offset = (uintptr_t)pointer - (c->in_run ? c->original : (uintptr_t)c->at);
		if (*offset < c->room)
			return c;
	}
	return NULL;
}

/* The address that the pointer had in the run, 0 = not known. */
static uint64_t original_of(const void *pointer)
{
	size_t offset;
	const struct copy *c = copy_with(pointer, &offset);

	if (!c)
		return (uintptr_t)pointer;
	return c->original ? c->original + offset : 0;
}

/* The next answer to such a question, from *at on; NULL: there is none. */
static const struct replay_record *next_answer(size_t *at, enum trace_question question)
{
	const struct answers *all = present_answers;

	while (all && *at < all->length) {
		const struct replay_record *r = (const struct replay_record *)(all->records + *at);

		*at += r->bytes;
		if (r->flags == question)
			return r;
	}
	return NULL;
}

bool replay_answer(enum trace_question question, const void *of, void *answer, size_t bytes)
{
	uint64_t original = original_of(of);
	const struct replay_record *r;

	for (size_t next = 0; (r = next_answer(&next, question));) {
		size_t at = sizeof(*r);
		const struct replay_piece *p = replay_next_piece(r, &at);

		if (r->caller != original || !p || p->bytes != bytes)
			continue;
		if (bytes)
			memcpy(answer, p + 1, bytes);
		return true;
	}
	return false;
}

/* As far as it goes: the bytes at the address that were read in one go; 0: none. */
static size_t answered_bytes(uint64_t from, char *to, size_t bytes)
{
	const struct replay_record *r;

	for (size_t next = 0; (r = next_answer(&next, TRACE_ASKS_MEMORY));) {
		size_t at = sizeof(*r), offset = (size_t)(from - r->caller), n;
		const struct replay_piece *p = replay_next_piece(r, &at);

		if (!p || from < r->caller || offset >= p->bytes)
			continue;
		n = p->bytes - offset < bytes ? p->bytes - offset : bytes;
		memcpy(to, (const char *)(p + 1) + offset, n);
		return n;
	}
	return 0;
}

static bool answered_memory(const void *from, char *to, size_t bytes)
{
	uint64_t original = original_of(from);
	size_t n = 1;

	for (; original && bytes && n; bytes -= n, original += n, to += n)
		n = answered_bytes(original, to, bytes);
	return original && n;
}

bool replay_text_read(const void *from, char *to, size_t bytes)
{
	uint64_t original = original_of(from);
	size_t n = 1, got = 0;

	if (present_text && from == present_text) {
		strncpy(to, present_text, bytes);
		return true;
	}
	for (; original && n && got < bytes && !memchr(to, 0, got); got += n)
		n = answered_bytes(original + got, to + got, bytes - got);
	if (original && n) {
		memset(to + got, 0, bytes - got);
		return true;
	}
	return replay_memory_read(from, to, bytes);
}

bool replay_memory_read(const void *from, void *to, size_t bytes)
{
	const struct copy *c;
	size_t offset, n;

	if (answered_memory(from, to, bytes))
		return true;
	c = copy_with(from, &offset);
	if (!c)
		return false;
	n = offset < c->known ? c->known - offset : 0;
	if (n < bytes && !c->text)
		return false;
	memset(to, 0, bytes);
	memcpy(to, c->at + offset, n < bytes ? n : bytes);
	return true;
}

uint32_t replay_present_stack(void)
{
	return present_stack;
}

/* Also of a pointer that a task reads later: where the variable lies matters, too. */
static bool keeps_address(const struct acl_param *p)
{
	return p->dir == ACL_DIR_IN && (p->count >= 0 || p->pointee_kind == ACL_KIND_POINTER);
}

static struct copy *copy_make(struct frame *f, unsigned parameter, size_t room)
{
	struct copy *c = &f->copies[parameter];
	const struct acl_param *p = &acl_params(&acl_apis[f->call.api])[parameter];

	memcpy(&c->original, f->args + p->offset, sizeof(c->original));
	c->in_run = c->original && keeps_address(p);
	c->at = need(calloc(1, room + 1)); /* of a list that was not recorded there are 0 bytes */
	c->room = room;
	if (!c->in_run)
		memcpy(f->args + p->offset, &c->at, sizeof(c->at));
	return c;
}

static void copy_fill(struct copy *c, const struct replay_piece *p)
{
	size_t n = p->bytes < c->room ? p->bytes : c->room;

	memcpy(c->at, p + 1, n);
	c->known = p->partial ? 0 : p->cut ? n - 1 : n;
	c->text = p->text && !p->cut;
}

/* Whether the recording says what such a parameter leads to, or what the call wrote there. */
static bool is_opened(const struct acl_param *p)
{
	return p->size == sizeof(void *) &&
	       (p->kind == ACL_KIND_STRING || (p->kind == ACL_KIND_POINTER && p->pointee_size));
}

static size_t room_of(const struct acl_param *p, const struct replay_piece *piece)
{
	size_t room = p->pointee_size <= 1 ? OUTPUT_TEXT : (size_t)p->pointee_size * OUTPUT_ELEMENTS;

	/* Nothing else of the run may be taken for the list. */
	if (keeps_address(p))
		return piece ? piece->bytes : 0;
	return piece && piece->bytes > room ? piece->bytes : room;
}

/* --- pieces -------------------------------------------------------------------------- */

const struct replay_piece *replay_next_piece(const struct replay_record *r, size_t *at)
{
	const struct replay_piece *p = (const void *)((const char *)r + *at);

	if (*at + sizeof(*p) > r->bytes || p->bytes > r->bytes - *at - sizeof(*p))
		return NULL;
	*at += sizeof(*p) + ((p->bytes + 7u) & ~7u);
	return p;
}

static void inputs_take(struct frame *f, const struct replay_record *r)
{
	const struct acl_api_info *a = &acl_apis[r->api];
	const struct replay_piece *pieces[ACL_CALL_PARAMS] = {0}, *p;
	size_t at = sizeof(*r) + ((a->args_size + 7u) & ~7u);

	memcpy(f->args, r + 1, a->args_size);
	while ((p = replay_next_piece(r, &at)))
		if (p->parameter < a->n_params)
			pieces[p->parameter] = p;
	for (unsigned i = 0; i < a->n_params; i++) {
		uint64_t value = 0;

		if (!is_opened(&acl_params(a)[i]))
			continue;
		memcpy(&value, f->args + acl_params(a)[i].offset, sizeof(value));
		/* Of a text that goes in only the text is recorded, and not where it lay. */
		if (!value && !(pieces[i] && pieces[i]->text))
			continue;
		copy_make(f, i, room_of(&acl_params(a)[i], pieces[i]));
		if (pieces[i])
			copy_fill(&f->copies[i], pieces[i]);
	}
}

static void outputs_take(struct frame *f, const struct replay_record *r)
{
	const struct acl_api_info *a = &acl_apis[f->call.api];
	const struct replay_piece *p;
	size_t at = sizeof(*r);

	/* What a call that failed left there is not recorded. */
	for (unsigned i = 0; i < a->n_params; i++)
		if (acl_params(a)[i].dir != ACL_DIR_IN)
			f->copies[i].known = 0;
	while (!r->result && (p = replay_next_piece(r, &at)))
		if (p->parameter < a->n_params && f->copies[p->parameter].at)
			copy_fill(&f->copies[p->parameter], p);
}

/* --- threads and frames ---------------------------------------------------------------- */

static struct replay_thread *feed_thread(uint32_t tid)
{
	struct replay_thread *t;

	HASH_FIND(hh, threads, &tid, sizeof(tid), t);
	if (t)
		return t;
	t = need(calloc(1, sizeof(*t)));
	t->tid = tid;
	t->by = (struct acl_call_thread){.pid = replay_pid(), .tid = tid, .pthread_id = tid};
	HASH_ADD(hh, threads, tid, sizeof(t->tid), t);
	return t;
}

static struct frame *push(struct replay_thread *t)
{
	struct frame *f = spare;

	if (t->depth >= CALLS_MAX)
		return NULL;
	if (f)
		spare = f->below;
	else
		f = need(malloc(sizeof(*f)));
	memset(f->copies, 0, sizeof(f->copies));
	f->below = t->top;
	t->top = f;
	t->depth++;
	return f;
}

static void pop(struct replay_thread *t)
{
	struct frame *f = t->top;

	for (unsigned i = 0; i < ACL_CALL_PARAMS; i++)
		free(f->copies[i].at);
	t->top = f->below;
	t->depth--;
	f->below = spare;
	spare = f;
}

/* --- records ------------------------------------------------------------------------------ */

static void keep_answer(struct answers *all, const struct replay_record *r)
{
	if (all->length + r->bytes > all->room) {
		all->room = 2 * (all->length + r->bytes);
		all->records = need(realloc(all->records, all->room));
	}
	memcpy(all->records + all->length, r, r->bytes);
	all->length += r->bytes;
}

/* The checks run on a thread of ours: it has the scopes of the one whose turn it is. */
static void scopes_enter(const struct replay_thread *t)
{
	struct acl_thread *self = thread_self();

	self->n_scopes = t->scopes.n;
	self->scopes_met = t->scopes.met;
	memcpy(self->scopes, t->scopes.of, sizeof(self->scopes));
}

static void scopes_leave(struct replay_thread *t)
{
	struct acl_thread *self = thread_self();

	t->scopes.n = self->n_scopes;
	t->scopes.met = self->scopes_met;
	memcpy(t->scopes.of, self->scopes, sizeof(self->scopes));
}

static void begin_phase(struct replay_thread *t, struct frame *f, const struct replay_record *r)
{
	scopes_enter(t);
	present = f;
	present_stack = r->stack;
	present_answers = &t->answers;
}

static void end_phase(struct replay_thread *t)
{
	scopes_leave(t);
	present = NULL;
	present_answers = NULL;
	t->answers.length = 0;
}

/* Calls whose callback has not begun, and callbacks that began before their call. */
struct launched {
	uint64_t mark; /* acl_mark() of the call */
	bool begun;
	struct checks_callback_place place;
	UT_hash_handle hh;
};

static struct launched *launched;

static struct launched *launched_by(uint64_t mark)
{
	struct launched *l;

	HASH_FIND(hh, launched, &mark, sizeof(mark), l);
	return l;
}

static struct launched *launched_add(uint64_t mark)
{
	struct launched *l = need(calloc(1, sizeof(*l)));

	l->mark = mark;
	HASH_ADD(hh, launched, mark, sizeof(l->mark), l);
	return l;
}

static void launched_forget(struct launched *l)
{
	HASH_DEL(launched, l);
	free(l);
}

/* As in the run; one event a call comes at its end, and its callback may have begun before. */
static void launch_entered(struct checks *c, struct frame *f, uint32_t tid)
{
	struct launched *l;
	uint64_t mark;

	if (acl_apis[f->call.api].operation != ACL_OP_LAUNCH_HOST_FUNCTION || !f->number)
		return;
	mark = acl_mark(tid, f->number, false);
	l = launched_by(mark);
	if (l)
		launched_forget(l);
	else if (checks_task_model(c, &f->call) != CHECKS_MODEL_UNKNOWN)
		launched_add(mark)->place = checks_callback_follow(c, &f->call);
}

/* mark: 0 = unknown which, 1 = it was not launched. */
static void launched_begins(struct checks *c, uint64_t mark)
{
	struct launched *l = mark > 1 ? launched_by(mark) : NULL;

	if (l && !l->begun) {
		checks_callback_begins(c, &l->place);
		if (l->place.position != CHECKS_IN_MODEL) /* with a model it runs again */
			launched_forget(l);
	} else if (mark > 1 && !l) {
		launched_add(mark)->begun = true;
	} else if (!mark) {
		checks_callback_begins(c, &(struct checks_callback_place){.stream = UINT64_MAX});
	}
}

static const char *enter(struct checks *c, const struct replay_record *r)
{
	struct replay_thread *t = feed_thread(r->tid);
	struct frame *f = push(t);
	uint64_t caller = module_address(r->caller);

	if (!f)
		return "calls lie within each other without end";
	if (r->pthread)
		t->by.pthread_id = r->pthread;
	f->number = r->number;
	f->checked = r->path != ACL_PATH_INSIDE;
	if (stack_site_matters(r->api))
		caller = replay_host_site(r->stack, caller);
	acl_call_record_begin(&f->call, r->api, f->args, caller, &t->by);
	f->call.path = r->path;
	f->call.forwarded = r->flags & REPLAY_FORWARDED;
	f->call.missing = !f->call.forwarded;
	f->call.callback_depth = (uint16_t)(r->depth - (r->path == ACL_PATH_INSIDE));
	f->call.in_exit = r->flags & REPLAY_IN_EXIT;
	f->call.in_exit_handlers = r->flags & REPLAY_IN_EXIT_HANDLERS;
	f->call.number = r->number;
	memcpy(f->call.host_class, r->host_class, sizeof(f->call.host_class));
	inputs_take(f, r);
	call_coverage_count(&f->call);
	if (!f->checked)
		return NULL;
	begin_phase(t, f, r);
	checks_enter(c, &f->call);
	launch_entered(c, f, r->tid);
	t->by.thread = f->call.thread;
	end_phase(t);
	return NULL;
}

static void feed_leave(struct checks *c, const struct replay_record *r)
{
	struct replay_thread *t = feed_thread(r->tid);

	/* Calls that were left by an exception or longjmp have no end. */
	while (t->top && t->top->number != r->number)
		pop(t);
	if (!t->top)
		return;
	begin_phase(t, t->top, r);
	if (t->top->checked) {
		outputs_take(present, r);
		present->call.result.i = r->result;
		checks_leave(c, &present->call);
	}
	end_phase(t);
	pop(t);
}

static void callback(struct checks *c, const struct replay_record *r)
{
	struct replay_thread *t = feed_thread(r->tid);
	struct acl_call_record outer;
	bool begins = r->flags & 1;

	if (r->api >= ACL_API_COUNT || (!begins && !t->callbacks))
		return;
	t->callbacks = (uint16_t)(t->callbacks + begins);
	acl_call_record_begin(&outer, r->api, NULL, 0, &t->by);
	outer.callback_depth = t->callbacks;
	t->callbacks = (uint16_t)(t->callbacks - !begins);
	if (begins)
		launched_begins(c, r->after[0]);
	checks_callback(c, &outer, (const void *)(uintptr_t)r->caller, begins);
}

static void scope(const struct replay_said *s, const char *text, const char *reason, uint64_t place)
{
	if (s->what == TRACE_SAYS_CLOSE)
		expect_close((unsigned)s->bytes);
	else
		expect_open(&(struct expect_opening){text, reason, place, s->what == TRACE_SAYS_IGNORE});
}

static void annotation(
	struct checks *c, struct replay_thread *t, const struct replay_said *s, uint64_t caller)
{
	const char *text = (const char *)(s + 1), *refused;
	const struct annotation a = {.what = (unsigned)s->what,
		.object = (const void *)(uintptr_t)s->object,
		.bytes = s->bytes,
		.stream = (const void *)(uintptr_t)s->stream,
		.text = *text ? text : NULL};
	union annotation_arguments arguments;
	struct acl_call_record call;
	unsigned api = annotation_arguments(&a, &arguments);

	if (api == ACL_NAMED_COUNT)
		return;
	acl_call_record_begin(&call, api, &arguments, caller, &t->by);
	call.callback_depth = t->callbacks;
	present_text = a.text;
	refused = checks_annotate(c, &call);
	present_text = NULL;
	if (refused)
		verdict_add_reason("annotation", refused);
}

static void said(struct checks *c, const struct replay_record *r)
{
	const struct replay_said *s = (const void *)(r + 1);
	const char *text = (const char *)(s + 1);
	struct replay_thread *t = feed_thread(r->tid);
	uint64_t caller = module_address(r->caller);

	begin_phase(t, NULL, r);
	if (s->what >= TRACE_SAYS_EXPECT)
		scope(s, text, text + strlen(text) + 1, caller);
	else
		annotation(c, t, s, caller);
	end_phase(t);
}

void replay_ends(uint32_t tid)
{
	scopes_enter(feed_thread(tid));
}

/* The two texts behind a record of facts. */
static const char *second(const struct replay_record *r)
{
	const char *first = (const char *)(r + 1);

	return first + strlen(first) + 1;
}

static void peer(struct checks *c, const struct replay_record *r)
{
	const struct checks_peer_news news = {.act = (enum checks_peer_act)r->flags,
		.key = (const char *)(r + 1),
		.who = *second(r) ? need(strdup(second(r))) : NULL,
		.handle = (const void *)(uintptr_t)r->caller,
		.device = (int)r->result};

	checks_peer(c, &news);
}

const char *replay_feed(struct checks *c, const struct replay_record *r)
{
	const char *text = (const char *)(r + 1);

	switch ((enum replay_kind)r->kind) {
	case REPLAY_ENTRY:
		return enter(c, r);
	case REPLAY_EXIT:
		feed_leave(c, r);
		break;
	case REPLAY_CALLBACK:
		callback(c, r);
		break;
	case REPLAY_THREAD:
		feed_thread(r->tid)->by.pthread_id = r->pthread;
		break;
	case REPLAY_ANSWER:
		keep_answer(&feed_thread(r->tid)->answers, r);
		break;
	case REPLAY_SAID:
		said(c, r);
		break;
	case REPLAY_FACT:
		replay_host_fact(c, text, second(r));
		break;
	case REPLAY_MODULE:
		replay_host_module((const void *)text);
		break;
	case REPLAY_STACK:
		replay_host_stack(r->stack, (const uint64_t *)text, (r->bytes - sizeof(*r)) / 8);
		break;
	case REPLAY_PYTHON_PLACE:
		replay_host_python_place(r->number, text, second(r), (int)r->result);
		break;
	case REPLAY_PYTHON_STACK:
		replay_host_python_stack(
			r->stack, (const uint64_t *)text, (unsigned)((r->bytes - sizeof(*r)) / 8));
		break;
	case REPLAY_PEER:
		peer(c, r);
		break;
	case REPLAY_GAP:
		return text;
	default:
		break;
	}
	return NULL;
}
