# SPDX-License-Identifier: Apache-2.0
# Twins of the rules, fed to the checker without a runtime.

TWIN_SRC := $(filter-out tests/twins/twins.c tests/twins/things.c,$(wildcard tests/twins/*.c))
TWIN_BIN := $(patsubst tests/twins/%.c,$(BUILD)/tests/twins/%,$(TWIN_SRC))

$(TWIN_BIN): $(BUILD)/tests/twins/%: $(BUILD)/obj/tests/twins/%.o $(call objs,tests/twins/twins.c tests/twins/things.c) \
		$(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka

TESTS += $(TWIN_BIN)
include tests/twins/live/module.mk tests/twins/real/module.mk
TESTS += tests/twins/coverage.t tests/twins/texts.t
