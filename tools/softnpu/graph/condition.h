/* SPDX-License-Identifier: Apache-2.0 */
/* Conditional tasks of models. */
#ifndef SOFTNPU_CONDITION_H
#define SOFTNPU_CONDITION_H

#include "tools/softnpu/graph/model.h"

/* An execution begins: handles with a default take it. */
void conditions_begin(struct model *m);
/* Every body captured? */
bool conditions_complete(const struct model *m);
void conditions_release_model(struct model *m);

#endif
