/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tool's own short-lived descriptors.  They are never 0, 1 or 2: where the
 * program has closed one of those, whatever it still writes there must fail as
 * it would without us, and not end up in our file.
 */
#ifndef INTERPOSE_TOOL_OPEN_H
#define INTERPOSE_TOOL_OPEN_H

#include <sys/types.h>

/* open(2) with O_CLOEXEC; no allocation, no lock, usable in signal handlers and vfork children. */
int tool_open(const char *path, int flags, mode_t mode);

/* socket(2) likewise. */
int tool_socket(int domain, int type, int protocol);

#endif
