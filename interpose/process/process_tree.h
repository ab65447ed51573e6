/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process notes for the "aclcheck run" it belongs to: the programs it starts that the checker may not
 * see, before it starts them, and that it has joined the run itself.  However short a process lives, the
 * command has its notes.
 *
 * A note is five strings with their NULs, in one write: process id, absolute path, LD_LIBRARY_PATH, what it
 * says, and the name space of the process id.
 */
#ifndef INTERPOSE_PROCESS_TREE_H
#define INTERPOSE_PROCESS_TREE_H

#include <stdbool.h>

#define PROCESS_TREE_FIELDS 5
#define PROCESS_TREE_ENVIRONMENT "environment" /* a program is started without our preload */
#define PROCESS_TREE_PROGRAM "program" /* one that the loader does not preload into */
#define PROCESS_TREE_PRELOADED "preloaded" /* with our preload, but without the run's variables */
#define PROCESS_TREE_OTHER_RUN "other-run" /* with our preload and the variables of another run */
#define PROCESS_TREE_LOADER "loader" /* the loader shows what a program needs (ldd) */
#define PROCESS_TREE_RUN "run" /* a run inside the run, by the command itself: it will leave a report */
#define PROCESS_TREE_JOINED "joined" /* this process uses a runtime, and reports to the run */
#define PROCESS_TREE_FOUND "found" /* the same, and it had to ask its ancestors for the run */

/*
 * Before an exec or spawn, also in a signal handler or a vfork child.  search:
 * as execvp does.  argv shows what a shell is going to run ("-c COMMAND").  envp
 * NULL: none, as the kernel takes it.  errno is kept.
 */
void process_tree_note(const char *program, bool search, char *const argv[], char *const envp[]);
/* The program is named as execveat does. */
void process_tree_note_at(int fd, const char *file, char *const argv[], char *const envp[]);

/* The process has the run's directory, and looks for a runtime. */
void process_tree_joined(void);

#endif
