/* SPDX-License-Identifier: Apache-2.0 */
/* Formats by name, and writing them out. */
#include "tools/aclcheck/formats/formats.h"

#include <errno.h>
#include <string.h>

#include "tools/aclcheck/common/command.h"

const struct report_format *report_format_find(const char *name)
{
	for (const struct report_format *f = report_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

int report_format_unknown(const char *name)
{
	struct suggestion s;

	suggest_begin(&s, name);
	for (const struct report_format *f = report_formats; f->name; f++)
		suggest(&s, f->name);
	return command_misuse("unknown format '%s'%s: %s", name, suggest_text(&s), report_format_names());
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

bool report_flushed(FILE *to)
{
	if (!fflush(to) && !ferror(to))
		return true;
	command_say("%s: %s", to == stdout ? "standard output" : "standard error", strerror(errno));
	return false;
}

bool report_write(const char *path, const struct report_format *format, const json_t *report)
{
	if (path && strcmp(path, "-")) {
		struct whole_file w;

		if (!whole_file_begin(&w, path))
			return false;
		format->print(w.f, report);
		return whole_file_end(&w);
	}
	format->print(stdout, report);
	return report_flushed(stdout);
}
