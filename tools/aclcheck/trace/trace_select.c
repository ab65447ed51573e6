/* SPDX-License-Identifier: Apache-2.0 */
/* Which events a recording enables: all, classes of the model, or a glob. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aclcheck/model.h"
#include "tools/aclcheck/trace/trace.h"

#define CLASSES (__builtin_ctz(ACL_CLASS_MISC) + 1u)

/* Bits of "memory,stream"; 0 and the word that is none. */
static uint32_t class_bits(const char *words, char *why, size_t why_size)
{
	char *copy = strdup(words), *save = NULL;
	uint32_t bits = 0;

	for (char *word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		unsigned bit = 0;

		while (bit < CLASSES && strcmp(acl_class_names[bit], word) != 0)
			bit++;
		if (bit == CLASSES) {
			snprintf(why, why_size, "no class of functions is called \"%s\"; there are:", word);
			for (unsigned i = 0; i < CLASSES; i++)
				snprintf(
					why + strlen(why), why_size - strlen(why), " %s", acl_class_names[i]);
			free(copy);
			return 0;
		}
		bits |= 1u << bit;
	}
	free(copy);
	if (!bits)
		snprintf(why, why_size, "--class names no class");
	return bits;
}

static char *select_functions(const struct trace_selection *s, uint32_t classes)
{
	char *list = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&list, &size);

	for (unsigned i = 0; i < acl_api_count; i++) {
		const struct acl_api_info *a = &acl_apis[i];

		if (classes && !(a->classes & classes))
			continue;
		if (s->events && fnmatch(s->events, a->name, 0))
			continue;
		if (s->one_event)
			fprintf(f, "acl_call:%s,", a->name);
		else
			fprintf(f, "acl:%s_entry,acl:%s_exit,", a->name, a->name);
	}
	fclose(f);
	return list;
}

char *trace_select(const struct trace_selection *s, char *why, size_t why_size)
{
	uint32_t classes = s->classes ? class_bits(s->classes, why, why_size) : 0;
	char *list;

	if (s->classes && !classes)
		return NULL;
	if (!s->classes && !s->events)
		return strdup(s->one_event ? "acl_call:*" : "acl:*");
	if (s->events && strchr(s->events, ':'))
		return strdup(s->events);
	list = select_functions(s, classes);
	if (!*list) {
		snprintf(why, why_size, "no function matches \"%s\"", s->events);
		free(list);
		return NULL;
	}
	list[strlen(list) - 1] = 0;
	return list;
}
