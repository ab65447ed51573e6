/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timeline as one page: page/timeline.html with facts as JSON, and calls and memory as numbers of seven
 * bits a byte, in base64, that page/timeline.js reads.
 */
#include <inttypes.h>
#include <string.h>

#include "checks/engine/rule_table.h"
#include "tools/aclcheck/formats/template.h"
#include "tools/aclcheck/trace/timeline/timeline.h"

#include "timeline_digests.h"

EMBED(timeline_page, "tools/aclcheck/trace/timeline/page/timeline.html");
EMBED(timeline_style, "tools/aclcheck/trace/timeline/page/timeline.css");
EMBED(timeline_script, "tools/aclcheck/trace/timeline/page/timeline.js");

/* What follows of a call; as in page/timeline.js. */
enum { INSIDE = 1, COPY = 2, RESULT = 4, ON_STREAM = 8, WAITS = 16, OPEN = 32, END_LOST = 64, KILLED = 128 };

/* --- numbers in base64 ----------------------------------------------------------- */

struct packed {
	FILE *to;
	char *text;
	size_t size;
	unsigned bits, n; /* not written yet */
};

static void pack_begin(struct packed *p)
{
	*p = (struct packed){0};
	p->to = need(open_memstream(&p->text, &p->size));
}

static void put_digit(struct packed *p, unsigned bits)
{
	putc_unlocked("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[bits & 63], p -> to);
}

static void pack_byte(struct packed *p, unsigned byte)
{
	p->bits = p->bits << 8 | byte;
	for (p->n += 8; p->n >= 6; p->n -= 6)
		put_digit(p, p->bits >> (p->n - 6));
}

static void pack(struct packed *p, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		pack_byte(p, 128 | (value & 127));
	pack_byte(p, (unsigned)value);
}

static void pack_signed(struct packed *p, int64_t value)
{
	pack(p, value < 0 ? ((uint64_t) - (value + 1) << 1 | 1) : (uint64_t)value << 1);
}

static void pack_end(struct packed *p)
{
	if (p->n)
		put_digit(p, p->bits << (6 - p->n));
	fputs(p->n == 2 ? "==" : p->n == 4 ? "=" : "", p->to);
	fclose(p->to);
}

/* --- things by number ---------------------------------------------------------------- */

struct numbered {
	UT_hash_handle hh;
	uint64_t key;
	unsigned number;
};

static unsigned number_of_key(struct numbered **all, uint64_t key, unsigned first)
{
	struct numbered *found;

	HASH_FIND(hh, *all, &key, sizeof(key), found);
	if (found)
		return found->number;
	found = need(calloc(1, sizeof(*found)));
	found->key = key;
	found->number = HASH_COUNT(*all) + first;
	HASH_ADD(hh, *all, key, sizeof(key), found);
	return found->number;
}

static void page_forget(struct numbered **all)
{
	struct numbered *one, *next;

	HASH_ITER(hh, *all, one, next)
	{
		HASH_DEL(*all, one);
		free(one);
	}
}

struct page {
	const struct timeline *t;
	struct lanes lanes;
	struct numbered *names, *objects, *threads, *streams, *processes,
		*errors; /* in the order of numbers */
	struct packed calls, memory;
	struct numbered *places; /* by process and return address */
	json_t *code; /* of each of them */
	FILE *captures; /* members of a JSON array */
	char *captures_text;
	size_t captures_size;
};

static unsigned thread_number(struct page *p, const struct thread_state *thread)
{
	return number_of_key(&p->threads, (uintptr_t)thread, 0);
}

static unsigned stream_number(struct page *p, const struct stream_lane *lane)
{
	return number_of_key(&p->streams, (uintptr_t)lane, 0);
}

static unsigned object_number(struct page *p, uint64_t object)
{
	return object ? number_of_key(&p->objects, object, 1) : 0;
}

/* 0: it is not recorded. */
static unsigned place_number(struct page *p, const struct timeline_call *k)
{
	const struct process_state *process = k->thread->process;
	unsigned number = 0;

	/* Processes share addresses; a pair that looks like another one is next to impossible. */
	if (k->caller)
		number = number_of_key(&p->places,
			k->caller ^ (uint64_t)(uintptr_t)process * UINT64_C(0x9e3779b97f4a7c15), 1);
	if (number > json_array_size(p->code))
		json_array_append_new(p->code, code_place(process, k->caller));
	return number;
}

/* --- calls --------------------------------------------------------------------------- */

static unsigned flags_of(const struct timeline_call *k, bool on_stream, const struct lane_item *item)
{
	return (k->inside ? INSIDE : 0) | (k->kind >= 0 ? COPY : 0) | (k->result ? RESULT : 0) |
	       (on_stream ? ON_STREAM : 0) | (on_stream && item->recorded_lane ? WAITS : 0) |
	       (k->how == CALL_OPEN || k->how == CALL_KILLED ? OPEN : 0) |
	       (k->how == CALL_KILLED ? KILLED : 0) | (k->how == CALL_END_LOST ? END_LOST : 0);
}

static void note_capture(struct page *p, const struct stream_lane *lane, int64_t from, int64_t to)
{
	fprintf(p->captures, "%s{\"stream\":%u,\"from\":%" PRId64 ",\"to\":%" PRId64 "}",
		ftell(p->captures) > 0 ? "," : "", stream_number(p, lane), from - p->t->first,
		to - p->t->first);
}

static void pack_on_stream(struct page *p, const struct timeline_call *k, const struct lane_item *item)
{
	pack(&p->calls, stream_number(p, item->lane));
	pack(&p->calls, item->row);
	if (!item->recorded_lane)
		return;
	pack(&p->calls, stream_number(p, item->recorded_lane));
	pack(&p->calls, k->start > item->recorded ? (uint64_t)(k->start - item->recorded) : 0);
}

/* before: the call before it; *last: number of the latest call of each thread */
static void pack_call(struct page *p, const struct timeline_call *k, int64_t before, uint32_t *last)
{
	struct lane_item item;
	bool on_stream = lanes_call(&p->lanes, k, &item);
	unsigned thread = thread_number(p, k->thread);

	if (!on_stream && item.captured_since)
		note_capture(p, item.lane, item.captured_since, k->start);
	pack(&p->calls, (uint64_t)(k->start - before));
	pack(&p->calls, k->end > k->start ? (uint64_t)(k->end - k->start) : 0);
	pack(&p->calls, thread);
	pack(&p->calls, number_of_key(&p->names, k->api, 0));
	pack(&p->calls, flags_of(k, on_stream, &item));
	pack_signed(&p->calls, (int64_t)k->number - last[thread] - 1);
	last[thread] = k->number;
	pack(&p->calls, object_number(p, k->object));
	pack(&p->calls, object_number(p, k->stream));
	pack(&p->calls, place_number(p, k));
	if (k->kind >= 0) {
		pack(&p->calls, (uint64_t)k->kind);
		pack(&p->calls, k->bytes);
	}
	if (k->result) {
		pack_signed(&p->calls, k->result);
		number_of_key(&p->errors, (uint64_t)k->result, 0);
	}
	if (on_stream)
		pack_on_stream(p, k, &item);
}

static void pack_calls(struct page *p)
{
	const struct summary *s = &p->t->summary;
	int64_t before = p->t->first;
	unsigned n = 0;
	uint32_t *last;

	for (unsigned i = 0; i < s->n_processes; i++) {
		number_of_key(&p->processes, (uintptr_t)s->processes[i], 0);
		for (const struct thread_state *t = s->processes[i]->threads; t; t = t->hh.next)
			n = thread_number(p, t) + 1;
	}
	last = need(calloc(n + 1, sizeof(*last)));
	for (size_t i = 0; i < p->t->n_calls; i++) {
		pack_call(p, &p->t->calls[i], before, last);
		before = p->t->calls[i].start;
	}
	free(last);
	/* Captures that nothing ended. */
	for (const struct stream_lane *l = p->lanes.all; l; l = l->next)
		if (l->capture)
			note_capture(p, l, l->capture, l->process->last);
}

static void pack_memory(struct page *p)
{
	const struct summary *s = &p->t->summary;
	int64_t *before = need(calloc(s->n_processes + 1, sizeof(*before)));

	for (unsigned i = 0; i < s->n_processes; i++)
		before[i] = p->t->first;
	for (size_t i = 0; i < p->t->n_memory; i++) {
		const struct timeline_memory *m = &p->t->memory[i];
		unsigned process = number_of_key(&p->processes, (uintptr_t)m->process, 0);
		int64_t time = m->time > before[process] ? m->time : before[process];

		pack(&p->memory, process);
		pack(&p->memory, (uint64_t)(time - before[process]));
		before[process] = time;
		for (unsigned kind = 0; kind < MEMORY_KINDS; kind++)
			pack(&p->memory, m->now[kind]);
	}
	free(before);
}

/* --- facts ----------------------------------------------------------------------------- */

/* What a function does, in the words of page/timeline.js. */
static const char *does(unsigned api)
{
	static const char *const words[] = {[SIGNAL_RECORD] = "record", [SIGNAL_WAIT] = "wait"};
	const struct signal_way *way;
	enum signal_act act = signal_act(api, &way);

	return act == SIGNAL_RECORD || act == SIGNAL_WAIT ? words[act] : "";
}

static void put_names(const struct page *p, FILE *out)
{
	const char *comma = "";

	fputs(",\n\"names\":[", out);
	for (const struct numbered *x = p->names; x; x = x->hh.next, comma = ",") {
		fprintf(out, "%s{\"name\":\"%s\",\"does\":\"%s\",\"blocking\":%s}", comma,
			acl_apis[x->key].name, does((unsigned)x->key),
			acl_apis[x->key].mode == ACL_MODE_BLOCKING ? "true" : "false");
	}
	fputs("],\n\"objects\":[", out);
	comma = "";
	for (const struct numbered *x = p->objects; x; x = x->hh.next, comma = ",")
		fprintf(out, "%s\"0x%" PRIx64 "\"", comma, x->key);
	fputs("],\n\"errors\":{", out);
	comma = "";
	for (const struct numbered *x = p->errors; x; x = x->hh.next, comma = ",") {
		const char *name = acl_error_name((int64_t)x->key);

		fprintf(out, "%s\"%" PRId64 "\":", comma, (int64_t)x->key);
		timeline_put_text(out, name ? name : "");
	}
	fputs("},\n\"copy_kinds\":[", out);
	for (int kind = 0; kind < 32; kind++) {
		const char *name = summary_copy_kind(kind);

		fputs(kind ? "," : "", out);
		timeline_put_text(out, name ? name : "unknown");
	}
	fputs("],\n\"memory_kinds\":[", out);
	for (unsigned i = 0; i < MEMORY_KINDS; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", memory_kind_names[i]);
	putc(']', out);
}

static void put_lane(FILE *out, const char *comma, unsigned process, const char *name)
{
	fprintf(out, "%s{\"process\":%u,\"name\":", comma, process);
	timeline_put_text(out, name);
	fputc('}', out);
}

static void put_lanes(struct page *p, FILE *out)
{
	const char *comma = "";
	char text[2048];

	fputs(",\n\"processes\":[", out);
	for (const struct numbered *x = p->processes; x; x = x->hh.next, comma = ",") {
		timeline_process_name((const struct process_state *)(uintptr_t)x->key, text, sizeof(text));
		fputs(comma, out);
		timeline_put_text(out, text);
	}
	fputs("],\n\"threads\":[", out);
	comma = "";
	for (const struct numbered *x = p->threads; x; x = x->hh.next, comma = ",") {
		const struct thread_state *t = (const struct thread_state *)(uintptr_t)x->key;

		snprintf(text, sizeof(text), "thread %u", t->tid);
		put_lane(out, comma, number_of_key(&p->processes, (uintptr_t)t->process, 0), text);
	}
	fputs("],\n\"streams\":[", out);
	comma = "";
	for (const struct numbered *x = p->streams; x; x = x->hh.next, comma = ",") {
		const struct stream_lane *l = (const struct stream_lane *)(uintptr_t)x->key;

		timeline_stream_name(p->t, l, text, sizeof(text));
		put_lane(out, comma, number_of_key(&p->processes, (uintptr_t)l->process, 0), text);
	}
	fprintf(out, "],\n\"captures\":[%s],\n\"memory\":[", p->captures_text);
	comma = "";
	for (const struct numbered *x = p->processes; x; x = x->hh.next)
		for (size_t i = 0; i < p->t->n_memory; i++)
			if ((uintptr_t)p->t->memory[i].process == x->key) {
				fprintf(out, "%s{\"process\":%u,\"partial\":%s}", comma, x->number,
					summary_lacks_memory(p->t->memory[i].process) ? "true" : "false");
				comma = ",";
				break;
			}
	putc(']', out);
}

static void put_member(FILE *out, const char *name, const char *text)
{
	fprintf(out, ",\"%s\":", name);
	timeline_put_text(out, text ? text : "");
}

static void put_places(struct page *p, FILE *out)
{
	code_lines(p->code);
	fputs(",\n\"places\":", out);
	json_dumpf(p->code, out, JSON_COMPACT);
}

static void page_put_findings(struct page *p, FILE *out)
{
	const enum acl_lang language = command_language();
	json_t *stacks = timeline_stacks(p->t);

	fputs(",\n\"findings\":[", out);
	for (size_t i = 0; i < p->t->n_findings; i++) {
		const struct timeline_finding *f = &p->t->findings[i];
		const struct acl_rule *rule = acl_rule_find(f->rule);
		char *stack = json_dumps(json_array_get(stacks, i), JSON_COMPACT);

		fprintf(out, "%s{\"time\":%" PRId64 ",\"thread\":%u,\"repeat\":%" PRIu64, i ? ",\n" : "",
			f->time - p->t->first, thread_number(p, f->thread), f->repeat);
		put_member(out, "rule", f->rule);
		put_member(out, "severity", f->severity);
		put_member(out, "status", f->status);
		put_member(out, "call", f->call);
		put_member(out, "title", rule ? rule_text(rule, RULE_TITLE + language) : f->title);
		put_member(out, "detail", f->detail);
		put_member(out, "hint", rule ? rule_text(rule, RULE_HINT + language) : "");
		put_member(out, "why", rule ? rule_text(rule, RULE_WHY + language) : "");
		put_member(out, "source", rule ? rule_text(rule, RULE_SOURCE) : "");
		fprintf(out, ",\"stack\":%s}", stack ? stack : "[]");
		free(stack);
	}
	putc(']', out);
	json_decref(stacks);
}

/* A call that has not returned is longer than the events are. */
static int64_t last_time(const struct timeline *t)
{
	int64_t last = t->summary.last;

	for (size_t i = 0; i < t->n_calls; i++)
		last = t->calls[i].end > last ? t->calls[i].end : last;
	return last;
}

static void put_facts(struct page *p, FILE *out)
{
	const struct timeline *t = p->t;

	fprintf(out, "{\"calls\":%zu,\"span\":%" PRId64 ",\"origin_ns\":\"%" PRId64 "\"", t->n_calls,
		last_time(t) - t->first, t->first);
	put_names(p, out);
	put_lanes(p, out);
	put_places(p, out);
	page_put_findings(p, out);
	fputs("}\n", out);
}

/* --- the page ----------------------------------------------------------------------------- */

/* A text of the program must not end the element that the facts are in. */
static void hide_markup(char **text, size_t *size)
{
	struct packed safe;

	safe.to = need(open_memstream(&safe.text, &safe.size));
	for (const char *c = *text; *c; c++) {
		if (*c == '<')
			fputs("\\u003c", safe.to);
		else
			putc_unlocked(*c, safe.to);
	}
	fclose(safe.to);
	free(*text);
	*text = safe.text;
	*size = safe.size;
}

static json_t *lacks(const struct summary *s)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < RECORDING_LACKS; i++)
		if (s->lacks >> i & 1)
			json_array_append_new(list, json_string(in_language(recording_lack_text(i))));
	return list;
}

