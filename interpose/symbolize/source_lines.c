/* SPDX-License-Identifier: Apache-2.0 */
/* Which file has the debug information, and the paths that were found in it. */
#include "interpose/symbolize/source_lines.h"

#include <string.h>

#include "interpose/common/text.h"
#include "interpose/common/tool_arena.h"
#include "interpose/symbolize/dwarf_lines.h"

#define PATH_SIZE 4096

struct known_path {
	struct known_path *next;
	uint32_t file;
	const char *path;
};

/* Frames come from few units. */
struct known_unit {
	struct known_unit *next;
	uint64_t offset;
	struct dwarf_unit_info info;
	struct dwarf_rows rows;
	struct known_path *paths;
};

struct line_source {
	struct dwarf_sections sections;
	struct dwarf_index index;
	bool indexed;
	struct known_unit *units;
};

static struct dwarf_cursor section_of(const struct elf_image *image, const char *name)
{
	struct dwarf_cursor c = {0};
	size_t size;
	const void *data = elf_section(image, name, &size);

	if (data) {
		c.at = data;
		c.end = c.at + size;
	}
	return c;
}

static struct line_source *open_image(const struct elf_image *image)
{
	struct dwarf_cursor info = section_of(image, ".debug_info"), line = section_of(image, ".debug_line");
	struct line_source *source;

	if (!info.at || !line.at)
		return NULL;
	source = arena_alloc(sizeof(*source));
	if (!source)
		return NULL;
	source->sections = (struct dwarf_sections){
		.info = info,
		.line = line,
		.abbrev = section_of(image, ".debug_abbrev"),
		.str = section_of(image, ".debug_str"),
		.line_str = section_of(image, ".debug_line_str"),
		.str_offsets = section_of(image, ".debug_str_offsets"),
		.addr = section_of(image, ".debug_addr"),
		.ranges = section_of(image, ".debug_ranges"),
		.rnglists = section_of(image, ".debug_rnglists"),
	};
	return source;
}

/* /usr/lib/debug/.build-id/ab/cdef….debug */
static struct line_source *open_separate(const struct acl_module *module)
{
	struct elf_image image;
	char path[96];
	struct text t;

	if (module->build_id_len < 2)
		return NULL;
	text_init(&t, path, sizeof(path));
	text_str(&t, "/usr/lib/debug/.build-id/");
	for (unsigned i = 0; i < module->build_id_len; i++) {
		text_hex_digits(&t, module->build_id[i], 2);
		if (!i)
			text_char(&t, '/');
	}
	text_str(&t, ".debug");
	return elf_image_map(&image, path) ? open_image(&image) : NULL;
}

struct line_source *lines_open(const struct elf_image *image, const struct acl_module *module)
{
	struct line_source *source = open_image(image);

	return source ? source : open_separate(module);
}

static struct known_unit *unit_at(struct line_source *source, uint64_t offset)
{
	struct known_unit *u;

	for (u = source->units; u; u = u->next)
		if (u->offset == offset)
			return u;
	u = arena_alloc(sizeof(*u));
	if (!u)
		return NULL;
	u->offset = offset;
	u->next = source->units;
	source->units = u;
	if (dwarf_unit_read(&source->sections, offset, &u->info))
		dwarf_rows_make(&u->rows, &source->sections, &u->info);
	return u;
}

static const char *path_of(const struct line_source *source, struct known_unit *unit, uint32_t file)
{
	static char path[PATH_SIZE]; /* one thread symbolizes at a time */
	struct dwarf_file name;
	struct known_path *k;
	struct text t;

	for (k = unit->paths; k; k = k->next)
		if (k->file == file)
			return k->path;
	k = arena_alloc(sizeof(*k));
	if (!k)
		return NULL;
	k->file = file;
	k->next = unit->paths;
	unit->paths = k;
	if (!dwarf_file_name(&source->sections, &unit->info, file, &name))
		return NULL;
	text_init(&t, path, sizeof(path));
	if (name.directory)
		text_fmt(&t, "%s/", name.directory);
	text_str(&t, name.name);
	k->path = t.cut ? NULL : arena_string(path);
	return k->path;
}

bool lines_find(struct line_source *source, uint64_t address, const char **file, int *line)
{
	const struct dwarf_row *row;
	struct known_unit *unit;
	uint64_t offset;

	if (!source)
		return false;
	if (!source->indexed) {
		source->indexed = true;
		dwarf_index_make(&source->index, &source->sections);
	}
	if (!dwarf_index_find(&source->index, address, &offset))
		return false;
	unit = unit_at(source, offset);
	row = unit ? dwarf_rows_find(&unit->rows, address) : NULL;
	if (!row || row->line > INT32_MAX)
		return false;
	*file = path_of(source, unit, row->file);
	*line = (int)row->line;
	return *file != NULL;
}
