/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A word to the "aclcheck run" above when files fail: a process that dropped
 * its rights, or whose directory is gone or full, cannot leave a report.
 * Datagrams to a socket without a place in the file system, named by the job; from another network name space
 * to one in /tmp. A process that has no descriptor left for a socket leaves a symbolic link in the run's
 * directory, whose target is what it says. Where none of these is to be seen, by a name that the thread takes
 * for a moment: the command finds it in the kernel's records, if it has these.
 */
#ifndef INTERPOSE_NOTIFY_PARENT_H
#define INTERPOSE_NOTIFY_PARENT_H

#include <sys/socket.h>
#include <sys/un.h>

#define NOTIFY_MAX 512

/* The socket's address; its length, 0 when the job is none of "aclcheck run". */
socklen_t notify_address(const char *job, struct sockaddr_un *address);
/* The same of the one in /tmp. */
socklen_t notify_address_tmp(const char *job, struct sockaddr_un *address);
#define NOTIFY_SUFFIX ".notice" /* of links */

/* directory: of the run, "" = it is in none. Nothing waits and nothing fails. errno is kept. */
void notify_parent(const char *job, const char *directory, const char *line);

/* Of a thread: this process cannot reach the command. */
#define NOTIFY_NAME "aclcheck-alone"

/* errno is kept. */
void notify_by_name(void);

#endif
