/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing a program to run under libaclcheck.so. */
#ifndef TOOLS_ACLCHECK_LAUNCH_H
#define TOOLS_ACLCHECK_LAUNCH_H

#include <stdbool.h>

/* Path of a file of ours, beside the command or in the library directory; NULL when it is not there. */
char *launch_find(const char *name);

/* Path of this command. */
const char *launch_self(void);

/* Puts the library into LD_PRELOAD, keeping what stands there. False after an error was said. */
bool launch_preload(void);
/*
 * Puts the software runtime into LD_LIBRARY_PATH; devices NULL = its default;
 * cann: the one with the functions and the behaviour of a release, NULL = all
 * functions.
 */
bool launch_softnpu(const char *devices, const char *cann);

/*
 * Can this program be preloaded?  NULL, or the reason why not (static buffer).
 * Scripts are followed to their interpreter.
 */
const char *launch_refusal(const char *program);

#endif
