/* SPDX-License-Identifier: Apache-2.0 */
/* What processes below said that could not leave a report (interpose/common/notify_parent.h). */
#ifndef TOOLS_ACLCHECK_TOLD_H
#define TOOLS_ACLCHECK_TOLD_H

#include <stdbool.h>
#include <stddef.h>

/* Before the program starts; -1 when there is no such socket to be had. */
int told_open(const char *job);
/* The first thing said; closes it. False: nobody said anything. */
bool told_close(int fd, char *line, size_t size);

#endif
