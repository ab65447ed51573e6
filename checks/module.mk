# SPDX-License-Identifier: Apache-2.0
# The checker: everything here needs the model's tables and libc only.

CHECKS_SRC := $(wildcard checks/*.c)
CHECKS_GEN := acl_rules acl_needs
ALL += $(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN))
