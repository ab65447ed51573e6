# SPDX-License-Identifier: Apache-2.0
# Random programs: the checker alone against a model that shares no code with it.

RANDOM_TEST := $(BUILD)/tests/random
RANDOM_SRC := tests/random/step.c tests/random/order_model.c tests/random/play.c

$(RANDOM_TEST)/programs: $(call objs,tests/random/programs.c $(RANDOM_SRC) $(FIXTURE_SRC)) $(CHECKS_TEST_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread

TESTS += $(RANDOM_TEST)/programs

# The same on the software runtime, under the preload library.
$(RANDOM_TEST)/live: $(call objs,tests/random/live.c $(RANDOM_SRC)) $(call genobjs,test_invoke) $(MODEL_OBJS) $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) -L$(BUILD)/softnpu -lascendcl \
		-pthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

SANITIZED += $(RANDOM_TEST)/live
TESTS += tests/random/live.t
tests/random/live.t: $(RANDOM_TEST)/live $(BUILD)/libaclcheck.so asan tsan
