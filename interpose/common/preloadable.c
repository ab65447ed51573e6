/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the head of a program's file as the kernel and the loader will. */
#include "interpose/common/preloadable.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "interpose/common/tool_open.h"
#include "interpose/common/compiler.h"
#include "interpose/common/file_status.h"

#define HEAD 2048
#define SCRIPTS_MAX 4 /* as the kernel follows them */

NO_SANITIZE static bool join(const char *directory, size_t n, const char *name, char *path, size_t cap)
{
	size_t k = strlen(name);

	if (!n) {
		directory = ".";
		n = 1;
	}
	if (n + k + 2 > cap)
		return false;
	memcpy(path, directory, n);
	path[n] = '/';
	memcpy(path + n + 1, name, k + 1);
	return true;
}

NO_SANITIZE bool program_find(const char *name, char *path, size_t cap)
{
	const char *list = getenv("PATH");

	if (strchr(name, '/')) {
		if (strlen(name) >= cap || access(name, X_OK))
			return false;
		strcpy(path, name);
		return true;
	}
	for (list = list ? list : "/usr/bin:/bin"; *list; list += *list == ':') {
		size_t n = strcspn(list, ":");
		int fd = -1;
		struct stat st;

		if (join(list, n, name, path, cap) && !access(path, X_OK))
			fd = tool_open(path, O_PATH, 0);
		list += n;
		if (fd < 0)
			continue;
		n = !filestat_fd(fd, &st) && S_ISREG(st.st_mode);
		close(fd);
		if (n)
			return true;
	}
	return false;
}

NO_SANITIZE static enum preloadable privileged(const char *path, const struct stat *st)
{
	char value[64];

	if ((st->st_mode & S_ISUID && st->st_uid != getuid()) ||
		((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && st->st_gid != getgid()))
		return PRELOADABLE_NOT_PRIVILEGED;
	if (getuid() && getxattr(path, "security.capability", value, sizeof(value)) > 0)
		return PRELOADABLE_NOT_CAPABLE;
	return PRELOADABLE;
}

/* A piece of the file, mostly of what was read of it already. */
struct program_file {
	int fd;
	const char *head;
	size_t n;
};

NO_SANITIZE static bool piece(const struct program_file *f, uint64_t at, void *to, size_t size)
{
	if (at <= f->n && size <= f->n - at) {
		memcpy(to, f->head + at, size);
		return true;
	}
	return at <= INT64_MAX && pread(f->fd, to, size, (off_t)at) == (ssize_t)size;
}

/* Of the usual loaders; what cannot be read is none of another C library's. */
NO_SANITIZE static enum preloadable loader_answer(const struct program_file *f, const Elf64_Phdr *ph)
{
	char name[256] = "";

	if (!ph->p_filesz || ph->p_filesz > sizeof(name) || !piece(f, ph->p_offset, name, ph->p_filesz))
		return PRELOADABLE;
	name[ph->p_filesz - 1] = '\0';
	return strstr(name, "ld-musl") ? PRELOADABLE_NOT_MUSL : PRELOADABLE;
}

/* Tools that change a program put its table of segments at the end of the file. */
NO_SANITIZE static enum preloadable elf_answer(const struct program_file *f)
{
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	if (!piece(f, 0, &eh, sizeof(eh)) || eh.e_ident[EI_CLASS] != ELFCLASS64)
		return PRELOADABLE_NOT_32_BIT;
	for (unsigned i = 0; i < eh.e_phnum; i++) {
		if (!piece(f, eh.e_phoff + i * sizeof(ph), &ph, sizeof(ph)))
			return PRELOADABLE;
		if (ph.p_type == PT_INTERP)
			return loader_answer(f, &ph);
	}
	return PRELOADABLE_NOT_STATIC;
}

NO_SANITIZE static enum preloadable answer_of(
	const struct program_file *f, const char *path, const struct stat *st)
{
	enum preloadable answer;

	if (memcmp(f->head, ELFMAG, SELFMAG) != 0)
		return PRELOADABLE;
	answer = privileged(path, st);
	return answer ? answer : elf_answer(f);
}

/* What stands behind "#!"; of "env NAME" the program that env is going to find. */
NO_SANITIZE static bool interpreter_of(char *line, char *path, size_t cap)
{
	char *name = line + strspn(line, " \t"), *base, *next;
	size_t n = strcspn(name, " \t\n");

	next = name + n + (name[n] == ' ' || name[n] == '\t');
	name[n] = '\0';
	base = strrchr(name, '/');
	if (base && !strcmp(base, "/env")) {
		next += strspn(next, " \t");
		if (!strncmp(next, "-S", 2))
			next += 2 + strspn(next + 2, " \t");
		next[strcspn(next, " \t\n")] = '\0';
		if (*next && *next != '-' && !strchr(next, '='))
			return program_find(next, path, cap);
	}
	if (n >= cap)
		return false;
	strcpy(path, name);
	return true;
}

/* One file; a script's interpreter goes to path, and *again. */
NO_SANITIZE static enum preloadable look(char *path, size_t cap, bool *again)
{
	char head[HEAD];
	int fd = tool_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	enum preloadable answer;
	struct stat st;
	ssize_t n;

	*again = false;
	/* Runnable but not readable: nothing is known against it. */
	if (fd < 0)
		return PRELOADABLE;
	n = filestat_fd(fd, &st) || !S_ISREG(st.st_mode) ? -1 : pread(fd, head, sizeof(head) - 1, 0);
	answer = n < 4 ? PRELOADABLE : answer_of(&(struct program_file){fd, head, (size_t)n}, path, &st);
	close(fd);
	if (n < 4 || memcmp(head, "#!", 2) != 0)
		return answer;
	head[n] = '\0';
	*again = interpreter_of(head + 2, path, cap);
	return PRELOADABLE;
}

NO_SANITIZE enum preloadable preloadable(char *path, size_t cap)
{
	enum preloadable answer = PRELOADABLE;
	bool again = true;

	for (unsigned i = 0; again && !answer && i <= SCRIPTS_MAX; i++)
		answer = look(path, cap, &again);
	return answer;
}
