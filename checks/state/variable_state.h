/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Variables of device code, and what is alike.  The host names one by its symbol, and each device has its
 * own; the address that the runtime gives out for it is the same memory.  As memory of tasks a variable is a
 * block, whose addresses are those of the symbol.
 */
#ifndef CHECKS_VARIABLE_STATE_H
#define CHECKS_VARIABLE_STATE_H

#include "checks/engine/instance.h"
#include "checks/engine/pointer_map.h"

struct op_access;

/* false: the program did not ask for the size. */
bool variable_size(struct checks *c, const void *symbol, uint64_t *size);

/*
 * The variable that the access is to, by symbol or by address, and where in it; false: none, or its device is
 * not certain.
 */
bool variable_of_access(struct checks *c, const struct acl_call_record *call, const struct op_access *a,
	struct block_lookup *place, uint64_t *start);

/* The variable that the address lies in, which goes from the address of its first byte; false: none, or its
 * size is not known. */
bool variable_around(struct checks *c, const struct acl_call_record *call, const void *address,
	struct block_lookup *place);

/* A condition's value, whose addresses are those of the handle; false: there are too many. */
bool variable_of_condition(
	struct checks *c, const void *handle, uint64_t size, int device, struct block_lookup *place);

/* Whether addresses of variables were given out. */
bool variables_have_addresses(struct checks *c);
/* Of a symbol, or of a binary that is loaded. */
bool is_address_of_variable(struct checks *c, const void *address);
/* For which devices a symbol's address was given out: bit n: for device n; 0: none. */
uint64_t variable_devices(struct checks *c, const void *address, struct block_lookup *place);

#endif
