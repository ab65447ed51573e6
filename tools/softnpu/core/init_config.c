/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading aclInit's configuration.  jansson is opened only when there is a file
 * and privately, so that it never meets another JSON library of the program;
 * without it the content is taken unchecked.
 */
#include "tools/softnpu/core/init_config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#define DEPTH 10 /* of objects, and of arrays, in a file */

static uint64_t hash(const char *text, size_t size)
{
	uint64_t h = 14695981039346656037u;

	while (size--)
		h = (h ^ (unsigned char)*text++) * 1099511628211u;
	return h;
}

static bool read_file(const char *path, struct init_config *c)
{
	FILE *f = fopen(path, "re");
	FILE *copy;
	char part[4096];
	size_t n;

	if (!f)
		return false;
	copy = open_memstream(&c->text, &c->size);
	while (copy && (n = fread(part, 1, sizeof(part), f)))
		fwrite(part, 1, n, copy);
	n = (size_t)ferror(f);
	fclose(f);
	return copy && !fclose(copy) && !n;
}

/* The functions of jansson in use; its inline helpers need more. */
static struct {
	__typeof__(json_loadb) *loadb;
	__typeof__(json_delete) *delete;
	__typeof__(json_object_get) *object_get;
	__typeof__(json_string_value) *string_value;
} json;

static bool json_open(void)
{
	void *lib = dlopen("libjansson.so.4", RTLD_NOW | RTLD_LOCAL);

	if (!lib)
		return false;
	json.loadb = dlsym(lib, "json_loadb");
	json.delete = dlsym(lib, "json_delete");
	json.object_get = dlsym(lib, "json_object_get");
	json.string_value = dlsym(lib, "json_string_value");
	return json.loadb && json.delete &&json.object_get && json.string_value;
}

static bool parse(struct init_config *c)
{
	json_t *root, *value;
	const char *text;

	root = json.loadb(c->text, c->size, 0, NULL);
	if (!root)
		return false;
	value = json.object_get(json.object_get(root, "defaultDevice"), "default_device");
	text = json.string_value(value);
	if (text)
		c->default_device = atoi(text);
	if (--root->refcount == 0)
		json.delete(root);
	return true;
}

/* Brackets are counted as they stand, in texts as well. */
static bool nested_too_deep(const struct init_config *c, char opens, char closes)
{
	size_t depth = 0;

	for (size_t i = 0; i < c->size && c->text[i]; i++) {
		if (c->text[i] == opens && ++depth > DEPTH)
			return true;
		if (c->text[i] == closes && depth)
			depth--;
	}
	return false;
}

aclError init_config_read(const char *path, struct init_config *c)
{
	memset(c, 0, sizeof(*c));
	c->default_device = -1;
	if (path && *path && !read_file(path, c))
		return npu_err(ACL_ERROR_INVALID_FILE, "cannot read %s", path);
	c->hash = hash(c->text, c->size);
	return ACL_SUCCESS;
}

aclError init_config_parse(struct init_config *c)
{
	if (nested_too_deep(c, '{', '}') || nested_too_deep(c, '[', ']'))
		return npu_err(ACL_ERROR_PARSE_FILE, "the configuration is nested too deep");
	if (c->size && json_open() && !parse(c))
		return npu_err(ACL_ERROR_PARSE_FILE, "the configuration is no JSON");
	return ACL_SUCCESS;
}
