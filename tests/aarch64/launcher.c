/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands where a test starts a program of the build, and starts the other machine's program of the same path
 * below ROOT (mirror, compile) by the emulator. What that program opens is looked for below ROOT first, so
 * that it finds programs of its machine where it starts launchers. Linked statically, so that LD_PRELOAD,
 * which names a library of that machine, is for the program alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *with_large_pages(void)
{
	const char *preloaded = getenv("LD_PRELOAD");
	char *word;

	return asprintf(&word, "LD_PRELOAD=" LARGE_PAGES ":%s", preloaded ? preloaded : "") < 0 ? NULL : word;
}

int main(int argc, char **argv)
{
	const char *emulator = getenv("TEST_EMULATOR"), *pages = getenv("TEST_EMULATOR_PAGES");
	char path[8192] = ROOT, **words = calloc((size_t)argc + 11, sizeof(*words)), **word = words;
	const size_t root = strlen(ROOT);
	ssize_t n = readlink("/proc/self/exe", path + root, sizeof(path) - root - 1);

	if (!words || n < 0)
		return 126;
	path[root + (size_t)n] = '\0';
	*word++ = emulator ? (char *)emulator : "qemu-aarch64-static";
	if (pages) {
		*word++ = "-p";
		*word++ = (char *)pages;
		*word++ = "-E";
		*word++ = with_large_pages();
	}
	*word++ = "-L";
	*word++ = ROOT;
	*word++ = "-0";
	*word++ = argv[0];
	*word++ = path;
	for (int i = 1; i < argc; i++)
		*word++ = argv[i];
	execvp(words[0], words);
	fprintf(stderr, "launcher: %s: %s\n", words[0], strerror(errno));
	return 126;
}
