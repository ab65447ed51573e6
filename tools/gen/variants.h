/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one operation are alike, or say why not. */
#ifndef GEN_VARIANTS_H
#define GEN_VARIANTS_H

#include <jansson.h>

#include "model.h"

/* "differs" of a function: facts, and why they are not as in the other functions of its operation. */
void load_differs(struct function *f, const json_t *o);
/* When all functions are there. */
void check_variants(const struct model *m);

#endif
