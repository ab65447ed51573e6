/* SPDX-License-Identifier: Apache-2.0 */
/* State of kernel binaries and of the functions in them (binary_state.c). */
#ifndef CHECKS_BINARY_STATE_H
#define CHECKS_BINARY_STATE_H

#include "checks/engine/instance.h"

enum binary_flag {
	BINARY_OPTIONS = 1u << 0, /* loaded with options */
	BINARY_LAZY = 1u << 1,
	BINARY_CPU = 1u << 2, /* for the AI CPU */
	BINARY_REGISTERED = 1u << 3 /* aclrtRegisterCpuFunc was called for it */
};

#define BINARY_LAUNCHES 4 /* streams remembered; the oldest is forgotten */

struct binary_state {
	_Atomic uint64_t flags; /* enum binary_flag */
	struct binary_launch {
		_Atomic uint64_t stream, position; /* acl_ref, position of the last launch on it */
	} launches[BINARY_LAUNCHES];
	_Atomic uint64_t launched; /* slots ever taken */
};

static inline struct binary_state *binary_state(struct acl_object *o)
{
	return object_extra(o);
}

/* What aclrtCreateBinary described. */
struct binary_desc_state {
	_Atomic uint64_t data; /* block_ref of its data, 0 = not in memory we know */
};

static inline struct binary_desc_state *binary_desc_state(struct acl_object *o)
{
	return object_extra(o);
}

#define FUNCTION_ANYWHERE UINT64_MAX

struct function_state {
	_Atomic uint64_t binary; /* acl_ref, 0 = unknown */
	_Atomic uint64_t devices; /* bit d: loaded or fetched on device d; FUNCTION_ANYWHERE = not known */
	_Atomic uint64_t name; /* key of its name, 0 = not known */
	_Atomic uint64_t params; /* 1 + number of parameters, 0 = not asked */
	_Atomic uint64_t args_size, handle_size; /* least ever answered, 0 = not asked */
};

static inline struct function_state *function_state(struct acl_object *o)
{
	return object_extra(o);
}

/* The function that a launch, or any other call, names first; NULL when nothing is known of it. */
struct acl_object *function_of(struct checks *c, const struct acl_call_record *call);
/* Its binary, NULL when unknown or unloaded. */
static inline struct acl_object *binary_of(struct checks *c, struct acl_object *function)
{
	struct acl_object *b =
		function ? object_of(c, load_relaxed(&function_state(function)->binary)) : NULL;

	return b && object_usable(b) ? b : NULL;
}

#endif
