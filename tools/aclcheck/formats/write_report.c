/* SPDX-License-Identifier: Apache-2.0 */
/* Formats by name, and writing them out. */
#include "tools/aclcheck/formats/formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

const char *report_format_names(void)
{
	static char names[128];

	if (!*names)
		for (const struct report_format *f = report_formats; f->name; f++) {
			if (*names)
				strcat(names, "|");
			strcat(names, f->name);
		}
	return names;
}

static bool write_beside(const char *path, const struct report_format *format, const json_t *report)
{
	char *temp;
	bool good;
	FILE *f;

	if (asprintf(&temp, "%s.%ld.tmp", path, (long)getpid()) < 0)
		return false;
	f = fopen(temp, "wex");
	good = f != NULL;
	if (f) {
		format->print(f, report);
		good = !ferror(f) && !fflush(f);
		good &= !fclose(f);
	}
	good = good && !rename(temp, path);
	if (!good) {
		command_say("%s: %s", path, strerror(errno));
		unlink(temp);
	}
	free(temp);
	return good;
}

bool report_write(const char *path, const struct report_format *format, const json_t *report)
{
	if (path && strcmp(path, "-"))
		return write_beside(path, format, report);
	format->print(stdout, report);
	if (fflush(stdout) || ferror(stdout)) {
		command_say("standard output: %s", strerror(errno));
		return false;
	}
	return true;
}
