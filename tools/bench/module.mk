# SPDX-License-Identifier: Apache-2.0
# make bench: the cost table (README "Cost"). Ratios in one run; absolute numbers prove nothing on a shared machine.

BENCH_DIR := $(BUILD)/bench
BENCH_CALLS ?= 100000

$(BENCH_DIR)/libempty.so: $(call objs,tools/bench/empty_runtime.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^

$(BENCH_DIR)/libbare.so: $(call objs,tools/bench/bare.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^

# The library under several names, so that one process can load it once for each of different settings.
$(addprefix $(BENCH_DIR)/libaclcheck-,on.so off.so unordered.so): $(BUILD)/libaclcheck.so
	$(Q)mkdir -p $(@D) && cp $< $@

$(BENCH_DIR)/bench: $(call objs,tools/bench/bench.c tools/bench/loops.c tools/bench/measure.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -ldl -lpthread

BENCH_FILES := $(BENCH_DIR)/bench $(BENCH_DIR)/libempty.so $(BENCH_DIR)/libbare.so $(BENCH_DIR)/libaclcheck-on.so \
	$(BENCH_DIR)/libaclcheck-off.so $(BENCH_DIR)/libaclcheck-unordered.so

bench: $(BENCH_FILES)
	@tools/bench/run $(BENCH_DIR) $(BENCH_CALLS) >$(BENCH_DIR)/table.md; kept=$$?; cat $(BENCH_DIR)/table.md; $(MAKE) --no-print-directory bench-trace || kept=1; exit $$kept

# Instructions only, exact; a part of make test. bench-figures writes what is there now.
.PHONY: bench-quick bench-figures
bench-quick: tests/bench/instructions.t
	@env $(TEST_ENV) tests/bench/instructions.t

bench-figures: $(BENCH_FILES)
	@{ printf '# '; tools/bench/compiler "$(CC)"; tools/bench/instructions $(BENCH_DIR) checks; } >$(BENCH_DIR)/figures && \
		cp $(BENCH_DIR)/figures tools/bench/figures

# What recording costs. BENCH_TRACE_CALLS=10000000 for the long look at losses.
$(BENCH_DIR)/traced/libaclcheck.so: $(BUILD)/libaclcheck.so $(BUILD)/libaclcheck-lttng.so
	$(Q)mkdir -p $(@D) && cp $^ $(@D)/

$(BENCH_DIR)/trace: $(call objs,tools/bench/trace.c tools/bench/measure.c $(addprefix interpose/common/,kernel_copy.c thread_state.c))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -llttng-ust -ldl -lpthread

$(BENCH_DIR)/trace_peer: $(call objs,tools/bench/trace_peer.c) $(BENCH_DIR)/libempty.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $< -L$(BENCH_DIR) -lempty -Wl,-rpath,'$$ORIGIN'

.PHONY: bench-trace
bench-trace: $(addprefix $(BENCH_DIR)/,trace trace_peer traced/libaclcheck.so libempty.so libaclcheck-on.so) \
	$(BUILD)/tests/trace/drive $(BUILD)/aclcheck
	@tools/bench/trace_run $(BUILD) $(BENCH_CALLS) >$(BENCH_DIR)/trace.md; kept=$$?; cat $(BENCH_DIR)/trace.md; exit $$kept
