/* SPDX-License-Identifier: Apache-2.0 */
/* Value operations inside models. */
#ifndef SOFTNPU_VALUE_H
#define SOFTNPU_VALUE_H

#include "tools/softnpu/core/lane.h"

/* Fills in the parameters of a value task; false when op is none. */
bool value_op_params(const struct op *op, aclmdlRITaskParams *params);
/* A value task with these parameters; NULL when they are not of one, or without memory. */
struct op *value_op_new(const aclmdlRITaskParams *params);

#endif
