/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth first through DT_NEEDED. */
#include "interpose/common/file_status.h"
#include "tools/aclcheck/run/run.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/preloadable.h"
#include "tools/aclcheck/run/elf_file.h"

#define OBJECTS_MAX 512

struct search {
	json_t *seen; /* names needed -> true */
	json_t *queue; /* paths */
	const char *libraries;
	char *name;
	size_t size;
	bool found, opens, starts;
};

/* What the dynamic section of one object says. */
struct dynamic {
	Elf64_Dyn *entries;
	size_t n;
	char *strings; /* of size bytes, and a NUL */
	size_t size;
	const char *runpath;
};

bool is_runtime(const char *path)
{
	static const char *const names[] = {"libascendcl.so", "libacl_rt.so"};
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

static const char *string_at(const struct dynamic *d, uint64_t offset)
{
	return offset < d->size ? d->strings + offset : NULL;
}

/* One directory of a list, with $ORIGIN put in. */
static bool try_directory(struct search *s, const char *list, size_t n, const char *origin, const char *name)
{
	static const char *const words[] = {"$ORIGIN", "${ORIGIN}"};
	char path[2 * PATH_MAX];
	int length = -1;

	for (unsigned i = 0; i < 2; i++)
		if (n >= strlen(words[i]) && !strncmp(list, words[i], strlen(words[i])))
			length = snprintf(path, sizeof(path), "%s%.*s/%s", origin,
				(int)(n - strlen(words[i])), list + strlen(words[i]), name);
	if (length < 0)
		length = snprintf(path, sizeof(path), "%.*s/%s", (int)n, n ? list : ".", name);
	if ((size_t)length >= sizeof(path) || access(path, R_OK))
		return false;
	json_array_append_new(s->queue, json_string(path));
	return true;
}

static bool try_list(struct search *s, const char *list, const char *origin, const char *name)
{
	while (list && *list) {
		size_t n = strcspn(list, ":;");

		if (try_directory(s, list, n, origin, name))
			return true;
		list += n;
		list += *list != '\0';
	}
	return false;
}

static void need_library(struct search *s, const struct dynamic *d, const char *origin, const char *name)
{
	static const char usual[] = "/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib:"
				    "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:"
				    "/lib/aarch64-linux-gnu:/usr/lib/aarch64-linux-gnu";

	if (is_runtime(name)) {
		snprintf(s->name, s->size, "%s", strrchr(name, '/') ? strrchr(name, '/') + 1 : name);
		s->found = true;
	}
	if (s->found || json_object_get(s->seen, name) || json_object_size(s->seen) > OBJECTS_MAX)
		return;
	json_object_set_new(s->seen, name, json_true());
	if (strchr(name, '/'))
		json_array_append_new(s->queue, json_string(name));
	else if (!try_list(s, d->runpath, origin, name) && !try_list(s, s->libraries, origin, name))
		try_list(s, usual, origin, name);
}

/* False: there is none, or its strings cannot be had. */
static bool read_dynamic(const struct elf_file *e, struct dynamic *d)
{
	const Elf64_Phdr *segment = elf_file_segment(e, PT_DYNAMIC);
	uint64_t address = 0, run = UINT64_MAX;

	memset(d, 0, sizeof(*d));
	if (segment)
		d->entries = elf_file_dynamic(e, segment->p_offset, segment->p_filesz, &d->n);
	for (size_t i = 0; i < d->n && d->entries[i].d_tag != DT_NULL; i++) {
		const Elf64_Dyn *entry = &d->entries[i];

		if (entry->d_tag == DT_STRTAB)
			address = entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRSZ)
			d->size = entry->d_un.d_val;
		else if (entry->d_tag == DT_RUNPATH || (entry->d_tag == DT_RPATH && run == UINT64_MAX))
			run = entry->d_un.d_val;
	}
	d->strings = elf_file_loaded(e, address, d->size);
	d->runpath = d->strings && run != UINT64_MAX ? string_at(d, run) : NULL;
	return d->strings != NULL;
}

static void look_into(struct search *s, const char *path, const struct elf_file *e)
{
	char real[PATH_MAX], *slash;
	struct dynamic d;

	if (read_dynamic(e, &d) && realpath(path, real)) {
		slash = strrchr(real, '/');
		if (slash)
			*slash = '\0';
		for (size_t i = 0; i < d.n && !s->found && d.entries[i].d_tag != DT_NULL; i++) {
			const Elf64_Dyn *entry = &d.entries[i];
			const char *name =
				entry->d_tag == DT_NEEDED ? string_at(&d, entry->d_un.d_val) : NULL;

			if (name)
				need_library(s, &d, real, name);
		}
	}
	free(d.entries);
	free(d.strings);
}

