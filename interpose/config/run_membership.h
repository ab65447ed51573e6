/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "aclcheck run" this process belongs to: the environment names it, else an ancestor answers.  Then there
 * is a report for the run, whatever report the environment asks for.
 */
#ifndef INTERPOSE_RUN_MEMBERSHIP_H
#define INTERPOSE_RUN_MEMBERSHIP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Absolute path of the directory for the run's reports and notes; "" = the process is in no run.  What the
 * environment does not say is asked for at the first call.  run_directory_given() asks no process; the
 * constructor calls it, before the program changes its environment.
 */
const char *run_directory(void);
const char *run_directory_given(void);
/* The run's job; "" = none. */
const char *run_job(void);
/* The environment did not name it. */
bool run_was_found(void);
/* Calls back for each setting of an answer; none when the environment named the run. */
void run_each_setting(void (*fn)(const char *where, const char *word, const char *value));

/* In the child after fork: a thread of the parent may have been asking. */
void run_membership_forked(void);

#endif
