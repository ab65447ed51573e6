/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events into records.  What a field means is found once a class, by its name and the tables that are
 * generated from the model (acl_apis, acl_structs): so a recorded field is found wherever it stands, and
 * one that is missing leaves its argument unknown.  Names are those that tools/gen/trace_fields.c gives.
 */
#include <string.h>

#include "tools/aclcheck/trace/replay/replay.h"
#include "tracepoints/call.h"

#define RECORD_MAX (1u << 20)
#define LIST_MAX 65536u /* elements of a list */
#define TEXT_CUT 256u /* the recording cuts texts there */

/* Where the value of a field goes. */
enum target {
	TO_NOTHING,
	TO_ARGUMENT, /* args + at */
	TO_TEXT, /* a piece: a text */
	TO_LIST, /* a piece: elements of size bytes */
	TO_BEHIND, /* a piece of whole bytes, its part at */
	TO_HOST_CLASS,
	TO_RESULT,
	TO_PATH,
	TO_FLAGS,
	TO_DEPTH,
	TO_NUMBER,
	TO_CALLER,
	TO_THREAD,
	TO_STACK,
	TO_AFTER
};

struct field_plan {
	uint8_t target; /* enum target */
	uint8_t parameter;
	bool array; /* elements one after the other */
	uint16_t at, size;
};

/* What is known of a record behind a pointer. */
struct behind {
	uint16_t whole; /* bytes, 0 = none of its fields is in the event */
	bool partial;
};

struct replay_event {
	const bt_event_class *class;
	UT_hash_handle hh;
	struct replay_meaning is;
	uint32_t trace;
	int pid, tid; /* members of the common context */
	unsigned n;
	struct field_plan *fields;
	struct behind behind[ACL_CALL_PARAMS];
};

static struct replay_event *events;
static const bt_trace_class **traces;
static unsigned n_traces;

/* The record that is being made. */
static struct {
	char *bytes;
	uint32_t length;
	bool wrong;
	uint32_t behind[ACL_CALL_PARAMS]; /* where the piece of a parameter begins, 0 = not yet */
} out;

/* --- what a field means --------------------------------------------------------- */

static bool is_reserved(const char *leaf)
{
	return !strncmp(leaf, "rsv", 3) || !strncmp(leaf, "reserve", 7);
}

/* "cfg_value" names the member "cfg.value". */
static bool names_member(const char *name, const char *member)
{
	for (; *name && *member; name++, member++)
		if (*name != *member && !(*name == '_' && *member == '.'))
			return false;
	return !*name && !*member;
}

/* The bytes of a union are recorded under the name of the union: it is where its first member is. */
static bool names_union(const char *name, const struct acl_field *f)
{
	const char *whole = acl_text(f->name);
	size_t n = strlen(name);

	if (!f->in_union || strlen(whole) <= n || whole[n] != '.')
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] != whole[i] && !(name[i] == '_' && whole[i] == '.'))
			return false;
	return true;
}

static bool find_member(const struct acl_struct *s, const char *name, struct field_plan *f)
{
	for (unsigned i = 0; i < s->n_fields; i++)
		if (names_member(name, acl_text(acl_fields(s)[i].name))) {
			f->at = acl_fields(s)[i].offset;
			f->size = acl_fields(s)[i].size;
			f->array = acl_fields(s)[i].count > 1;
			return true;
		}
	f->at = UINT16_MAX;
	for (unsigned i = 0; i < s->n_fields; i++)
		if (names_union(name, &acl_fields(s)[i]) && acl_fields(s)[i].offset < f->at)
			f->at = acl_fields(s)[i].offset;
	f->size = 1;
	f->array = true;
	return f->at != UINT16_MAX;
}

static const struct acl_struct *record_of(const struct acl_param *p)
{
	return p->struct_index < 0 ? NULL : &acl_structs[p->struct_index];
}

/* The rest of a name behind that of a parameter; NULL: it is not of this one. */
static const char *rest_of(const char *name, const struct acl_param *p)
{
	size_t n = strlen(p->name);

	if (strncmp(name, p->name, n) != 0)
		return NULL;
	return !name[n] ? name + n : name[n] == '_' ? name + n + 1 : NULL;
}

