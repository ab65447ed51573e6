/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The configuration file given to aclInit.  Only its hash and two names in it are
 * asked for: it is searched and not parsed, since a parser would have to be
 * opened in the middle of a call of the program.
 */
#include "interpose/config/acl_json.h"

#include <stdlib.h>
#include <string.h>

#include "interpose/common/file_status.h"
#include "interpose/common/read_file.h"

#define MAX_SIZE (1u << 20)

static uint64_t hash_of(const char *text, size_t size)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
	return hash;
}

/* The number of "name": 123 or "name": "123" behind a section's name, 0 when there is none. */
static uint64_t number_in(const char *text, const char *section, const char *name)
{
	const char *at = strstr(text, section);

	at = at ? strstr(at, name) : NULL;
	if (!at)
		return 0;
	at += strlen(name);
	at += strspn(at, " \t\r\n:\"");
	return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : 0;
}

bool init_config_read(const char *path, struct checks_init_config *out)
{
	const char *section;
	struct stat st;
	size_t size;
	char *text;

	/* To open a pipe and close it would end the writer that waits for a reader. */
	if (filestat_path(path, &st) || !S_ISREG(st.st_mode))
		return false;
	text = read_file(path, MAX_SIZE, &size);
	if (!text)
		return false;
	section = strstr(text, "\"defaultDevice\"");
	out->hash = hash_of(text, size);
	out->trivial = text[strspn(text, " \t\r\n{}")] == '\0';
	out->default_device = section && strstr(section, "\"default_device\"");
	out->stack = number_in(text, "\"StackSize\"", "\"aicore_stack_size\"");
	read_file_free(text, size);
	return true;
}
