# SPDX-License-Identifier: Apache-2.0
# Recording: provider, aclcheck trace, aclcheck summary, Trace Compass analysis.

$(BUILD)/tests/trace/drive: $(call objs,tests/trace/drive.c $(addprefix interpose/common/,kernel_copy.c thread_state.c)) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -ldl -lpthread

# As a user would build it: the library under test is only preloaded.
$(BUILD)/tests/trace/app: tests/trace/app.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g -Wall -Wextra -Werror -I$(BUILD)/include -Iinclude -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -Wl,-rpath,'$$ORIGIN/../../softnpu' -Wl,-rpath-link,$(BUILD)/softnpu -pthread

TRACE_TESTS := $(wildcard tests/trace/*.bats)
TESTS += $(TRACE_TESTS)
$(TRACE_TESTS): $(BUILD)/tests/trace/drive $(BUILD)/tests/trace/app
tests/trace/cost.bats: $(addprefix $(BENCH_DIR)/,trace traced/libaclcheck.so libempty.so)

# The readers with sanitizers, for damaged traces.
FUZZ_SRC := tools/aclcheck/main.c $(wildcard tools/aclcheck/common/*.c) $(READER_SRC) \
	$(READER_SHARED) include/aclcheck/model.c
$(BUILD)/tests/trace/summary-asan: $(FUZZ_SRC) $(ACLCHECK_HEADERS) $(BUILD)/gen/acl_model.c $(BUILD)/gen/acl_rules.c $(BUILD)/gen/timeline_digests.h \
		$(wildcard tools/aclcheck/trace/timeline/page/*)
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=undefined $(CPPFLAGS_ALL) -DACLCHECK_VERSION='"$(VERSION)"' \
		-DACLCHECK_READER -o $@ $(filter %.c,$^) -lbabeltrace2 -ljansson -ldl

tests/trace/summary.bats: $(BUILD)/tests/trace/summary-asan
