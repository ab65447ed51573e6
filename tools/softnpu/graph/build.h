/* SPDX-License-Identifier: Apache-2.0 */
/* Models built by binding streams. */
#ifndef SOFTNPU_BUILD_H
#define SOFTNPU_BUILD_H

#include "tools/softnpu/graph/model.h"

/* Appends to the model the stream is bound to; takes over the reference to op. */
aclError bound_append(struct stream *s, struct op *op);

#endif
