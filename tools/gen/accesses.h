/* SPDX-License-Identifier: Apache-2.0 */
/* Loads what a call does with the memory behind its pointers; each pointer parameter must say it. */
#ifndef GEN_ACCESSES_H
#define GEN_ACCESSES_H

#include <jansson.h>

#include "model.h"

/* Keys of a parameter that belong to its access. */
#define ACCESS_KEYS "access", "memory", "extent", "bytes", "rows", "pitch", "offset", "each"

/* The parameter that the entry of p names, or -1. */
int param_operand(const struct function *f, const struct param *p, const json_t *o, const char *key);
void load_param_access(const struct function *f, struct param *p, const json_t *o);
/* When all parameters of a wrapped function are there. */
void check_accesses(const struct function *f);

#endif
