/* SPDX-License-Identifier: Apache-2.0 */
/* The preferences of Trace Compass, a file of Java's properties: one key names the analyses it loads. */
#include "tools/aclcheck/trace/compass_workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/aclcheck/common/command.h"

#define KEY "enabled_files"

/* Eclipse holds a record lock on this file for as long as it runs; the file itself stays. */
pid_t compass_running(const char *workspace)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char *path = NULL;
	int fd;

	need(asprintf(&path, "%s/" COMPASS_METADATA "/.lock", workspace) < 0 ? NULL : path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	free(path);
	if (fd < 0)
		return 0;
	if (fcntl(fd, F_GETLK, &lock))
		lock.l_type = F_UNLCK;
	close(fd);
	return lock.l_type == F_UNLCK ? 0 : lock.l_pid;
}

/* The whole file; NULL = it is not there, or could not be read: errno. */
static char *content_of(const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f)
		return NULL;
	n = getdelim(&text, &size, 0, f);
	if (n < 0 && feof(f)) {
		free(text);
		text = need(strdup(""));
	} else if (n < 0 || !text[n - 1]) {
		/* What stands behind a NUL would be lost. */
		errno = n < 0 ? errno : EINVAL;
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Where a line with all that continues it ends; nothing continues a comment. */
static char *line_end(char *p)
{
	bool comment = strchr("#!", p[strspn(p, " \t\f")]);

	for (;;) {
		p += strcspn(p, "\\\r\n");
		if (*p != '\\')
			return p;
		p++;
		if (comment)
			continue;
		if (p[0] == '\r' && p[1] == '\n')
			p++;
		if (*p)
			p++;
	}
}

/* The value in a line of our key, NULL = a line of something else. */
static char *value_in(char *line)
{
	line += strspn(line, " \t\f");
	if (strncmp(line, KEY, strlen(KEY)) || !strchr(" \t\f=:\r\n", line[strlen(KEY)]))
		return NULL;
	line += strlen(KEY);
	line += strspn(line, " \t\f");
	line += *line && strchr("=:", *line);
	return line + strspn(line, " \t\f");
}

/* Of several lines with one key Java takes the last. */
static char *value_of(char *text)
{
	char *found = NULL;

	for (char *p = text; *p; p = line_end(p), p += strspn(p, "\r\n")) {
		char *value = value_in(p);

		if (value)
			found = value;
	}
	return found;
}

static bool named(const char *value, const char *end, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = strstr(value, name); p && p + n <= end; p = strstr(p + 1, name))
		if ((p == value || strchr("; \t\f", p[-1])) && (p + n == end || p[n] == ';'))
			return true;
	return false;
}

/* The text with the names that its value lacks; a text without the key gets it as its first line. */
static char *with_names(char *text, const char *const *names, unsigned n)
{
	char *value = value_of(text), *end = value ? line_end(value) : text, *result = NULL;
	bool first = !value || value == end;
	size_t size;
	FILE *f = need(open_memstream(&result, &size));

	fwrite(text, 1, (size_t)(end - text), f);
	if (!value)
		fputs(KEY "=", f);
	for (unsigned i = 0; i < n; i++) {
		if (value && named(value, end, names[i]))
			continue;
		fprintf(f, "%s%s", first ? "" : ";", names[i]);
		first = false;
	}
	fprintf(f, "%s%s", value ? "" : "\n", end);
	fclose(f);
	return need(result);
}

bool compass_enable(const char *preferences, const char *const *names, unsigned n)
{
	char *text = content_of(preferences), *wanted;
	bool ok = true;

	if (!text && errno != ENOENT) {
		command_say("%s: %s", preferences, strerror(errno));
		return false;
	}
	wanted = with_names(text ? text : (char[]){"eclipse.preferences.version=1\n"}, names, n);
	if (!text || strcmp(text, wanted))
		ok = whole_file(preferences, wanted, strlen(wanted));
	free(text);
	free(wanted);
	return ok;
}
