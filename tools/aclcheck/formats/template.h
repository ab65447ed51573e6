/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages from template files.  In a template
 *	{{name}}		is the value of a name, escaped for HTML;
 *	{{#name}} … {{/name}}	stands once for each element of a list, once for anything else that is not
 *				empty (false, 0, "" and [] are), whose members are the nearest names inside;
 *	{{^name}} … {{/name}}	stands where that is empty;
 *	{{.}}			is the element itself;
 *	{{>name}}		is another file as it is (style, script);
 *	{{! … }}		is a comment.
 */
#ifndef TOOLS_ACLCHECK_TEMPLATE_H
#define TOOLS_ACLCHECK_TEMPLATE_H

#include <jansson.h>
#include <stdio.h>

/* A file that is part of the command. */
struct template_part {
	const char *name, *begin, *end;
};

/* parts: ended by a NULL name. */
void template_fill(
	FILE *to, const struct template_part *page, const struct template_part *parts, const json_t *values);

#endif
