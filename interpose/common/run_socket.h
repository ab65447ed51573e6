/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a process finds the "aclcheck run" it is below when its environment says nothing (env -i, sudo, tox):
 * the command has a socket without a place in the file system, named by its process id, and a process asks
 * its ancestors one after the other.  As the command is the subreaper of all below, an orphan's ancestor is
 * it.
 *
 * An answer is strings with their NULs: a setting's word, its value, and so on.
 */
#ifndef INTERPOSE_RUN_SOCKET_H
#define INTERPOSE_RUN_SOCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

#define RUN_ANSWER_MAX 12288
#define RUN_JOB "run-" /* how the name of a run's job begins */
/* In the run's directory: a process' report, and what the processes of a machine note. */
#define RUN_REPORT "%h-%p.json"
#define RUN_NOTES "%h.notes"

/* The socket's address of a command; its length, 0 = there is no /proc. */
socklen_t run_socket_address(pid_t command, struct sockaddr_un *address);
/* "pid:[4026531836]": process ids mean the same where this is the same; "" = there is no /proc. */
void run_pid_namespace(char *out, size_t size);

/* Length of the nearest ancestor's answer, 0 = there is no run above. Waits for a command that is busy, but
 * not long. errno is kept. */
size_t run_ask(char *answer, size_t size);
/* The value of a word, NULL = the answer has none. */
const char *run_answer_get(const char *answer, size_t size, const char *word);

#endif
