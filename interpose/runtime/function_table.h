/* SPDX-License-Identifier: Apache-2.0 */
/* Per function of the interface: the real one, and what a call of it needs. */
#ifndef INTERPOSE_FUNCTION_TABLE_H
#define INTERPOSE_FUNCTION_TABLE_H

#include <stdint.h>

#include "acl_api.h"

/* Per function: 0 = nothing wants to see it, forward at once. Bits: */
enum acl_call_state {
	ACL_STATE_UNRESOLVED = 1u << 0, /* the real function was not found (yet) */
	ACL_STATE_CHECK = 1u << 1,
	ACL_STATE_TRACE = 1u << 2,
	ACL_STATE_CALLBACK = 1u << 3, /* the program hands over a callback */
	ACL_STATE_FIRST = 1u << 4, /* no rule needs it: seen once, so that the run counts as observed */
	ACL_STATE_COUNT = 1u << 5, /* a report wants the number of calls */
	ACL_STATE_PREFETCH = 1u << 6, /* the checks look far for its arguments */
	ACL_STATE_SPECIAL = 1u << 7, /* fetched by dlsym; the beginning and the end of the runtime's life */
	ACL_STATE_INJECT = 1u << 8, /* faults may be injected */
	ACL_STATE_SITE = 1u << 9 /* its return address says too little of where it is called */
};

/* Hidden: read without the GOT, two loads and a jump when nothing is to be done. */
extern uint32_t acl_state[ACL_API_COUNT] __attribute__((visibility("hidden")));
extern void (*acl_real[ACL_API_COUNT])(void) __attribute__((visibility("hidden")));

#endif
