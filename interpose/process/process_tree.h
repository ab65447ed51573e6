/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs started without the checker.  Under "aclcheck run" each process
 * notes those it starts itself, before it does: however short they live, the
 * command has a note of them and looks whether they can reach a runtime.
 *
 * A note is four strings with their NULs, in one write: process id, absolute
 * path, LD_LIBRARY_PATH, and why ("environment" or "program").
 */
#ifndef INTERPOSE_PROCESS_TREE_H
#define INTERPOSE_PROCESS_TREE_H

#include <stdbool.h>

#define PROCESS_TREE_FIELDS 4

/* From the constructor: keeps the path of the notes. */
void process_tree_early(void);

/*
 * Before an exec or spawn, also in a signal handler or a vfork child.  search:
 * as execvp does.  argv shows what a shell is going to run ("-c COMMAND").  envp
 * NULL: the process' own environment.  errno is kept.
 */
void process_tree_note(const char *program, bool search, char *const argv[], char *const envp[]);

#endif
