/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loaded modules, without the loader's lock: it may be held by the thread
 * that a signal handler of the program interrupted, by one that waits for us, or
 * by one that does not exist in a forked child.
 */
#ifndef INTERPOSE_MODULE_WALK_H
#define INTERPOSE_MODULE_WALK_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>

typedef int module_walk_fn(struct dl_phdr_info *info, size_t size, void *context);

#define MODULE_WALK_CUT (-1) /* the list changed meanwhile: modules may be missing */

/* As dl_iterate_phdr does, less the loader's counts: until fn returns what is not 0. */
int module_walk(module_walk_fn *fn, void *context);

/*
 * The same, and where the list ended, when it was walked through; else *tail stays. Whoever keeps what a walk
 * has shown asks by it whether modules came since: walks that others make in between say nothing of that.
 */
int module_walk_noting(module_walk_fn *fn, void *context, const struct link_map **tail);
bool module_walk_grown(const struct link_map *tail); /* NULL: of an unknown end, it may have */

/* The loader's list of objects; for what is never unloaded, NULL when it is not to be found. */
const struct link_map *module_list(void);

/* Around the program's dlclose: a walk in another thread may look at the module that goes. */
void module_closing(void);
void module_closed_now(void);

/* In a forked child. */
void module_walk_forked(void);

#endif
