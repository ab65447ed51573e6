/* SPDX-License-Identifier: Apache-2.0 */
/* Counts executable mappings of files with the runtime's name. */
#include "interpose/runtime/runtime_copies.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interpose/common/tool_open.h"
#include "interpose/common/text.h"

#define LINE_MAX_BYTES 8192

struct mapping {
	uint64_t start, end, offset;
	bool executable;
	const char *path; /* "" = none */
};

/* "start-end perms offset dev inode path" */
static void read_line(char *line, struct mapping *m)
{
	char *at = line;

	m->start = strtoull(at, &at, 16);
	m->end = strtoull(at + (*at == '-'), &at, 16);
	at += strspn(at, " ");
	m->executable = strlen(at) > 2 && at[2] == 'x';
	at += strcspn(at, " ");
	m->offset = strtoull(at, &at, 16);
	for (int i = 0; i < 2; i++) {
		at += strspn(at, " ");
		at += strcspn(at, " ");
	}
	m->path = at + strspn(at, " ");
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Calls look for each mapping; false = the map cannot be read. */
static bool each_mapping(bool (*look)(void *context, const struct mapping *m), void *context)
{
	static char buffer[LINE_MAX_BYTES];
	size_t have = 0;
	ssize_t n;
	int fd = tool_open("/proc/self/maps", O_RDONLY, 0);

	while (fd >= 0 && (n = read(fd, buffer + have, sizeof(buffer) - 1 - have)) > 0) {
		char *line = buffer, *end;

		have += (size_t)n;
		buffer[have] = '\0';
		while ((end = strchr(line, '\n'))) {
			struct mapping m;

			*end = '\0';
			read_line(line, &m);
			if (look(context, &m)) {
				close(fd);
				return true;
			}
			line = end + 1;
		}
		have -= (size_t)(line - buffer);
		memmove(buffer, line, have);
	}
	if (fd >= 0)
		close(fd);
	return false;
}

struct search {
	uint64_t address, start, offset;
	char name[256], *path;
	size_t cap;
};

static bool look_for_first(void *context, const struct mapping *m)
{
	struct search *s = context;
	struct text t;

	if (s->address < m->start || s->address >= m->end || *m->path != '/')
		return false;
	s->start = m->start;
	s->offset = m->offset;
	text_init(&t, s->name, sizeof(s->name));
	text_str(&t, base_name(m->path));
	return !t.cut;
}

static bool look_for_other(void *context, const struct mapping *m)
{
	struct search *s = context;
	struct text t;

	if (!m->executable || m->start == s->start || strcmp(base_name(m->path), s->name))
		return false;
	/* Code whose protection was changed is several mappings of one copy. */
	if (m->offset > s->offset && m->start - s->start == m->offset - s->offset)
		return false;
	if (m->offset < s->offset && s->start - m->start == s->offset - m->offset)
		return false;
	text_init(&t, s->path, s->cap);
	text_str(&t, m->path);
	return true;
}

bool runtime_copy_find(uint64_t address, char *path, size_t cap)
{
	struct search s = {.address = address, .path = path, .cap = cap};

	return each_mapping(look_for_first, &s) && each_mapping(look_for_other, &s);
}
