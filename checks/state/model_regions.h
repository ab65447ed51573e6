/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which captured models may have tasks at an address: so a task asks only a few of many models that may run.
 * A model is a bit, by its number; 64 of them have bits of their own.
 */
#ifndef CHECKS_MODEL_REGIONS_H
#define CHECKS_MODEL_REGIONS_H

#include "checks/engine/objects.h"

static inline uint64_t model_bit(acl_ref model)
{
	return UINT64_C(1) << (model >> 32) % 64;
}

/* A task of the model touches these bytes. */
void model_regions_add(struct checks *c, acl_ref model, uint64_t start, uint64_t end);
/* The bits of all models that may have tasks there, and perhaps of others. */
uint64_t models_at(struct checks *c, uint64_t start, uint64_t end);
/* The bits of all models that may have tasks at bytes that tasks of this one touch, its own if it has any,
 * and perhaps of others. */
uint64_t models_beside(struct checks *c, acl_ref model);
/* One model more has accesses (1), or one less (-1): behind the last one no bit is left. */
void model_regions_count(struct checks *c, int by);

#endif