static bool plan_value(const struct acl_param *p, bool text, struct field_plan *f)
{
	f->target = text ? TO_TEXT : TO_ARGUMENT;
	f->at = p->offset;
	f->size = p->size;
	return true;
}

static bool plan_behind(const struct acl_param *p, const char *rest, bool list, struct field_plan *f)
{
	const struct acl_struct *s = record_of(p);
	bool pointers = p->pointee_kind == ACL_KIND_POINTER || p->pointee_kind == ACL_KIND_HANDLE;

	if (list) {
		f->target = TO_LIST;
		f->size = p->pointee_size;
		return f->size && f->size <= 8;
	}
	f->target = TO_BEHIND;
	if (!*rest) {
		f->at = 0;
		f->size = p->pointee_size;
		return f->size && f->size <= 8;
	}
	return s && !pointers && find_member(s, rest, f);
}

static bool plan_of_parameter(
	const struct acl_param *p, const char *rest, bool entry, bool text, bool list, struct field_plan *f)
{
	if (!*rest)
		return plan_value(p, text, f);
	if (p->kind == ACL_KIND_STRUCT) {
		f->target = TO_ARGUMENT;
		if (!record_of(p) || !find_member(record_of(p), rest, f))
			return false;
		f->at = (uint16_t)(f->at + p->offset);
		return true;
	}
	if (entry && !strcmp(rest, "host")) {
		f->target = TO_HOST_CLASS;
		return true;
	}
	if (entry)
		return plan_behind(p, !strcmp(rest, "0") || !strcmp(rest, "list") ? "" : rest, list, f);
	if (strncmp(rest, "out", 3) != 0 || (rest[3] && rest[3] != '_'))
		return false;
	if (text && !rest[3]) {
		f->target = TO_TEXT;
		return true;
	}
	return plan_behind(p, rest[3] ? rest + 4 : "", list && !rest[3], f);
}

static bool plan_common(const char *name, struct field_plan *f)
{
	static const struct {
		const char *name;
		enum target target;
	} common[] = {{"call_path", TO_PATH}, {"call_flags", TO_FLAGS}, {"call_depth", TO_DEPTH},
		{"call_number", TO_NUMBER}, {"call_caller", TO_CALLER}, {"call_thread", TO_THREAD},
		{"call_stack", TO_STACK}, {"call_after", TO_AFTER}, {"call_result", TO_RESULT},
		{"call_start", TO_NOTHING}, {"api", TO_NOTHING}, {"ret", TO_NOTHING}};

	for (size_t i = 0; i < sizeof(common) / sizeof(*common); i++)
		if (!strcmp(name, common[i].name)) {
			f->target = common[i].target;
			return true;
		}
	return false;
}

/* Of several parameters whose names fit, that with the longest. */
static void plan_field(
	struct replay_event *e, const char *name, const bt_field_class *class, struct field_plan *f)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	bool text = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRING);
	bool list = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DYNAMIC_ARRAY);
	const struct acl_api_info *a = &acl_apis[e->is.api];
	size_t best = 0;

	memset(f, 0, sizeof(*f));
	if (plan_common(name, f))
		return;
	for (unsigned i = 0; i < a->n_params; i++) {
		const char *rest = rest_of(name, &acl_params(a)[i]);
		struct field_plan g = {.parameter = (uint8_t)i};

		if (rest && strlen(acl_params(a)[i].name) > best &&
			plan_of_parameter(
				&acl_params(a)[i], rest, e->is.kind == REPLAY_ENTRY, text, list, &g)) {
			best = strlen(acl_params(a)[i].name);
			*f = g;
		}
	}
}

/* A record whose members are not all in the event may not be taken for one whose others are 0. */
static void plan_behinds(struct replay_event *e)
{
	const struct acl_api_info *a = &acl_apis[e->is.api];

	for (unsigned i = 0; i < a->n_params; i++) {
		const struct acl_struct *s = record_of(&acl_params(a)[i]);
		bool any = false;

		for (unsigned k = 0; k < e->n && !any; k++)
			any = e->fields[k].target == TO_BEHIND && e->fields[k].parameter == i;
		if (!any)
			continue;
		e->behind[i].whole = acl_params(a)[i].pointee_size;
		for (unsigned m = 0; s && m < s->n_fields; m++) {
			const struct acl_field *f = &acl_fields(s)[m];
			const char *name = acl_text(f->name), *dot = strrchr(name, '.'),
				   *leaf = dot ? dot + 1 : name;
			bool found = is_reserved(leaf) || f->in_union;

			for (unsigned k = 0; k < e->n && !found; k++)
				found = e->fields[k].target == TO_BEHIND && e->fields[k].parameter == i &&
					e->fields[k].at == f->offset;
			e->behind[i].partial |= !found;
		}
	}
}

