/* SPDX-License-Identifier: Apache-2.0 */
/* Points in time as text in UTC. gmtime_r takes the lock of the time zone and may read its file. */
#ifndef INTERPOSE_UTC_H
#define INTERPOSE_UTC_H

#include <stdint.h>

#define UTC_SIZE 32

/* "2026-11-21T09:05:00Z" of the seconds since 1970. */
void utc_text(int64_t seconds, char out[UTC_SIZE]);
/* The same of this moment; the first ten characters are the date. */
void utc_now(char out[UTC_SIZE]);

#endif
