/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a copy as findings show them. */
#ifndef CHECKS_COPY_OPERANDS_H
#define CHECKS_COPY_OPERANDS_H

#include "checks/engine/finding_statement.h"
#include "checks/state/operation.h"

#define OPERAND_TEXT 160

/* "src 0x… is 12 bytes into the 1 MiB page-locked host memory at 0x…" */
const char *operand_text(const struct op_access *s, char out[OPERAND_TEXT]);

/* Parts: address and history of the memory. */
#define OPERAND_PARTS(s)                                                                                     \
	(s)->address ? part_address((s)->name, (s)->address) : part_none(),                                  \
		part_block((s)->writes ? "destination memory" : "source memory", (s)->block.block)

/* Parts: size, direction and batch entry. */
#define COPY_PARTS(op, e)                                                                                    \
	part_bytes("bytes", (e)->src->span), part_enum("kind", "aclrtMemcpyKind", (op)->direction),          \
		(op)->batch ? part_uint("batch entry", (e)->index) : part_none()

#endif
