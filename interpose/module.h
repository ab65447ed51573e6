/* SPDX-License-Identifier: Apache-2.0 */
/* The modules (executable and shared objects) of the process: ids, paths, load addresses, build-ids. */
#ifndef INTERPOSE_MODULE_H
#define INTERPOSE_MODULE_H

#include <stddef.h>
#include <stdint.h>

struct acl_module {
	uint32_t id; /* 1, 2 … ; never reused, a module loaded again gets a new one */
	uint64_t start, end; /* mapped range */
	uint64_t base; /* load bias: address - base = address in the file */
	const char *path; /* for the process' life */
	uint8_t build_id[20];
	uint8_t build_id_len;
};

/* Module holding an address, NULL if none. Refreshes its view with dl_iterate_phdr when needed; no lock is
 * held on return. */
const struct acl_module *module_of(uint64_t address);
const struct acl_module *module_by_id(uint32_t id);

#endif
