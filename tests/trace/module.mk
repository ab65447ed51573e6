# SPDX-License-Identifier: Apache-2.0
# Recording: provider, aclcheck trace, aclcheck summary, Trace Compass analysis.

$(BUILD)/tests/trace/drive: $(call objs,tests/trace/drive.c) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -ldl -lpthread

# As a user would build it: the library under test is only preloaded.
$(BUILD)/tests/trace/app: tests/trace/app.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g -Wall -Wextra -Werror -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -Wl,-rpath,'$$ORIGIN/../../softnpu' -Wl,-rpath-link,$(BUILD)/softnpu -pthread

TRACE_TESTS := $(wildcard tests/trace/*.bats)
TESTS += $(TRACE_TESTS)
$(TRACE_TESTS): $(BUILD)/tests/trace/drive $(BUILD)/tests/trace/app
