# SPDX-License-Identifier: Apache-2.0
# The checker in a rig: no preload library, no runtime.

CHECKS_TEST := $(BUILD)/tests/checks
CHECKS_TEST_OBJS := $(call objs,$(CHECKS_SRC) tests/checks/rig.c) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)

$(CHECKS_TEST)/%: $(BUILD)/obj/tests/checks/%.o $(CHECKS_TEST_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread

TESTS += $(CHECKS_TEST)/founding
