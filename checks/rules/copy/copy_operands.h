/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of a copy as findings show them. */
#ifndef CHECKS_COPY_OPERANDS_H
#define CHECKS_COPY_OPERANDS_H

#include "checks/engine/finding_report.h"
#include "checks/state/operation.h"

/* Appends "src 0x… is 12 bytes into the 1 MiB page-locked host memory at 0x…" to the sentence. */
void operand_describe(struct acl_finding *f, const struct op_access *s);
/* Address and history of the memory. */
void operand_add(struct checks *c, struct acl_finding *f, const struct op_access *s);
/* Size, direction and batch entry. */
void operation_add(struct acl_finding *f, const struct operation *op, const struct op_entry *e);

#endif
