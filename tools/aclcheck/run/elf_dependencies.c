/* SPDX-License-Identifier: Apache-2.0 */
/* Breadth first through DT_NEEDED, by libelf. */
#include "tools/aclcheck/run/run.h"

#include <fcntl.h>
#include <gelf.h>
#include <jansson.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpose/common/preloadable.h"

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
	const char *strings;
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
	return offset < d->size && memchr(d->strings + offset, 0, d->size - offset) ? d->strings + offset
										    : NULL;
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

/* File offset of an address, by the segments. */
static bool offset_of(Elf *elf, uint64_t address, uint64_t *offset)
{
	GElf_Phdr ph;
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &ph) && ph.p_type == PT_LOAD && address >= ph.p_vaddr &&
			address - ph.p_vaddr < ph.p_filesz) {
			*offset = address - ph.p_vaddr + ph.p_offset;
			return true;
		}
	return false;
}

static bool find_segment(Elf *elf, uint32_t type, GElf_Phdr *out)
{
	size_t n = 0;

	elf_getphdrnum(elf, &n);
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, out) && out->p_type == type)
			return true;
	return false;
}

static Elf_Data *dynamic_data(Elf *elf)
{
	GElf_Phdr ph;

	return find_segment(elf, PT_DYNAMIC, &ph)
		       ? elf_getdata_rawchunk(elf, (int64_t)ph.p_offset, ph.p_filesz, ELF_T_DYN)
		       : NULL;
}

/* The strings of a dynamic section; false when they cannot be had. */
static bool dynamic_strings(Elf *elf, Elf_Data *data, struct dynamic *d)
{
	uint64_t address = 0, size = 0, offset, run = UINT64_MAX;
	Elf_Data *strings;
	GElf_Dyn dyn;

	for (int i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		if (dyn.d_tag == DT_STRTAB)
			address = dyn.d_un.d_ptr;
		else if (dyn.d_tag == DT_STRSZ)
			size = dyn.d_un.d_val;
		else if (dyn.d_tag == DT_RUNPATH || (dyn.d_tag == DT_RPATH && run == UINT64_MAX))
			run = dyn.d_un.d_val;
	}
	if (!offset_of(elf, address, &offset))
		return false;
	strings = elf_getdata_rawchunk(elf, (int64_t)offset, size, ELF_T_BYTE);
	if (!strings || !strings->d_buf)
		return false;
	d->strings = strings->d_buf;
	d->size = strings->d_size;
	d->runpath = run == UINT64_MAX ? NULL : string_at(d, run);
	return true;
}

static void look_into(struct search *s, const char *path, Elf *elf)
{
	char real[PATH_MAX], *slash;
	Elf_Data *data = dynamic_data(elf);
	struct dynamic d;
	GElf_Dyn dyn;

	if (!data || !dynamic_strings(elf, data, &d) || !realpath(path, real))
		return;
	slash = strrchr(real, '/');
	if (slash)
		*slash = '\0';
	for (int i = 0; !s->found && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++) {
		const char *name = dyn.d_tag == DT_NEEDED ? string_at(&d, dyn.d_un.d_val) : NULL;

		if (name)
			need_library(s, &d, real, name);
	}
}

/* Interpreters: python3 itself or its library. Shells open builtins of their own, by path. */
static bool may_open(const char *path, bool program)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	return program ? strcmp(base, "bash") != 0 : !strncmp(base, "libpython", 9);
}

static bool is_among(const char *name, const char *const names[])
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

static bool imports(Elf *elf, const char *const names[])
{
	GElf_Shdr header;
	Elf_Scn *section = NULL;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
			continue;
		for (int i = 0; gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (symbol.st_shndx == SHN_UNDEF && name && is_among(name, names))
				return true;
		}
	}
	return false;
}

/* One without a loader, linked statically or the loader itself, may do everything. */
static bool starts_programs(Elf *elf)
{
	static const char *const names[] = {"fork", "vfork", "clone", "execv", "execve", "execvp", "execvpe",
		"execl", "execlp", "execle", "fexecve", "execveat", "posix_spawn", "posix_spawnp", "system",
		"popen", "syscall", NULL};
	GElf_Phdr loader;

	return !find_segment(elf, PT_INTERP, &loader) || imports(elf, names);
}

static void look_at(struct search *s, const char *path, bool program)
{
	static const char *const opening[] = {"dlopen", "dlmopen", NULL};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);

	if (elf && elf_kind(elf) == ELF_K_ELF) {
		look_into(s, path, elf);
		s->opens |= may_open(path, program) && imports(elf, opening);
		s->starts |= program && starts_programs(elf);
	} else {
		s->starts |= program; /* not to be known */
	}
	elf_end(elf);
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
	if (stat(program, &st) || !S_ISREG(st.st_mode))
		return RUNTIME_NOT_NEEDED;
	s.seen = json_object();
	s.queue = json_array();
	elf_version(EV_CURRENT);
	snprintf(path, sizeof(path), "%s", program);
	answer = preloadable(path, sizeof(path));
	look_at(&s, realpath(path, real) ? real : path, true);
	for (size_t i = 0; !s.found && i < json_array_size(s.queue); i++)
		look_at(&s, json_string_value(json_array_get(s.queue, i)), false);
	json_decref(s.seen);
	json_decref(s.queue);
	if (s.found)
		return RUNTIME_NEEDED;
	/* The loader ignores library paths for privileged programs, and CANN's libraries need the GNU one. */
	if (s.opens && !answer && on_path(libraries, name, size))
		return RUNTIME_MAY_BE_OPENED;
	return s.starts ? RUNTIME_MAY_BE_STARTED : RUNTIME_NOT_NEEDED;
}
