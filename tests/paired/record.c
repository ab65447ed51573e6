/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of text, compared with a file or written into it. */
#include <stdio.h>
#include <string.h>

#include "paired.h"
#include "tests/checks/fixture.h"
#include "tests/paired/record.h"

static char *file_read(const char *path)
{
	FILE *file = fopen(path, "r");
	long size = 0;
	char *all;

	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	all = calloc(1, (size_t)size + 1);
	assert_non_null(all);
	if (file) {
		rewind(file);
		assert_int_equal(fread(all, 1, (size_t)size, file), size);
		fclose(file);
	}
	return all;
}

void record_path(char path[512], const char *program, const char *ending)
{
	const char *source = getenv("ACLCHECK_SOURCE"), *slash = strrchr(program, '/');

	snprintf(path, 512, "%s/tests/paired/%s.%s", source ? source : ".", slash ? slash + 1 : program,
		ending);
}

void record_open(struct record *r, const char *program, const char *ending, bool writing)
{
	memset(r, 0, sizeof(*r));
	record_path(r->path, program, ending);
	r->writing = writing;
	r->want = file_read(r->path);
}

void record_add(struct record *r, const char *format, ...)
{
	va_list ap;
	char *line = NULL;
	int n;

	va_start(ap, format);
	n = vasprintf(&line, format, ap);
	va_end(ap);
	assert_true(n >= 0);
	r->text = realloc(r->text, r->length + (size_t)n + 1);
	assert_non_null(r->text);
	memcpy(r->text + r->length, line, (size_t)n + 1);
	r->length += (size_t)n;
	free(line);
}

/* One scenario may be there twice, for two targets or with other arguments: they are numbered. */
void record_block(struct record *r, const struct pair *t)
{
	char line[160];
	unsigned before = 0;

	snprintf(line, sizeof(line), "%s: %s", t->rule, t->name ? t->name : acl_apis[t->api].name);
	for (const char *p = r->text; p && (p = strstr(p, line)) != NULL; p++)
		before += (p == r->text || p[-1] == '\n') && strchr("\n ", p[strlen(line)]) != NULL;
	r->start = r->length;
	r->blocks++;
	if (before)
		record_add(r, "%s (%u)\n", line, before + 1);
	else
		record_add(r, "%s\n", line);
}

/* The block with the same first line; "" when there is none. */
static const char *block_find(const struct record *r, size_t *bytes)
{
	const char *mine = r->text + r->start, *at = r->want, *end;
	size_t title = strcspn(mine, "\n") + 1;

	*bytes = 0;
	while (*at && strncmp(at, mine, title) != 0) {
		at = strstr(at, "\n\n");
		if (!at)
			return "";
		at += 2;
	}
	end = strstr(at, "\n\n");
	*bytes = end ? (size_t)(end + 2 - at) : strlen(at);
	return at;
}

bool record_compare(struct record *r)
{
	const char *want;
	size_t bytes;

	record_add(r, "\n");
	if (r->writing)
		return true;
	want = block_find(r, &bytes);
	if (bytes == r->length - r->start && !memcmp(want, r->text + r->start, bytes))
		return true;
	print_message("# %s (make findings writes it anew) says:\n%.*s# and it is:\n%s", r->path, (int)bytes,
		want, r->text + r->start);
	return false;
}

bool record_close(struct record *r)
{
	unsigned blocks = 0;
	FILE *file;
	bool good;

	if (!r->writing) {
		for (const char *p = r->want; (p = strstr(p, "\n\n")) != NULL; p++)
			blocks++;
		if (blocks != r->blocks)
			print_message("# %s holds %u scenarios, %u ran\n", r->path, blocks, r->blocks);
		return blocks == r->blocks;
	}
	file = fopen(r->path, "w");
	good = file && fwrite(r->text, 1, r->length, file) == r->length;
	if (file && fclose(file))
		good = false;
	return good;
}
