/* SPDX-License-Identifier: Apache-2.0 */
/* Models: what a capture or a build made, and their execution. */
#ifndef SOFTNPU_MODEL_H
#define SOFTNPU_MODEL_H

#include "device.h"

/* A context goes: open captures end, its models are destroyed. */
void captures_release_context(struct context *ctx);
void models_release_context(struct context *ctx);

#endif
