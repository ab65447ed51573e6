/* SPDX-License-Identifier: Apache-2.0 */
/* Code that runs before a sanitizer's runtime is ready (it finds its own functions through our dlsym). */
#ifndef INTERPOSE_NOSAN_H
#define INTERPOSE_NOSAN_H

#define NO_SANITIZE __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

#endif
