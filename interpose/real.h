/* SPDX-License-Identifier: Apache-2.0 */
/* Reaching the real runtime. */
#ifndef INTERPOSE_REAL_H
#define INTERPOSE_REAL_H

#include <stdbool.h>

/* Looks for every function behind us in the global scope; opens nothing. */
void real_find_all(void);

/* Looks for one function everywhere, opening a runtime if none is known; only where dlopen is safe. */
bool real_find(unsigned api);

/* The program was given this address of the function by the runtime it opened itself. */
void real_offer(unsigned api, void *address);

/* Whether any function of a runtime was ever found. */
bool real_known(void);

#endif