/* --- event classes ---------------------------------------------------------------- */

static int member(const bt_field_class *structure, const char *name)
{
	if (!structure || bt_field_class_get_type(structure) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return -1;
	for (uint64_t i = 0; i < bt_field_class_structure_get_member_count(structure); i++)
		if (!strcmp(name,
			    bt_field_class_structure_member_get_name(
				    bt_field_class_structure_borrow_member_by_index_const(structure, i))))
			return (int)i;
	return -1;
}

static uint32_t trace_number(const bt_event_class *class)
{
	const bt_trace_class *t =
		bt_stream_class_borrow_trace_class_const(bt_event_class_borrow_stream_class_const(class));
	unsigned i;

	for (i = 0; i < n_traces; i++)
		if (traces[i] == t)
			return i + 1;
	traces = need(realloc(traces, (n_traces + 1) * sizeof(*traces)));
	traces[n_traces++] = t;
	return i + 1;
}

static void plan_fields(struct replay_event *e, const bt_field_class *payload)
{
	if (!payload || bt_field_class_get_type(payload) != BT_FIELD_CLASS_TYPE_STRUCTURE)
		return;
	e->n = (unsigned)bt_field_class_structure_get_member_count(payload);
	e->fields = need(calloc(e->n + 1, sizeof(*e->fields)));
	for (unsigned i = 0; i < e->n; i++) {
		const bt_field_class_structure_member *m =
			bt_field_class_structure_borrow_member_by_index_const(payload, i);

		plan_field(e, bt_field_class_structure_member_get_name(m),
			bt_field_class_structure_member_borrow_field_class_const(m), &e->fields[i]);
	}
	plan_behinds(e);
}

const struct replay_event *replay_event_of(const bt_event_class *class)
{
	const bt_field_class *context;
	struct replay_event *e;
	const char *name;

	if (events && events->class == class)
		return events;
	HASH_FIND_PTR(events, &class, e);
	if (e)
		return e->is.kind == UINT8_MAX ? NULL : e;
	e = need(calloc(1, sizeof(*e)));
	e->class = class;
	name = bt_event_class_get_name(class);
	if (!replay_kind_of(name ? name : "", &e->is))
		e->is.kind = UINT8_MAX;
	e->trace = trace_number(class);
	context = bt_stream_class_borrow_event_common_context_field_class_const(
		bt_event_class_borrow_stream_class_const(class));
	e->pid = member(context, "vpid");
	e->tid = member(context, "vtid");
	if (e->is.api >= 0)
		plan_fields(e, bt_event_class_borrow_payload_field_class_const(class));
	HASH_ADD_PTR(events, class, e);
	return e->is.kind == UINT8_MAX ? NULL : e;
}

bool replay_is_one_event(const struct replay_event *e)
{
	return e->is.one_event;
}

bool replay_is_minimal(const struct replay_event *e)
{
	if (e->is.kind != REPLAY_ENTRY)
		return false;
	for (unsigned i = 0; i < e->n; i++)
		if (e->fields[i].target == TO_CALLER)
			return false;
	return true;
}

bool replay_has_ids(const struct replay_event *e)
{
	return e->pid >= 0 && e->tid >= 0;
}

static uint64_t of_context(const bt_event *event, int index)
{
	const bt_field *context = bt_event_borrow_common_context_field_const(event);

	return context && index >= 0 ? ctf_uint(bt_field_structure_borrow_member_field_by_index_const(
					       context, (uint64_t)index))
				     : 0;
}

/* --- the record -------------------------------------------------------------------- */

/* Room for more bytes, zeroed, at a multiple of 8. NULL: the record would be too large. */
static void *more(size_t bytes)
{
	uint32_t at = out.length;

	bytes = (bytes + 7) & ~(size_t)7;
	if (bytes > RECORD_MAX - at) {
		out.wrong = true;
		return NULL;
	}
	memset(out.bytes + at, 0, bytes);
	out.length = at + (uint32_t)bytes;
	return out.bytes + at;
}

static struct replay_record *decode_record(void)
{
	return (struct replay_record *)out.bytes;
}

static struct replay_piece *piece(unsigned parameter, size_t bytes)
{
	struct replay_piece *p = more(sizeof(*p) + bytes);

	if (p) {
		p->bytes = (uint32_t)bytes;
		p->parameter = (uint8_t)parameter;
	}
	return p;
}

/* The value of a number of any kind, as the bytes that a variable of it has. */
static uint64_t bits_of(const bt_field *field, unsigned size)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	uint64_t bits = 0;
	double d;
	float f;

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_BOOL))
		return bt_field_bool_get_value(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SINGLE_PRECISION_REAL))
		d = bt_field_real_single_precision_get_value(field);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL))
		d = bt_field_real_double_precision_get_value(field);
	else
		return ctf_uint(field);
	f = (float)d;
	if (size == sizeof(f))
		memcpy(&bits, &f, sizeof(f));
	else
		memcpy(&bits, &d, sizeof(d));
	return bits;
}

