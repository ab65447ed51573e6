/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code as places that people know. A recording holds addresses; the files they lie in may be on
 * this host. */
#include <inttypes.h>
#include <string.h>

#include "interpose/report/trace_provider.h"
#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/trace/summary.h"

static const bt_field *field(const bt_field *fields, const char *name)
{
	return bt_field_structure_borrow_member_field_by_name_const(fields, name);
}

static uint64_t summary_place_number(const bt_field *fields, const char *name)
{
	const bt_field *f = field(fields, name);

	return f ? ctf_uint(f) : 0;
}

void code_module_add(struct process_state *p, const bt_field *fields)
{
	struct code_module *m = need(calloc(1, sizeof(*m)));
	const bt_field *path = field(fields, "path"), *id = field(fields, "build_id");
	uint64_t n = id ? bt_field_array_get_length(id) : 0;
	char text[1025] = "";

	if (path)
		ctf_text(path, text, sizeof(text));
	m->path = need(strdup(text));
	m->base = summary_place_number(fields, "base");
	m->start = summary_place_number(fields, "start");
	m->end = summary_place_number(fields, "end");
	for (uint64_t i = 0; i < n && 2 * i + 2 < sizeof(m->build_id); i++)
		snprintf(m->build_id + 2 * i, 3, "%02x",
			(unsigned)ctf_uint(bt_field_array_borrow_element_field_by_index_const(id, i)) & 0xff);
	m->next = p->modules;
	p->modules = m;
}

void code_modules_free(struct process_state *p)
{
	struct code_module *m;

	while ((m = p->modules)) {
		p->modules = m->next;
		free(m->path);
		free(m);
	}
}

/* --- lines of Python code ------------------------------------------------------------ */

static char *text_field(const bt_field *fields, const char *name)
{
	const bt_field *f = field(fields, name);
	char text[1025] = "";

	if (f)
		ctf_text(f, text, sizeof(text));
	return need(strdup(text));
}

static struct python_line *python_line(const struct process_state *p, uint32_t number)
{
	struct python_line *l;

	HASH_FIND(hh, p->python_lines, &number, sizeof(number), l);
	return l;
}

void code_python_line_add(struct process_state *p, const bt_field *fields)
{
	const bt_field *line = field(fields, "line");
	struct python_line *l;

	if (!line || python_line(p, (uint32_t)summary_place_number(fields, "id")))
		return;
	l = need(calloc(1, sizeof(*l)));
	l->number = (uint32_t)summary_place_number(fields, "id");
	l->line = bt_field_integer_signed_get_value(line);
	l->function = text_field(fields, "function");
	l->file = text_field(fields, "file");
	HASH_ADD(hh, p->python_lines, number, sizeof(l->number), l);
}

void code_python_stack_add(struct process_state *p, const bt_field *fields)
{
	const bt_field *frames = field(fields, "frames");
	uint64_t n = frames ? bt_field_array_get_length(frames) : 0, frame = 0;
	uint32_t id = (uint32_t)summary_place_number(fields, "id");
	struct python_stack *s;

	for (uint64_t i = 0; i < n && !(frame & TRACE_PYTHON); i++)
		frame = ctf_uint(bt_field_array_borrow_element_field_by_index_const(frames, i));
	HASH_FIND(hh, p->python_stacks, &id, sizeof(id), s);
	if (s || !(frame & TRACE_PYTHON))
		return;
	s = need(calloc(1, sizeof(*s)));
	s->id = id;
	s->line = (uint32_t)frame;
	HASH_ADD(hh, p->python_stacks, id, sizeof(s->id), s);
}

void code_python_free(struct process_state *p)
{
	struct python_stack *s, *next_stack;
	struct python_line *l, *next_line;

	HASH_ITER(hh, p->python_stacks, s, next_stack)
	{
		HASH_DEL(p->python_stacks, s);
		free(s);
	}
	HASH_ITER(hh, p->python_lines, l, next_line)
	{
		HASH_DEL(p->python_lines, l);
		free(l->function);
		free(l->file);
		free(l);
	}
}

uint64_t code_python_place(const struct process_state *p, uint32_t stack)
{
	struct python_stack *s = NULL;

	if (stack && p->python_stacks)
		HASH_FIND(hh, p->python_stacks, &stack, sizeof(stack), s);
	return s && python_line(p, s->line) ? TRACE_PYTHON | s->line : 0;
}

/* --- places -------------------------------------------------------------------------- */

json_t *code_place(const struct process_state *p, uint64_t place)
{
	/* Of the call itself, which ends before. */
	uint64_t address = place - 1;
	const struct code_module *m = p->modules;
	const struct python_line *l = place & TRACE_PYTHON ? python_line(p, (uint32_t)place) : NULL;
	char offset[32];

	if (l)
		return need(json_pack("{s:s, s:s, s:I}", "module", l->function, "file", l->file, "line",
			(json_int_t)l->line));
	while (m && (address < m->start || address >= m->end))
		m = m->next;
	snprintf(offset, sizeof(offset), "0x%" PRIx64, address - (m ? m->base : 0));
	return need(json_pack("{s:s, s:s, s:s}", "module", m ? m->path : "", "build_id", m ? m->build_id : "",
		"offset", offset));
}

static json_t *line(const json_t *place)
{
	const char *module = text_of(place, "module"), *file = text_of(place, "file");
	const char *name = strrchr(module, '/') ? strrchr(module, '/') + 1 : module;

	if (*file)
		return json_sprintf("%s:%lld (%s)", file, (long long)number_of(place, "line"), name);
	return json_sprintf("%s%s%s", name, *name ? "+" : "", text_of(place, "offset"));
}

static void put_lines(json_t *places)
{
	json_t *one;
	size_t i;

	json_array_foreach(places, i, one)
	{
		if (json_is_array(one))
			put_lines(one);
		else
			json_array_set_new(places, i, line(one));
	}
}

void code_lines(json_t *places)
{
	json_t *resolved = need(json_pack("{s:O}", "findings", places));

	missing_lines_resolve(resolved);
	json_decref(resolved);
	put_lines(places);
}
