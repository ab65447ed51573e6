/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that the checked process did not find itself: looked up here, where libdw may be used. */
#ifndef TOOLS_ACLCHECK_LINES_LATER_H
#define TOOLS_ACLCHECK_LINES_LATER_H

#include <jansson.h>

/* Gives file and line to the frames of a report that have a build-id and an offset instead. */
void lines_later(json_t *report);

#endif
