/* SPDX-License-Identifier: Apache-2.0 */
/* Environment for the program, and whether the dynamic loader will heed it. */
#include "tools/aclcheck/launch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "tools/aclcheck/command.h"

#define SCRIPTS_MAX 4 /* as the kernel follows them */

static char *join(const char *directory, const char *name)
{
	char *path;

	return need(asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path);
}

static char own_directory[PATH_MAX];

/* Before anything else: in a mount namespace of its own (trace) the kernel may name the place from outside a
 * chroot. */
static __attribute__((constructor)) void learn_own_directory(void)
{
	ssize_t n = readlink("/proc/self/exe", own_directory, sizeof(own_directory) - 1);
	char *slash;

	own_directory[n > 0 ? n : 0] = '\0';
	slash = strrchr(own_directory, '/');
	if (slash)
		*slash = '\0';
}

char *launch_find(const char *name)
{
	char *lib = join(own_directory, "../lib"), *path;
	const char *places[3] = {own_directory, lib, ACLCHECK_LIBDIR};
	char *found = NULL;

	for (unsigned i = 0; i < 3 && !found; i++) {
		path = join(places[i], name);
		found = realpath(path, NULL);
		free(path);
	}
	free(lib);
	return found;
}

static bool prepend(const char *variable, const char *value)
{
	const char *old = getenv(variable);
	char *both;
	bool good;

	if (asprintf(&both, old && *old ? "%s:%s" : "%s", value, old) < 0)
		return false;
	good = !setenv(variable, both, 1);
	free(both);
	return good;
}

bool launch_preload(void)
{
	char *library = launch_find("libaclcheck.so");
	bool good;

	if (!library) {
		command_say("libaclcheck.so is neither beside this command nor in " ACLCHECK_LIBDIR);
		return false;
	}
	/* The loader splits LD_PRELOAD at both and knows no escape. */
	good = !strpbrk(library, " :");
	if (!good)
		command_say("%s: the loader cannot preload from a path with spaces or colons", library);
	good = good && prepend("LD_PRELOAD", library);
	free(library);
	return good;
}

bool launch_softnpu(const char *devices)
{
	char *directory = launch_find("softnpu");
	bool good;

	if (!directory) {
		command_say("the software runtime (softnpu/) is neither beside this command nor "
			    "in " ACLCHECK_LIBDIR);
		return false;
	}
	good = prepend("LD_LIBRARY_PATH", directory) && (!devices || !setenv("SOFTNPU_DEVICES", devices, 1));
	free(directory);
	return good;
}

/* Full path of the program as execvp would find it, NULL if it would not. */
static char *resolve(const char *program)
{
	const char *path = getenv("PATH");

	if (strchr(program, '/'))
		return access(program, X_OK) ? NULL : need(strdup(program));
	for (path = path ? path : "/usr/bin:/bin"; *path; path += *path == ':') {
		size_t n = strcspn(path, ":");
		char *candidate;
		struct stat st;

		if (asprintf(&candidate, "%.*s/%s", (int)n, n ? path : ".", program) < 0)
			return NULL;
		if (!access(candidate, X_OK) && !stat(candidate, &st) && S_ISREG(st.st_mode))
			return candidate;
		free(candidate);
		path += n;
	}
	return NULL;
}

static const char *refuse(const char *path, const char *why)
{
	static char buf[PATH_MAX + 256];

	snprintf(buf, sizeof(buf), "%s %s", path, why);
	return buf;
}

static const char *privileged(const char *path, const struct stat *st)
{
	char value[64];

	if ((st->st_mode & S_ISUID && st->st_uid != getuid()) ||
		(st->st_mode & S_ISGID && st->st_gid != getgid()))
		return refuse(path, "is set-user-ID or set-group-ID: the loader ignores LD_PRELOAD for it");
	if (getuid() && getxattr(path, "security.capability", value, sizeof(value)) > 0)
		return refuse(path, "has file capabilities: the loader ignores LD_PRELOAD for it");
	return NULL;
}

static const char *elf_refusal(const char *path, const char *head, size_t n)
{
	const Elf64_Ehdr *eh = (const Elf64_Ehdr *)head;
	const char *interpreter = NULL;

	if (n < sizeof(*eh) || eh->e_ident[EI_CLASS] != ELFCLASS64)
		return refuse(path, "is no 64-bit program");
	for (unsigned i = 0; i < eh->e_phnum; i++) {
		const Elf64_Phdr *ph = (const Elf64_Phdr *)(head + eh->e_phoff) + i;

		if (eh->e_phoff % 8 || eh->e_phoff > n || (size_t)((const char *)(ph + 1) - head) > n)
			break;
		if (ph->p_type == PT_INTERP && ph->p_offset < n &&
			memchr(head + ph->p_offset, 0, n - ph->p_offset))
			interpreter = head + ph->p_offset;
	}
	if (!interpreter)
		return refuse(path, "is linked statically: it has no loader that could preload the checker");
	if (strstr(interpreter, "musl"))
		return refuse(path, "is linked with musl; the checker needs the GNU C library");
	return NULL;
}

/* One file: a reason, or the interpreter of a script in *next. */
static const char *file_refusal(const char *path, char **next)
{
	static _Alignas(8) char head[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	*next = NULL;
	/* Runnable but not readable: nothing is known against it. */
	if (fd < 0)
		return NULL;
	n = fstat(fd, &st) ? -1 : pread(fd, head, sizeof(head) - 1, 0);
	close(fd);
	if (n < 4)
		return NULL;
	head[n] = '\0';
	if (!memcmp(head, "#!", 2)) {
		char *name = head + 2 + strspn(head + 2, " \t");

		name[strcspn(name, " \t\n")] = '\0';
		*next = need(strdup(name));
		return NULL;
	}
	if (memcmp(head, ELFMAG, SELFMAG))
		return NULL;
	if (privileged(path, &st))
		return privileged(path, &st);
	return elf_refusal(path, head, (size_t)n);
}

const char *launch_refusal(const char *program)
{
	char *path = resolve(program), *next;
	const char *why = NULL;

	if (!path)
		return refuse(program, "cannot be run: no such program");
	for (unsigned i = 0; path && !why && i < SCRIPTS_MAX; i++) {
		why = file_refusal(path, &next);
		free(path);
		path = next;
	}
	free(path);
	return why;
}