/* What an interpreter does is in its library, where it has one: the program's file is a few lines. */
static bool is_interpreter(const char *base)
{
	static const char *const names[] = {"libpython", "libperl", "libruby"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(base, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Whether what this object calls is the program's doing: most libraries could do more than they are asked. */
static bool acts(const char *path, bool program)
{
	const char *base = strrchr(path, '/');

	return program || is_interpreter(base ? base + 1 : path);
}

/* Shells open builtins of their own, by path. */
static bool may_open(const char *path, bool program)
{
	const char *base = strrchr(path, '/');

	return acts(path, program) && strcmp(base ? base + 1 : path, "bash") != 0;
}

static bool is_among(const char *name, const char *const names[])
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static bool imports_of(const struct elf_file *e, const Elf64_Shdr *section, const Elf64_Shdr *texts,
	const char *const names[])
{
	size_t n;
	Elf64_Sym *symbols = elf_file_symbols(e, section->sh_offset, section->sh_size, &n);
	char *strings = elf_file_piece(e, texts->sh_offset, texts->sh_size);
	bool found = false;

	for (size_t i = 0; strings && i < n && !found; i++)
		found = symbols[i].st_shndx == SHN_UNDEF && symbols[i].st_name < texts->sh_size &&
			is_among(strings + symbols[i].st_name, names);
	free(symbols);
	free(strings);
	return found;
}

static bool imports(const struct elf_file *e, const char *const names[])
{
	for (size_t i = 0; i < e->n_sections; i++) {
		const Elf64_Shdr *section = &e->sections[i];

		if (section->sh_type == SHT_DYNSYM && section->sh_link < e->n_sections &&
			imports_of(e, section, &e->sections[section->sh_link], names))
			return true;
	}
	return false;
}

/* A program without a loader, linked statically or the loader itself, may do everything. */
static bool starts_programs(const struct elf_file *e, bool program)
{
	static const char *const names[] = {"fork", "vfork", "clone", "execv", "execve", "execvp", "execvpe",
		"execl", "execlp", "execle", "fexecve", "execveat", "posix_spawn", "posix_spawnp", "system",
		"popen", "syscall", NULL};

	return (program && !elf_file_segment(e, PT_INTERP)) || imports(e, names);
}

static void dependency_look_at(struct search *s, const char *path, bool program)
{
	static const char *const opening[] = {"dlopen", "dlmopen", NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct elf_file e;

	if (elf_file_open(&e, fd)) {
		look_into(s, path, &e);
		s->opens |= may_open(path, program) && imports(&e, opening);
		s->starts |= acts(path, program) && starts_programs(&e, program);
		elf_file_close(&e);
	} else {
		s->starts |= program; /* not to be known */
	}
	if (fd >= 0)
		close(fd);
}

static bool on_path(const char *libraries, char *name, size_t size)
{
	struct search s = {.queue = json_array()};

	snprintf(name, size, "libascendcl.so");
	if (!try_list(&s, libraries, "", name))
		snprintf(name, size, "libacl_rt.so");
	s.found = json_array_size(s.queue) || try_list(&s, libraries, "", name);
	json_decref(s.queue);
	return s.found;
}

enum runtime_dependency runtime_dependency(
	const char *program, const char *libraries, char *name, size_t size)
{
	struct search s = {.libraries = libraries, .name = name, .size = size};
	char path[PATH_MAX], real[PATH_MAX];
	enum preloadable answer;
	struct stat st;

	/* A note names what it likes: devices are not to be opened. */
	if (filestat_path(program, &st) || !S_ISREG(st.st_mode))
		return RUNTIME_NOT_NEEDED;
	s.seen = json_object();
	s.queue = json_array();
	snprintf(path, sizeof(path), "%s", program);
	answer = preloadable(path, sizeof(path));
	dependency_look_at(&s, realpath(path, real) ? real : path, true);
	for (size_t i = 0; !s.found && i < json_array_size(s.queue); i++)
		dependency_look_at(&s, json_string_value(json_array_get(s.queue, i)), false);
	json_decref(s.seen);
	json_decref(s.queue);
	if (s.found)
		return RUNTIME_NEEDED;
	/* The loader ignores library paths for privileged programs, and CANN's libraries need the GNU one. */
	if (s.opens && !answer && on_path(libraries, name, size))
		return RUNTIME_MAY_BE_OPENED;
	return s.starts ? RUNTIME_MAY_BE_STARTED : RUNTIME_NOT_NEEDED;
}

bool program_is_linked_with(const char *program, const char *library)
{
	char path[PATH_MAX];
	struct dynamic d = {0};
	struct elf_file e;
	bool found = false;
	int fd = program_find(program, path, sizeof(path)) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (elf_file_open(&e, fd)) {
		bool there = read_dynamic(&e, &d);

		for (size_t i = 0; there && i < d.n && !found && d.entries[i].d_tag != DT_NULL; i++) {
			const Elf64_Dyn *entry = &d.entries[i];
			const char *name =
				entry->d_tag == DT_NEEDED ? string_at(&d, entry->d_un.d_val) : NULL;

			found = name && !strncmp(name, library, strlen(library));
		}
		free(d.entries);
		free(d.strings);
		elf_file_close(&e);
	}
	if (fd >= 0)
		close(fd);
	return found;
}
