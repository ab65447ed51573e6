/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rings lie: NULL until a report wants them, then one address for the process' life. */
#ifndef INTERPOSE_LAST_CALLS_AREA_H
#define INTERPOSE_LAST_CALLS_AREA_H

#include "interpose/common/last_calls_file.h"

/* Before the area is there. */
void last_calls_prepare(void);

extern _Atomic(struct last_calls_area *) last_calls_area __attribute__((visibility("hidden")));

#endif
