# SPDX-License-Identifier: Apache-2.0
# Recording: provider, aclcheck trace, aclcheck summary, Trace Compass analysis.

$(BUILD)/tests/trace/drive: $(call objs,tests/trace/drive.c $(addprefix interpose/common/,kernel_copy.c thread_state.c)) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -ldl -lpthread

# As a user would build it: the library under test is only preloaded.
$(BUILD)/tests/trace/app $(BUILD)/tests/trace/ranks: $(BUILD)/tests/trace/%: tests/trace/%.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g -Wall -Wextra -Werror -I$(BUILD)/include -Iinclude -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -Wl,-rpath,'$$ORIGIN/../../softnpu' -Wl,-rpath-link,$(BUILD)/softnpu -pthread

$(BUILD)/tests/trace/order: $(call objs,tests/trace/order.c tools/aclcheck/trace/replay/replay_order.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka
TESTS += $(BUILD)/tests/trace/order

TRACE_TESTS := $(wildcard tests/trace/*.bats)
TESTS += $(TRACE_TESTS)
$(TRACE_TESTS): $(BUILD)/tests/trace/drive $(BUILD)/tests/trace/app
tests/trace/replay.bats: $(BUILD)/tests/trace/ranks
tests/trace/cost.bats: $(addprefix $(BENCH_DIR)/,trace traced/libaclcheck.so libempty.so)

# The readers with sanitizers, for damaged traces.
SANITIZED_asan += $(BUILD)/aclcheck-reader
tests/trace/summary.bats tests/trace/replay.bats: asan

# Programs run and replayed.
TESTS += tests/trace/replay.t
tests/trace/replay.t: $(call programs,documents) $(call programs,patterns) $(BUILD)/tests/documents/acl.so

# The pairs of tests/paired as well.
TESTS += tests/trace/replay_pairs.t
tests/trace/replay_pairs.t: $(REAL_BIN) $(BUILD)/tests/paired/live
