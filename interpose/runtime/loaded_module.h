/* SPDX-License-Identifier: Apache-2.0 */
/* The modules (executable and shared objects) of the process: ids, paths, load addresses, build-ids. */
#ifndef INTERPOSE_LOADED_MODULE_H
#define INTERPOSE_LOADED_MODULE_H

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>

struct acl_module {
	uint32_t id; /* 1, 2 … ; never reused, a module loaded again gets a new one */
	uint64_t start, end; /* mapped range */
	uint64_t base; /* load bias: address - base = address in the file */
	uint64_t unwind_table; /* its .eh_frame_hdr, 0 = none */
	const char *path; /* for the process' life */
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint16_t layer; /* other modules that lay at these addresses before, and are gone */
};

/* Module holding an address, NULL if none. Refreshes its view when needed; no lock is held on return. */
const struct acl_module *module_of(uint64_t address);
/*
 * A kept code address names its module, though another one may lie there later:
 * the module's layer stands in the upper bits (0 in nearly every process).
 */
#define MODULE_LAYER_SHIFT 48
#define module_address(marked) ((marked) & ((UINT64_C(1) << MODULE_LAYER_SHIFT) - 1))
/* Marks the address as one of the module that lies there now. */
uint64_t module_mark(uint64_t address);
/* The module of a marked address, also when it is gone; NULL when none was seen there. */
const struct acl_module *module_of_marked(uint64_t marked);
/* A library was closed: what is known may be about one that is gone. */
void module_closed(void);
extern uint32_t module_closings; /* how often; atomic */
const struct acl_module *module_by_id(uint32_t id);

/* Whether an address lies in this library itself. */
bool module_is_self(uint64_t address);

/* In the child after fork. */
void module_forked(void);

#endif
