/* SPDX-License-Identifier: Apache-2.0 */
/* Who this process is: host, rank, job; and paths made from that. */
#ifndef INTERPOSE_JOB_IDENTITY_H
#define INTERPOSE_JOB_IDENTITY_H

#include <stdint.h>

#include "interpose/common/text.h"

/* Rank among the processes of a parallel job as the launcher says it, -1 when there is none. */
int identity_rank(void);
/* How many ranks there are; 0 = not known. */
int identity_ranks(void);
uint32_t identity_pid(void);
uint32_t identity_ppid(void);
const char *identity_host(void);
/* Seconds since 1970, as the process has it: at a replay, of what was recorded last. */
int64_t identity_time(void);

/* Processes with the same job word belong to one run: the setting, else host, session and process group. */
void identity_job(struct text *t);

/*
 * "[rank 3] ", or "[pid 4711] " below another process of aclcheck run: tells
 * apart what several processes write to one terminal. Nothing for the only one.
 */
void identity_tag(struct text *t);

/* %p %h %r of a path pattern; %% is a percent sign. A rank that is unknown becomes the process id. */
void identity_expand(struct text *t, const char *pattern);

/* The program's own command line, NUL between arguments, cut at cap; its length. */
size_t identity_argv(char *out, size_t cap);

#endif
