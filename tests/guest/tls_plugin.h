/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GUEST_TLS_PLUGIN_H
#define GUEST_TLS_PLUGIN_H

#include <stdint.h>

#define TLS_BEGIN 1000u
#define TLS_API __attribute__((visibility("default")))

/* Adds the seed to the thread's words: how often plus TLS_BEGIN, 0 when they are not what they were. */
TLS_API uint64_t tls_touch(uint64_t seed);
TLS_API uint64_t tls_sum(void);
TLS_API uint64_t tls_between(const uint64_t *in);

#endif
