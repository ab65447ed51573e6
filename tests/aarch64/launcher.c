/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands where a test starts a program of the build, and starts FILE.aarch64 beside it, the other machine's
 * program, by the emulator. Linked statically, so that LD_PRELOAD, which names a library of that machine, is
 * for the program alone.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUFFIX ".aarch64"

int main(int argc, char **argv)
{
	const char *emulator = getenv("ACLCHECK_EMULATOR"), *pages = getenv("ACLCHECK_EMULATOR_PAGES");
	char path[4096], **words = calloc((size_t)argc + 8, sizeof(*words)), **word = words;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - sizeof(SUFFIX));

	if (!words || n < 0)
		return 126;
	memcpy(path + n, SUFFIX, sizeof(SUFFIX));
	*word++ = emulator ? (char *)emulator : "qemu-aarch64-static";
	if (pages) {
		*word++ = "-p";
		*word++ = (char *)pages;
	}
	*word++ = "-0";
	*word++ = argv[0];
	*word++ = path;
	for (int i = 1; i < argc; i++)
		*word++ = argv[i];
	execvp(words[0], words);
	fprintf(stderr, "launcher: %s: %s\n", words[0], strerror(errno));
	return 126;
}
