/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walking JSON text without building a tree: merging thousands of reports is
 * mostly skipping findings that are known already.  What is skipped is checked
 * for its brackets and quotes only; what is kept is parsed by jansson.
 */
#ifndef TOOLS_ACLCHECK_SCAN_H
#define TOOLS_ACLCHECK_SCAN_H

#include <stdbool.h>
#include <stddef.h>

struct span {
	const char *at, *end;
};

/* Calls back for each member or element until one returns false. False: not a well-formed object or array. */
typedef bool (*scan_member_fn)(void *context, struct span key, struct span value);
typedef bool (*scan_element_fn)(void *context, struct span value);
bool scan_object(struct span text, scan_member_fn member, void *context);
bool scan_array(struct span text, scan_element_fn element, void *context);

/* Key without escapes equals the word? */
bool span_is(struct span s, const char *word);
/* The inside of a string value; false when it is none. Escapes stay as they are. */
bool span_string(struct span value, struct span *inside);
/* First character that is no white space. */
struct span span_trim(struct span s);

#endif
