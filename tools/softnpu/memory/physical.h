/* SPDX-License-Identifier: Apache-2.0 */
/* Physical memory, which is mapped to reserved addresses (vmm.c) and shared with other processes
 * (vmm_share.c). */
#ifndef SOFTNPU_PHYSICAL_H
#define SOFTNPU_PHYSICAL_H

#include "tools/softnpu/core/ipc.h"
#include "tools/softnpu/memory/memory.h"

#define GRANULARITY ((size_t)2 << 20)

/* Physical memory: there as long as the program has references or mappings of it. */
struct physical {
	struct object obj;
	struct list link; /* of an import: others of the same key are this one */
	unsigned handles; /* malloc or import, plus each retain */
	unsigned mappings;
	aclrtPhysicalMemProp prop;
	size_t size;
	int fd; /* the memory file and where in it */
	size_t offset;
	struct arena *arena; /* NULL: imported, fd is ours */
	struct extent *extent;
	struct shared *shared; /* exported, or imported */
	uint64_t key; /* of an import */
	int importer; /* the device it was imported on */
};

/* Words of what is shared; the last counts imports. */
enum { MEMORY_FD, MEMORY_OFFSET, MEMORY_SIZE, MEMORY_DEVICE, MEMORY_USERS };

aclError physical_find(aclrtDrvMemHandle handle, struct physical **p);
/* With one reference and nothing behind it. NULL: no room. */
struct physical *physical_new(const aclrtPhysicalMemProp *prop, size_t size);

#endif
