/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GUEST_HELD_RUNTIME_H
#define GUEST_HELD_RUNTIME_H

#include "acl/acl.h"

extern struct held {
	aclrtHostFunc fn; /* launched last */
	void *args;
	aclrtExceptionInfoCallback registered;
} held __attribute__((visibility("default")));

#endif
