/* SPDX-License-Identifier: Apache-2.0 */
/* The rule table as a whole: how much of it is checked and tested, and as a document. */
#ifndef ACLCHECK_RULES_TABLE_H
#define ACLCHECK_RULES_TABLE_H

/* Ids of the rules that have pairs, sorted, NULL-terminated; collected from tests/paired at build time. */
extern const char *const acl_twinned_rules[];
/* Those of them whose pairs ran as programs on the software runtime, under the preload library. */
extern const char *const acl_live_rules[];

void rules_coverage(void);
void rules_markdown(void);

#endif
