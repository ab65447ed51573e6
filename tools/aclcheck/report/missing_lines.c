/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file that a frame names is used only if it has the build-id that was
 * mapped; else the debug files by build-id are used.  libdw unpacks compressed
 * sections and reads what our own reader leaves out; where it is not, these
 * frames stay without lines.
 */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/report/report.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define LIBDW(X)                                                                                             \
	X(dwarf_begin)                                                                                       \
	X(dwarf_end)                                                                                         \
	X(dwarf_getelf)                                                                                      \
	X(dwelf_elf_gnu_build_id)                                                                            \
	X(dwarf_addrdie)                                                                                     \
	X(dwarf_nextcu)                                                                                      \
	X(dwarf_offdie)                                                                                      \
	X(dwarf_haspc)                                                                                       \
	X(dwarf_getsrc_die)                                                                                  \
	X(dwarf_lineno)                                                                                      \
	X(dwarf_linesrc)

/* Opened when first wanted: a host without it runs and reports as well. */
static struct {
#define MEMBER(function) __typeof__(function) *function;
	LIBDW(MEMBER)
} dw;

bool missing_lines_possible(void)
{
	void *library = dw.dwarf_begin ? NULL : dlopen("libdw.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return dw.dwarf_begin != NULL;
#define LOOK_UP(function) *(void **)&dw.function = dlsym(library, #function);
#define AND_THERE(function) &&dw.function
	LIBDW(LOOK_UP)
	if (true LIBDW(AND_THERE))
		return true;
	memset(&dw, 0, sizeof(dw));
	return false;
}

struct debug_file {
	struct debug_file *next;
	char *id;
	Dwarf *dwarf; /* NULL = none was found */
	int fd;
};

static bool has_id(Elf *elf, const char *wanted)
{
	const void *bits;
	ssize_t n = elf ? dw.dwelf_elf_gnu_build_id(elf, &bits) : 0;
	char hex[3] = "";

	if (n <= 0 || (size_t)n * 2 != strlen(wanted))
		return false;
	for (ssize_t i = 0; i < n; i++) {
		snprintf(hex, sizeof(hex), "%02x", ((const unsigned char *)bits)[i]);
		if (memcmp(hex, wanted + 2 * i, 2) != 0)
			return false;
	}
	return true;
}

/* The report names the file: only a regular one is opened. */
static bool open_dwarf(struct debug_file *f, const char *path)
{
	struct stat st;

	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return false;
	f->dwarf =
		filestat_fd(f->fd, &st) || !S_ISREG(st.st_mode) ? NULL : dw.dwarf_begin(f->fd, DWARF_C_READ);
	if (f->dwarf && has_id(dw.dwarf_getelf(f->dwarf), f->id))
		return true;
	dw.dwarf_end(f->dwarf);
	f->dwarf = NULL;
	close(f->fd);
	return false;
}

static struct debug_file *debug_file_of(struct debug_file **files, const json_t *frame)
{
	const char *id = text_of(frame, "build_id");
	char path[128];
	struct debug_file *f;

	for (f = *files; f; f = f->next)
		if (!strcmp(f->id, id))
			return f;
	f = need(calloc(1, sizeof(*f)));
	f->id = need(strdup(id));
	f->next = *files;
	*files = f;
	if (open_dwarf(f, text_of(frame, "module")))
		return f;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%.90s.debug", id, id + 2);
	open_dwarf(f, path);
	return f;
}

/* clang writes no .debug_aranges: then the units are looked through one by one. */
static Dwarf_Die *unit_at(Dwarf *d, Dwarf_Addr address, Dwarf_Die *die)
{
	Dwarf_Off at = 0, next;
	size_t header;

	if (dw.dwarf_addrdie(d, address, die))
		return die;
	for (; !dw.dwarf_nextcu(d, at, &next, &header, NULL, NULL, NULL); at = next)
		if (dw.dwarf_offdie(d, at + header, die) && dw.dwarf_haspc(die, address) > 0)
			return die;
	return NULL;
}

static void frame_line(struct debug_file **files, json_t *frame)
{
	const char *id = text_of(frame, "build_id"), *path;
	Dwarf_Addr address = strtoull(text_of(frame, "offset"), NULL, 16);
	struct debug_file *f;
	Dwarf_Die die, *unit;
	Dwarf_Line *found;
	int line;

	if (strlen(id) < 4 || strspn(id, "0123456789abcdef") != strlen(id) || *text_of(frame, "file") ||
		!missing_lines_possible())
		return;
	f = debug_file_of(files, frame);
	unit = f->dwarf ? unit_at(f->dwarf, address, &die) : NULL;
	found = unit ? dw.dwarf_getsrc_die(unit, address) : NULL;
	path = found && !dw.dwarf_lineno(found, &line) ? dw.dwarf_linesrc(found, NULL, NULL) : NULL;
	if (!path || json_object_set_new(frame, "file", json_string(path)))
		return;
	json_object_set_new(frame, "line", json_integer(line));
	json_object_del(frame, "build_id");
}

static void each_frame(struct debug_file **files, json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(json)) {
		json_array_foreach(json, i, value) each_frame(files, value);
	} else if (json_is_object(json)) {
		json_object_foreach(json, key, value) each_frame(files, value);
		if (json_object_get(json, "build_id") && json_object_get(json, "offset"))
			frame_line(files, json);
	}
}

void missing_lines_resolve(json_t *report)
{
	struct debug_file *files = NULL, *f;

	each_frame(&files, json_object_get(report, "findings"));
	each_frame(&files, json_object_get(report, "expectations"));
	each_frame(&files, json_object_get(report, "injected"));
	while ((f = files)) {
		files = f->next;
		if (f->dwarf) {
			dw.dwarf_end(f->dwarf);
			close(f->fd);
		}
		free(f->id);
		free(f);
	}
}