static void put_number(char *to, size_t room, size_t at, unsigned size, const bt_field *field)
{
	uint64_t bits = bits_of(field, size);

	if (size <= sizeof(bits) && at + size <= room)
		memcpy(to + at, &bits, size);
}

static uint64_t elements_of(const bt_field *field)
{
	uint64_t n = bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_ARRAY)
			     ? bt_field_array_get_length(field)
			     : 0;

	return n < LIST_MAX ? n : LIST_MAX;
}

static void decode_put_value(char *to, size_t room, const struct field_plan *f, const bt_field *field)
{
	const char *text = ctf_string(field);

	if (text) {
		size_t n = strlen(text);

		if (f->at < room)
			memcpy(to + f->at, text, n < room - f->at ? n : room - f->at);
		return;
	}
	if (!f->array) {
		put_number(to, room, f->at, f->size, field);
		return;
	}
	for (uint64_t i = 0; i < elements_of(field); i++)
		put_number(to, room, f->at + i * f->size, f->size,
			bt_field_array_borrow_element_field_by_index_const(field, i));
}

static void put_text(const struct field_plan *f, const bt_field *field, uint64_t length)
{
	const char *text = ctf_string(field);
	size_t n = text ? strlen(text) : 0;
	struct replay_piece *q;

	if (!n && length == TRACE_TEXT_NONE)
		return;
	q = piece(f->parameter, n + 1);
	if (!q)
		return;
	q->text = 1;
	q->partial = !n && length == TRACE_TEXT_UNKNOWN;
	q->cut = n >= TEXT_CUT || q->partial;
	memcpy(q + 1, text ? text : "", n);
}

static void put_list(const struct field_plan *f, const bt_field *field)
{
	uint64_t n = elements_of(field);
	struct replay_piece *p = n ? piece(f->parameter, n * f->size) : NULL;

	for (uint64_t i = 0; p && i < n; i++)
		put_number((char *)(p + 1), p->bytes, i * f->size, f->size,
			bt_field_array_borrow_element_field_by_index_const(field, i));
}

static void put_behind(const struct replay_event *e, const struct field_plan *f, const bt_field *field)
{
	const struct behind *b = &e->behind[f->parameter];
	struct replay_piece *p;

	if (!out.behind[f->parameter]) {
		uint32_t at = out.length;

		p = piece(f->parameter, b->whole);
		if (!p)
			return;
		p->partial = b->partial;
		out.behind[f->parameter] = at;
	}
	p = (struct replay_piece *)(out.bytes + out.behind[f->parameter]);
	decode_put_value((char *)(p + 1), p->bytes, f, field);
}

static void put_after(const bt_field *field)
{
	uint64_t n = elements_of(field);
	struct replay_record *r = decode_record();

	for (uint64_t i = 0; i < n && i < ACL_CALL_AFTER; i++)
		r->after[r->n_after++] =
			ctf_uint(bt_field_array_borrow_element_field_by_index_const(field, i));
}

static uint32_t stack_of(const bt_field *field)
{
	if (!bt_field_class_type_is(bt_field_get_class_type(field), BT_FIELD_CLASS_TYPE_ARRAY))
		return (uint32_t)ctf_uint(field);
	return elements_of(field)
		       ? (uint32_t)ctf_uint(bt_field_array_borrow_element_field_by_index_const(field, 0))
		       : 0;
}

