/* SPDX-License-Identifier: Apache-2.0 */
/* What is said to people in another language.  Findings are made, and reports written, in English. */
#ifndef INTERPOSE_SENTENCES_H
#define INTERPOSE_SENTENCES_H

#include <stddef.h>

#include "checks/engine/rule_table.h"
#include "interpose/common/text.h"

/* Writes a label, or the sentences of a finding or message, in the language; those that are not in the table
 * as they are. */
void sentences_put(struct text *t, const char *english, size_t n, enum acl_lang lang);

#endif
