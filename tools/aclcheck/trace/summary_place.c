/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of code as places that people know. A recording holds addresses; the files they lie in may be on
 * this host. */
#include <inttypes.h>
#include <string.h>

#include "tools/aclcheck/report/report.h"
#include "tools/aclcheck/trace/summary.h"

static const bt_field *field(const bt_field *fields, const char *name)
{
	return bt_field_structure_borrow_member_field_by_name_const(fields, name);
}

static uint64_t number(const bt_field *fields, const char *name)
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
	m->base = number(fields, "base");
	m->start = number(fields, "start");
	m->end = number(fields, "end");
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

json_t *code_place(const struct process_state *p, uint64_t returns_to)
{
	/* Of the call itself, which ends before. */
	uint64_t address = returns_to - 1;
	const struct code_module *m = p->modules;
	char offset[32];

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
