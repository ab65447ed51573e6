/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of captured models: their handles, the tasks that use them, the addresses of their values. */
#ifndef CHECKS_CONDITION_STATE_H
#define CHECKS_CONDITION_STATE_H

#include "checks/state/capture_state.h"

struct op_access;

#define CONDITION_BYTES 8 /* of the value */

/* What is known of a handle, together; 0 = the handle is not known. */
enum condition_fact {
	CONDITION_KNOWN = 1,
	CONDITION_USED = 2, /* a task was added for it */
	CONDITION_NO_DEFAULT = 4, /* its value is not set when the model is executed */
	CONDITION_ADDRESS_ASKED = 8, /* the program, or one of its kernels, may write the value */
	CONDITION_HOLDS = 16 /* its default is not 0, and is set when the model is executed */
};

unsigned condition_facts(struct checks *c, uint64_t handle);
/* The live model that the handle was made for, NULL = not known or gone. */
struct acl_object *condition_model(struct checks *c, uint64_t handle);

/* The same, alive or gone. */
struct acl_object *condition_owner(struct checks *c, uint64_t handle);

/* Whether the program has queried the address of any value. */
bool condition_values_known(struct checks *c);
/* A condition's value lies at the address. */
bool condition_value_at(struct checks *c, const void *address);
/* The live model of the condition whose value lies, or lay, at the address; NULL = gone. */
struct acl_object *condition_value_model(struct checks *c, const void *address);

/* The value as memory of tasks, whose addresses are those of the handle; false: it is not known where it is.
 */
bool condition_memory(struct checks *c, uint64_t handle, struct block_lookup *place);
/* The same of an access by address, and where in it; false: the access is to no value of a live model, or
 * leaves it. */
bool condition_of_access(
	struct checks *c, const struct op_access *a, struct block_lookup *place, uint64_t *start);

/* A condition of the model, or of its conditions' models, that has all of these facts and none of those; 0 =
 * none. */
uint64_t condition_with(struct checks *c, struct acl_object *root, unsigned all, unsigned none);

#endif
