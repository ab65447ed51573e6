/* SPDX-License-Identifier: Apache-2.0 */
/* Code that runs before a sanitizer's runtime is ready (it finds its own functions through our dlsym). */
#ifndef INTERPOSE_COMPILER_H
#define INTERPOSE_COMPILER_H

#define NO_SANITIZE __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

#define ACL_EXPORT __attribute__((visibility("default")))

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif
