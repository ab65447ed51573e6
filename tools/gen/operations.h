/* SPDX-License-Identifier: Apache-2.0 */
/* Loads what the functions of the model do: sections "roles", "traits" and "operations", and the words of
 * each function. */
#ifndef GEN_OPERATIONS_H
#define GEN_OPERATIONS_H

#include <jansson.h>

#include "model.h"

/* Before the functions are read: the words they may use. */
void load_operations(struct model *m, json_t *root);
/* "operation" and "trait" of a wrapped function. */
void load_function_operation(struct model *m, struct function *f, const json_t *o);
/* "role" of a parameter, or its name in the spelling of a role. */
void load_param_role(const struct model *m, struct param *p, const json_t *o);
/* When all functions are there: each operation has functions, which agree on its roles; no word is left over.
 */
void check_operations(struct model *m);

#endif
