# SPDX-License-Identifier: Apache-2.0
# Recording: provider, aclcheck trace, aclcheck summary, Trace Compass analysis.

$(BUILD)/tests/trace/drive: $(call objs,tests/trace/drive.c $(addprefix interpose/common/,kernel_copy.c thread_state.c)) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -ldl -lpthread

# As a user would build it: the library under test is only preloaded.
$(BUILD)/tests/trace/app: tests/trace/app.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 -O1 -g -Wall -Wextra -Werror -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -Wl,-rpath,'$$ORIGIN/../../softnpu' -Wl,-rpath-link,$(BUILD)/softnpu -pthread

TRACE_TESTS := $(wildcard tests/trace/*.bats)
TESTS += $(TRACE_TESTS)
$(TRACE_TESTS): $(BUILD)/tests/trace/drive $(BUILD)/tests/trace/app

# The readers with sanitizers, for damaged traces.
FUZZ_SRC := $(addprefix tools/aclcheck/,main.c common/whole_file.c common/suggest.c common/language.c $(addprefix trace/,cmd_summary.c summary_collect.c \
	summary_json.c summary_memory.c summary_print.c summary_stat.c ctf.c ctf_metadata.c isolated_run.c trace_plan.c)) \
	interpose/common/text.c interpose/common/sentences.c interpose/common/word_distance.c include/aclcheck/model.c
$(BUILD)/tests/trace/summary-asan: $(FUZZ_SRC) tests/trace/only_summary.def $(ACLCHECK_HEADERS) $(BUILD)/gen/acl_model.c
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=undefined $(CPPFLAGS_ALL) -DACLCHECK_VERSION='"$(VERSION)"' \
		-DCOMMANDS='"tests/trace/only_summary.def"' -o $@ $(filter %.c,$^) -lbabeltrace2 -ljansson

tests/trace/summary.bats: $(BUILD)/tests/trace/summary-asan
