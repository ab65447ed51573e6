# SPDX-License-Identifier: Apache-2.0
# Tests of the API model and of what is generated from it.

MODEL_TEST := $(BUILD)/tests/model

$(MODEL_TEST)/libascendcl.so: $(call objs,tests/model/record.c) $(call genobjs,test_recorder)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libascendcl.so -o $@ $^

$(MODEL_TEST)/every_call: $(call genobjs,test_every_call) $(MODEL_TEST)/libascendcl.so
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< -L$(@D) -lascendcl -Wl,-rpath,'$$ORIGIN'

TESTS += $(wildcard tests/model/*.bats)
tests/model/every_call.bats: $(MODEL_TEST)/every_call

# The wrappers alone, without interpose/.
$(MODEL_TEST)/libpassive.so: $(call objs,tests/model/passive.c) $(call genobjs,wrappers) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -o $@ $^
tests/model/every_call.bats: $(MODEL_TEST)/libpassive.so
tests/model/cann.bats: $(BUILD)/gen/cann_check.c

# Linked against the wrappers with no runtime behind them.
$(MODEL_TEST)/missing: $(call objs,tests/model/missing.c) $(MODEL_TEST)/libpassive.so
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $< -L$(@D) -lpassive -Wl,-rpath,'$$ORIGIN'
tests/model/every_call.bats: $(MODEL_TEST)/missing

$(MODEL_TEST)/tables: $(call objs,tests/model/tables.c) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka
TESTS += $(MODEL_TEST)/tables

$(MODEL_TEST)/operations: $(call objs,tests/model/operations.c) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka
TESTS += $(MODEL_TEST)/operations

$(MODEL_TEST)/accesses: $(call objs,tests/model/accesses.c) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka
TESTS += $(MODEL_TEST)/accesses
