/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rings lie: NULL until a report wants them, then one address for the process' life. */
#ifndef INTERPOSE_LASTCALLS_AREA_H
#define INTERPOSE_LASTCALLS_AREA_H

#include "interpose/lastcalls_file.h"

extern _Atomic(struct lastcalls_area *) lastcalls_area __attribute__((visibility("hidden")));

#endif
