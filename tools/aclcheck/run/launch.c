/* SPDX-License-Identifier: Apache-2.0 */
/* Environment for the program, and whether the dynamic loader will heed it. */
#include "tools/aclcheck/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "interpose/common/preloadable.h"
#include "tools/aclcheck/common/command.h"

static char *words_join(const char *directory, const char *name)
{
	char *path;

	return need(asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path);
}

static char own_path[PATH_MAX], own_directory[PATH_MAX];

/* Before anything else: in a mount namespace of its own (trace) the kernel may name the place from outside a
 * chroot. */
static __attribute__((constructor)) void learn_own_directory(void)
{
	ssize_t n = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);
	char *slash;

	own_path[n > 0 ? n : 0] = '\0';
	/* Where no /proc is: as it was started. */
	if (!own_path[0] && !realpath((const char *)getauxval(AT_EXECFN), own_path))
		own_path[0] = '\0';
	memcpy(own_directory, own_path, sizeof(own_directory));
	slash = strrchr(own_directory, '/');
	if (slash)
		*slash = '\0';
}

const char *launch_self(void)
{
	return own_path;
}

char *launch_find(const char *name)
{
	char *lib = words_join(own_directory, "../lib"), *lib64 = words_join(own_directory, "../lib64"),
	     *path;
	const char *const places[] = {own_directory, lib, lib64, ACLCHECK_LIBDIR};
	char *found = NULL;

	for (unsigned i = 0; i < sizeof(places) / sizeof(*places) && !found; i++) {
		path = words_join(places[i], name);
		found = realpath(path, NULL);
		free(path);
	}
	free(lib);
	free(lib64);
	return found;
}

static bool prepend(const char *variable, const char *value)
{
	const char *old = getenv(variable);
	size_t n = strlen(value);
	char *both;
	bool good;

	if (old && !strncmp(old, value, n) && (!old[n] || old[n] == ':'))
		return true; /* a command of ours that runs another */

	if (asprintf(&both, old && *old ? "%s:%s" : "%s", value, old) < 0)
		return false;
	good = !setenv(variable, both, 1);
	free(both);
	return good;
}

/* The sanitizer refuses to be behind another preloaded library; ours leaves its functions alone. */
static bool permit_sanitizer(const char *program)
{
	static const char option[] = "verify_asan_link_order";
	const char *old = getenv("ASAN_OPTIONS");
	char *both;
	bool good;

	if (!program_is_linked_with(program, "libasan.so") || (old && strstr(old, option)))
		return true;
	if (asprintf(&both, "%s%s%s=0", old ? old : "", old && *old ? ":" : "", option) < 0)
		return false;
	good = !setenv("ASAN_OPTIONS", both, 1);
	free(both);
	return good;
}

bool launch_preload(const char *program)
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
	good = good && prepend("LD_PRELOAD", library) && permit_sanitizer(program);
	free(library);
	return good;
}

bool launch_softnpu(const char *devices, const char *cann)
{
	char name[64] = "softnpu", *directory;
	bool good;

	if (cann)
		snprintf(name, sizeof(name), "softnpu/%s", cann);
	directory = launch_find(name);
	if (!directory) {
		command_say("the software runtime (%s/) is neither beside this command nor "
			    "in " ACLCHECK_LIBDIR,
			name);
		return false;
	}
	good = prepend("LD_LIBRARY_PATH", directory) && (!devices || !setenv("SOFTNPU_DEVICES", devices, 1));
	free(directory);
	return good;
}

static const char *refuse(const char *path, const char *why)
{
	static char buf[PATH_MAX + 256];

	snprintf(buf, sizeof(buf), "%s %s", path, why);
	return buf;
}

const char *launch_refusal(const char *program)
{
	static const char *const reasons[] = {
		[PRELOADABLE_NOT_PRIVILEGED] =
			"is set-user-ID or set-group-ID: the loader ignores LD_PRELOAD for it",
		[PRELOADABLE_NOT_CAPABLE] = "has file capabilities: the loader ignores LD_PRELOAD for it",
		[PRELOADABLE_NOT_32_BIT] = "is not a 64-bit program",
		[PRELOADABLE_NOT_STATIC] =
			"is linked statically: it has no loader that could preload the checker",
		[PRELOADABLE_NOT_MUSL] = "is linked with musl; the checker needs the GNU C library",
	};
	char path[PATH_MAX];
	enum preloadable answer;

	if (!program_find(program, path, sizeof(path))) {
		if (!strchr(program, '/'))
			return refuse(program, "cannot be run: no such program in PATH");
		return refuse(program, access(program, F_OK)
					       ? "cannot be run: no such file"
					       : "cannot be run: it is not executable (chmod +x)");
	}
	answer = preloadable(path, sizeof(path));
	return answer ? refuse(path, reasons[answer]) : NULL;
}
