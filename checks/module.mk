# SPDX-License-Identifier: Apache-2.0
# The checker: everything here needs the model's tables and libc only.

CHECKS_SRC := $(wildcard checks/*.c checks/*/*.c checks/*/*/*.c)
CHECKS_GEN := acl_rules acl_constraints check_modules

# Every module there is: struct check_module module_NAME in a source file makes it one. A directory is newer when
# a file of it is gone.
$(BUILD)/gen/.modules: $(CHECKS_SRC) $(sort $(dir $(CHECKS_SRC))) tools/gen/check_modules.awk
	$(call say,GEN,$(BUILD)/gen/check_modules.c)mkdir -p $(@D) && for want in h c; do \
		new=$(@D)/check_modules.$$want; \
		awk -v want=$$want -f tools/gen/check_modules.awk $(CHECKS_SRC) >$$new.new || exit 1; \
		cmp -s $$new.new $$new || cp $$new.new $$new; rm $$new.new; done && touch $@
$(BUILD)/gen/check_modules.h $(BUILD)/gen/check_modules.c: $(BUILD)/gen/.modules ; @:

ALL += $(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN))
