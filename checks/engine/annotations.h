/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program says of itself (aclcheck.h).  An annotation goes through the
 * modules as a call does: hooks of enum acl_annotation, enter of the state
 * modules, of the rules, leave in the opposite order.  It takes effect at once,
 * nothing is forwarded, and it counts as no call.
 */
#ifndef CHECKS_ANNOTATIONS_H
#define CHECKS_ANNOTATIONS_H

#include "checks/engine/instance.h"

/* It cannot be meant so: nothing comes of it, and this is why. */
void annotation_refuse(struct acl_call_record *call, const char *why);

#endif
