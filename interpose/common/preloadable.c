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

NO_SANITIZE static enum preloadable elf_answer(const char *head, size_t n)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)head;
	const char *interpreter = NULL;

	if (n < sizeof(*eh) || eh->e_ident[EI_CLASS] != ELFCLASS64)
		return PRELOADABLE_NOT_32_BIT;
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const Elf64_Phdr *)(head + eh->e_phoff) + i;

		if (eh->e_phoff % 8 || eh->e_phoff > n || (size_t)((const char *)(ph + 1) - head) > n)
			break;
		if (ph->p_type != PT_INTERP)
			continue;
		/* Further back than the head reaches: no usual loader, but not static. */
		if (ph->p_offset >= n || !memchr(head + ph->p_offset, 0, n - ph->p_offset))
			return PRELOADABLE;
		interpreter = head + ph->p_offset;
	}
	if (!interpreter)
		return PRELOADABLE_NOT_STATIC;
	return strstr(interpreter, "ld-musl") ? PRELOADABLE_NOT_MUSL : PRELOADABLE;
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
	_Alignas(8) char head[HEAD];
	int fd = tool_open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	enum preloadable answer;
	struct stat st;
	ssize_t n;

	*again = false;
	/* Runnable but not readable: nothing is known against it. */
	if (fd < 0)
		return PRELOADABLE;
	n = filestat_fd(fd, &st) || !S_ISREG(st.st_mode) ? -1 : pread(fd, head, sizeof(head) - 1, 0);
	close(fd);
	if (n < 4)
		return PRELOADABLE;
	head[n] = '\0';
	if (!memcmp(head, "#!", 2)) {
		*again = interpreter_of(head + 2, path, cap);
		return PRELOADABLE;
	}
	if (memcmp(head, ELFMAG, SELFMAG))
		return PRELOADABLE;
	answer = privileged(path, &st);
	return answer ? answer : elf_answer(head, (size_t)n);
}

NO_SANITIZE enum preloadable preloadable(char *path, size_t cap)
{
	enum preloadable answer = PRELOADABLE;
	bool again = true;

	for (unsigned i = 0; again && !answer && i <= SCRIPTS_MAX; i++)
		answer = look(path, cap, &again);
	return answer;
}
