/* SPDX-License-Identifier: Apache-2.0 */
/* What is shared with other processes under which key (ipc_keys.c), and how it is used (ipc_memory_use.c). */
#ifndef CHECKS_IPC_KEYS_H
#define CHECKS_IPC_KEYS_H

#include "checks/engine/finding.h"
#include "checks/engine/instance.h"
#include "checks/engine/value_table.h"

#define SHARES 512
/* An import does not say its size: at least one page, and what was used of it since. */
#define KNOWN_BYTES 4096
#define SHARE_USERS 4 /* streams whose latest use of an import is remembered; of more, nothing is said */

enum share_kind { SHARE_EXPORT, SHARE_IMPORT, SHARE_HANDLE };

struct share {
	_Atomic uint64_t key; /* program_text_key() or of a shareable handle, 0 = free */
	_Atomic uint64_t base, size; /* of the memory; of a handle the physical memory's handle */
	_Atomic int32_t device; /* of the exporter as the runtime answered, -1 = it was not queried */
	_Atomic uint32_t number; /* of the import, and … */
	_Atomic uint32_t closed_after; /* … how many there were when it was closed */
	_Atomic uint8_t kind; /* enum share_kind */
	_Atomic bool closed; /* an import that was closed */
	_Atomic bool checks_pid; /* importers must be admitted */
	_Atomic bool admitted;
	_Atomic bool enables_peer; /* imported with ENABLE_PEER_ACCESS */
	_Atomic bool said, inherited;
	_Atomic(const char *)
		freed_by; /* of an import: the process that has freed the memory, NULL = none known */
	struct {
		_Atomic uint64_t stream, position; /* acl_ref; position 0 = free */
	} users[SHARE_USERS]; /* of an import: its latest task on each of some streams */
	struct {
		_Atomic uint64_t model; /* acl_ref, 0 = free */
		_Atomic uint16_t api; /* of its first task that uses the import */
	} models[SHARE_USERS]; /* of an import: captured models */
	struct call_site_slot made;
};

struct ipc_state {
	struct acl_lock lock;
	_Atomic uint32_t used; /* slots ever taken */
	_Atomic uint32_t imports; /* ever made */
	struct value_table exporters; /* key -> device + 1 of the memory, where another process is seen */
	struct share at[SHARES];
};

static inline struct ipc_state *ipc(struct checks *c)
{
	return module_state(c, ipc);
}

#define share_each(c, s)                                                                                     \
	for ((s) = ipc(c)->at; (s) < ipc(c)->at + load_acquire(&ipc(c)->used); (s)++)                        \
		if (load_acquire(&(s)->key))

/* The import that covers an address: an open one, else a closed one, else NULL. */
struct share *import_at(struct checks *c, const void *address);
/* What a close of the key ends: the oldest import, else an export. */
struct share *share_closed_by(struct checks *c, const struct acl_call_record *call);
/* A range of an open import, whose size nothing else says. */
void import_reaches(struct checks *c, uint64_t address, uint64_t bytes);
/* Its history, for part_history(). */
void share_history(struct acl_object_history *out, const void *share);

#endif
