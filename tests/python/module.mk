# SPDX-License-Identifier: Apache-2.0
# Frames of Python code in call stacks, with each interpreter that is installed.

PYTHON_TEST := $(BUILD)/tests/python

$(PYTHON_TEST)/libnative.so: tests/python/native.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -fPIC -shared -D_GNU_SOURCE -I$(BUILD)/include \
		-o $@ $< -L$(BUILD)/softnpu -lascendcl -lacl_rt -pthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

LINES_LIBRARY_SRC := tests/python/lines.c $(addprefix interpose/,symbolize/python_lines.c common/kernel_copy.c common/thread_state.c)
$(PYTHON_TEST)/liblines.so: $(call objs,$(LINES_LIBRARY_SRC))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -o $@ $^

$(PYTHON_TEST)/unit: $(call objs,tests/python/unit.c $(addprefix interpose/,symbolize/python_place.c common/kernel_copy.c symbolize/memory_windows.c \
	common/thread_state.c common/tool_arena.c common/tool_memory.c))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -o $@ $^ -lcmocka -pthread

TESTS += $(PYTHON_TEST)/unit $(wildcard tests/python/*.bats)
$(wildcard tests/python/*.bats): $(PYTHON_TEST)/libnative.so $(PYTHON_TEST)/liblines.so $(BUILD)/tests/documents/acl.so
