/* SPDX-License-Identifier: Apache-2.0 */
/* The text goes to a file beside the wanted one, which then takes its place. */
#include "tools/aclcheck/common/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool whole_file(const char *path, const char *text, size_t size)
{
	char *part = NULL;
	FILE *f;
	bool ok;

	need(asprintf(&part, "%s.part", path) < 0 ? NULL : part);
	f = fopen(part, "we");
	ok = f && fwrite(text, 1, size, f) == size;
	ok = f && !fclose(f) && ok && !rename(part, path);
	if (!ok) {
		int error = errno;

		unlink(part);
		command_say("%s: %s", path, strerror(error));
	}
	free(part);
	return ok;
}
