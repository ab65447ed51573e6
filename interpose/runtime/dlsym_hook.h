/* SPDX-License-Identifier: Apache-2.0 */
/* dlsym and dlvsym of the program: which functions it fetched by name. */
#ifndef INTERPOSE_DLSYM_HOOK_H
#define INTERPOSE_DLSYM_HOOK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl_api.h"

/* How the caller got hold of the function: by its own import, or by a pointer from dlsym. */
extern _Atomic uint8_t dl_fetched[ACL_API_COUNT]; /* 0: never fetched */
bool dl_fetched_by(unsigned api, uint64_t caller);

static inline bool dl_was_fetched_at_all(unsigned api)
{
	return atomic_load_explicit(&dl_fetched[api], memory_order_relaxed) != 0;
}

static inline bool dl_was_fetched(unsigned api, uint64_t caller)
{
	return __builtin_expect(atomic_load_explicit(&dl_fetched[api], memory_order_relaxed), 0) &&
	       dl_fetched_by(api, caller);
}

#endif