/* The number that stands before it: a text ends at its first NUL, and may have been recorded with more. */
static uint64_t length_of(const struct replay_event *e, const struct field_plan *f, const bt_field *payload)
{
	return f == e->fields ? 0
			      : ctf_uint(bt_field_structure_borrow_member_field_by_index_const(
					payload, (uint64_t)(f - e->fields) - 1));
}

static void put_field(const struct replay_event *e, const struct field_plan *f, const bt_field *payload)
{
	const bt_field *field =
		bt_field_structure_borrow_member_field_by_index_const(payload, (uint64_t)(f - e->fields));
	struct replay_record *r = decode_record();

	switch ((enum target)f->target) {
	case TO_NOTHING:
		break;
	case TO_ARGUMENT:
		decode_put_value((char *)(r + 1), acl_apis[e->is.api].args_size, f, field);
		break;
	case TO_TEXT:
		put_text(f, field, length_of(e, f, payload));
		break;
	case TO_LIST:
		put_list(f, field);
		break;
	case TO_BEHIND:
		put_behind(e, f, field);
		break;
	case TO_HOST_CLASS:
		r->host_class[f->parameter] = (uint8_t)ctf_uint(field);
		break;
	case TO_RESULT:
		r->result = (int64_t)ctf_uint(field);
		break;
	case TO_PATH:
		r->path = (uint8_t)ctf_uint(field);
		break;
	case TO_FLAGS:
		r->flags = (uint8_t)ctf_uint(field);
		break;
	case TO_DEPTH:
		r->depth = (uint16_t)ctf_uint(field);
		break;
	case TO_NUMBER:
		r->number = (uint32_t)ctf_uint(field);
		break;
	case TO_CALLER:
		r->caller = ctf_uint(field);
		break;
	case TO_THREAD:
		r->pthread = ctf_uint(field);
		break;
	case TO_STACK:
		r->stack = stack_of(field);
		break;
	case TO_AFTER:
		put_after(field);
		break;
	}
}

static void decode_call(const struct replay_event *e, const bt_field *payload)
{
	if (e->is.kind == REPLAY_ENTRY)
		more(acl_apis[e->is.api].args_size);
	for (unsigned i = 0; i < e->n && !out.wrong; i++)
		put_field(e, &e->fields[i], payload);
}

/* --- events of the recorded process itself ------------------------------------------ */

static const bt_field *field_of(const bt_field *payload, const char *name)
{
	return bt_field_structure_borrow_member_field_by_name_const(payload, name);
}

static uint64_t payload_number(const bt_field *payload, const char *name)
{
	const bt_field *f = field_of(payload, name);

	return f ? ctf_uint(f) : 0;
}

/* A text with its NUL behind what is there. */
static void decode_put_words(const bt_field *payload, const char *const *names)
{
	uint32_t at = out.length;
	char line[1025];

	for (; *names; names++) {
		const bt_field *f = field_of(payload, *names);
		size_t n;

		line[0] = 0;
		if (f)
			ctf_text(f, line, sizeof(line));
		n = strlen(line) + 1;
		memcpy(out.bytes + at, line, n);
		at += (uint32_t)n;
	}
	memset(out.bytes + at, 0, 8);
	out.length = (at + 7) & ~7u;
}

static void put_numbers(const bt_field *list, unsigned size)
{
	uint64_t n = elements_of(list);
	char *to = more(n * size);

	for (uint64_t i = 0; to && i < n; i++)
		put_number(to, n * size, i * size, size,
			bt_field_array_borrow_element_field_by_index_const(list, i));
}

static void decode_module(const bt_field *payload)
{
	struct replay_module *m = more(sizeof(*m));
	const bt_field *id = field_of(payload, "build_id");

	if (!m)
		return;
	m->base = payload_number(payload, "base");
	m->start = payload_number(payload, "start");
	m->end = payload_number(payload, "end");
	m->id = (uint32_t)payload_number(payload, "id");
	for (uint64_t i = 0; id && i < elements_of(id) && i < sizeof(m->build_id); i++)
		m->build_id[m->build_id_len++] =
			(uint8_t)ctf_uint(bt_field_array_borrow_element_field_by_index_const(id, i));
	decode_put_words(payload, (const char *const[]){"path", NULL});
}

