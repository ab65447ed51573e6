/* SPDX-License-Identifier: Apache-2.0 */
/* Cache maintenance. */
#ifndef SOFTNPU_CMO_H
#define SOFTNPU_CMO_H

#include "tools/softnpu/sync/stream.h"

/* Appends a task of cache maintenance. */
aclError cmo_submit(aclrtStream stream);

#endif
