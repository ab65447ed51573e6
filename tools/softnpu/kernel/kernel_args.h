/* SPDX-License-Identifier: Apache-2.0 */
/* Argument lists built parameter by parameter. */
#ifndef SOFTNPU_KERNEL_ARGS_H
#define SOFTNPU_KERNEL_ARGS_H

#include "tools/softnpu/kernel/kernel.h"

/* The finished list's arguments into l, which points into the list. */
aclError kernel_args_launch(aclrtArgsHandle handle, struct kernel_launch *l);

#endif