static void decode_answer(const bt_field *payload)
{
	const bt_field *bytes = field_of(payload, "bytes");
	uint64_t n = bytes ? elements_of(bytes) : 0;
	struct replay_record *r = decode_record();
	struct replay_piece *p;

	r->flags = (uint8_t)payload_number(payload, "question");
	r->caller = payload_number(payload, "of");
	p = piece(0, n);
	for (uint64_t i = 0; p && i < n; i++)
		((uint8_t *)(p + 1))[i] =
			(uint8_t)ctf_uint(bt_field_array_borrow_element_field_by_index_const(bytes, i));
}

static void decode_said(const bt_field *payload)
{
	struct replay_said *s = more(sizeof(*s));

	if (!s)
		return;
	s->what = payload_number(payload, "what");
	s->object = payload_number(payload, "object");
	s->bytes = payload_number(payload, "bytes");
	s->stream = payload_number(payload, "stream");
	decode_put_words(payload, (const char *const[]){"text", "reason", NULL});
}

static void decode_own(const struct replay_event *e, const bt_field *payload)
{
	struct replay_record *r = decode_record();
	char name[128] = "";

	switch ((enum replay_kind)e->is.kind) {
	case REPLAY_PROCESS:
		r->number = (uint32_t)payload_number(payload, "ppid");
		r->flags = payload_number(payload, "forked") != 0;
		decode_put_words(payload, (const char *const[]){"host", "rank", "command", NULL});
		break;
	case REPLAY_FACT:
		decode_put_words(payload, (const char *const[]){"key", "value", NULL});
		break;
	case REPLAY_VERDICT:
		decode_put_words(payload, (const char *const[]){"verdict", NULL});
		break;
	case REPLAY_MODULE:
		decode_module(payload);
		break;
	case REPLAY_PYTHON_PLACE:
		r->number = (uint32_t)payload_number(payload, "id");
		r->result = (int64_t)payload_number(payload, "line");
		decode_put_words(payload, (const char *const[]){"function", "file", NULL});
		break;
	case REPLAY_STACK:
	case REPLAY_PYTHON_STACK:
		r->stack = (uint32_t)payload_number(payload, "id");
		if (field_of(payload, "frames"))
			put_numbers(field_of(payload, "frames"), 8);
		break;
	case REPLAY_THREAD:
		r->pthread = payload_number(payload, "self");
		break;
	case REPLAY_ANSWER:
		decode_answer(payload);
		break;
	case REPLAY_SAID:
		r->caller = payload_number(payload, "caller");
		r->stack = (uint32_t)payload_number(payload, "stack");
		decode_said(payload);
		break;
	case REPLAY_CALLBACK:
		if (field_of(payload, "api"))
			ctf_text(field_of(payload, "api"), name, sizeof(name));
		r->api = (uint16_t)acl_api_find(name); /* UINT16_MAX = none */
		r->flags = (uint8_t)payload_number(payload, "begins");
		r->caller = payload_number(payload, "argument");
		r->after[0] = field_of(payload, "launch") ? payload_number(payload, "launch") : 0;
		break;
	default:
		break;
	}
}

uint64_t replay_process_of(const struct replay_event *e, const bt_event *event)
{
	uint64_t pid = e->is.kind == REPLAY_KILLED
			       ? payload_number(bt_event_borrow_payload_field_const(event), "pid")
			       : of_context(event, e->pid);

	return (uint64_t)e->trace << 32 | (uint32_t)pid;
}

struct replay_record *replay_decode(const struct replay_event *e, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	struct replay_record *r;

	if (!out.bytes)
		out.bytes = need(malloc(RECORD_MAX + 8192));
	out.length = 0;
	out.wrong = false;
	memset(out.behind, 0, sizeof(out.behind));
	r = more(sizeof(*r));
	r->kind = e->is.kind;
	r->api = (uint16_t)e->is.api;
	r->tid = (uint32_t)of_context(event, e->tid);
	if (payload && e->is.api >= 0)
		decode_call(e, payload);
	else if (payload)
		decode_own(e, payload);
	r->bytes = out.length;
	return out.wrong ? NULL : r;
}
