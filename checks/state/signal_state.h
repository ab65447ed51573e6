/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that may show progress on ways the checker does not see. */
#ifndef CHECKS_SIGNAL_STATE_H
#define CHECKS_SIGNAL_STATE_H

#include "checks/engine/instance.h"

/*
 * Whether the host certainly has not learnt that the task is done: neither
 * by what we follow nor by a signal we do not.
 */
bool task_surely_pending(struct checks *c, struct acl_object *stream, uint64_t position);

/* A callback that has run, or a word that may have been read, may have informed the program that the task is
 * done. */
bool host_may_be_informed(struct checks *c, struct acl_object *stream, uint64_t position);

/* The model, which is no part of another one, gets a task that writes the word. */
void model_writes_word(struct checks *c, struct acl_object *model, const void *word);

/* The call launches a kernel that runs with a model. */
void kernel_joins_model(struct checks *c, const struct acl_call_record *call);

/* A kernel is given these, some of which may be addresses. */
void words_given(struct checks *c, const uint64_t *words, unsigned n);

#endif
