# SPDX-License-Identifier: Apache-2.0
# Random programs: the checker alone against a model that shares no code with it.

RANDOM_TEST := $(BUILD)/tests/random
RANDOM_SRC := tests/random/step.c tests/random/order_model.c tests/random/play.c

$(RANDOM_TEST)/programs: $(call objs,tests/random/programs.c $(RANDOM_SRC) $(FIXTURE_SRC)) $(CHECKS_TEST_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread

TESTS += $(RANDOM_TEST)/programs