static json_t *values(const struct timeline *t)
{
	const struct summary *s = &t->summary;
	char title[2048], counts[96];

	timeline_process_name(s->processes[0], title, sizeof(title) - sizeof(", …"));
	if (s->n_processes > 1)
		strcat(title, ", …");
	return need(json_pack("{s:s, s:s, s:s, s:s, s:o, s:s, s:s, s:b, s:o}", "lang",
		command_language() == ACL_LANG_ZH ? "zh" : "en", "style_hash", TIMELINE_STYLE_HASH,
		"script_hash", TIMELINE_SCRIPT_HASH, "version", ACLCHECK_VERSION, "title",
		json_string(title) ?: json_string("AscendCL"), "counts",
		text_in_language(
			counts, sizeof(counts), "%zu calls in %u processes", t->n_calls, s->n_processes),
		"search_hint", in_language("function, rule, 0xaddress"), "gaps", summary_has_gaps(s), "lacks",
		lacks(s)));
}

static void page_fill(struct page *p, FILE *out, const char *facts, size_t facts_size)
{
	const struct template_part page = {"timeline.html", timeline_page, timeline_page_end};
	const struct template_part parts[] = {{"timeline.css", timeline_style, timeline_style_end},
		{"timeline.js", timeline_script, timeline_script_end}, {"facts", facts, facts + facts_size},
		{"calls", p->calls.text, p->calls.text + p->calls.size},
		{"memory", p->memory.text, p->memory.text + p->memory.size}, {NULL, NULL, NULL}};
	json_t *v = values(p->t);

	template_fill(out, &page, parts, v);
	json_decref(v);
}

void timeline_print_html(const struct timeline *t, FILE *out)
{
	struct page p = {.t = t, .lanes.timeline = t};
	size_t size = 0;
	char *facts = NULL;
	FILE *f;

	p.code = need(json_array());
	pack_begin(&p.calls);
	pack_begin(&p.memory);
	p.captures = need(open_memstream(&p.captures_text, &p.captures_size));
	pack_calls(&p);
	pack_memory(&p);
	pack_end(&p.calls);
	pack_end(&p.memory);
	fclose(p.captures);
	f = need(open_memstream(&facts, &size));
	put_facts(&p, f);
	fclose(f);
	hide_markup(&facts, &size);
	page_fill(&p, out, facts, size);
	free(facts);
	free(p.calls.text);
	free(p.memory.text);
	free(p.captures_text);
	json_decref(p.code);
	page_forget(&p.places);
	page_forget(&p.names);
	page_forget(&p.objects);
	page_forget(&p.threads);
	page_forget(&p.streams);
	page_forget(&p.processes);
	page_forget(&p.errors);
	lanes_free(&p.lanes);
}
