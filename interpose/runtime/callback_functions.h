/* SPDX-License-Identifier: Apache-2.0 */
/* Which functions of the interface take a callback of the program, by the model. */
#ifndef INTERPOSE_CALLBACK_FUNCTIONS_H
#define INTERPOSE_CALLBACK_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "acl_api.h"

/* Per function: 1 + index of the callback parameter; and whether it launches it on a stream. */
extern uint8_t callback_parameter[ACL_API_COUNT];
extern bool callback_is_launch[ACL_API_COUNT];

void callback_functions_learn(void);

/* From here on tasks may run with a model instead of once. */
bool begins_recording(unsigned api);

/* Whether calls of this function matter to callbacks, whoever else listens. */
bool callback_matters(unsigned api);

#endif
