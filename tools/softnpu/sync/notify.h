/* SPDX-License-Identifier: Apache-2.0 */
/* Notifies. */
#ifndef SOFTNPU_NOTIFY_H
#define SOFTNPU_NOTIFY_H

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/sync/stream.h"

struct notify {
	struct object obj;
	struct device *dev;
	uint32_t id;
	uint64_t *word; /* 1 = recorded and not yet consumed; local, or in shared */
	uint64_t local;
	struct shared *shared; /* exported or imported */
	bool imported;
	bool lost; /* its device was reset */
	struct list waiters; /* lanes */
};

aclError notify_find(aclrtNotify handle, struct notify **n);
aclError notify_new(struct notify **n);
void notifies_release_device(struct device *dev);

#endif
