# SPDX-License-Identifier: Apache-2.0
# make bench: the cost table (README "Cost"). Ratios in one run; absolute numbers prove nothing on a shared machine.

BENCH_DIR := $(BUILD)/bench
BENCH_CALLS ?= 100000

$(BENCH_DIR)/libempty.so: $(call objs,tools/bench/empty_runtime.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $^

$(BENCH_DIR)/libbare.so: $(call objs,tools/bench/bare.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) -o $@ $^

# The library under several names, so that one process can load it once for each of different settings.
$(addprefix $(BENCH_DIR)/libaclcheck-,on.so off.so unordered.so): $(BUILD)/libaclcheck.so
	$(Q)mkdir -p $(@D) && cp $< $@

$(BENCH_DIR)/bench: $(call objs,$(addprefix tools/bench/,bench.c loops.c measure.c mix.c))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -ldl -lpthread

# What counts the other machine's instructions is a part of the emulator.
$(BENCH_DIR)/count_plugin.so: tools/bench/count_plugin.c
	$(call say,HOSTCC,$@)mkdir -p $(@D) && $(HOSTCC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O2 -fPIC -fvisibility=hidden -shared -o $@ $<

BENCH_FILES := $(BENCH_DIR)/bench $(BENCH_DIR)/libempty.so $(BENCH_DIR)/libbare.so $(BENCH_DIR)/libaclcheck-on.so \
	$(BENCH_DIR)/libaclcheck-off.so $(BENCH_DIR)/libaclcheck-unordered.so $(BENCH_DIR)/count_plugin.so

# A module of Python, so with the library's own name.
$(BENCH_DIR)/extension/bench_extension.so: tools/bench/extension.cpp tools/bench/bench.h $(BENCH_DIR)/libempty.so
	$(call say,CXX,$<)mkdir -p $(@D) && $(CXX) -O2 -shared -fPIC $(CPPFLAGS_ALL) -isystem $(PYTHON_INCLUDE) -o $@ $< \
		-L$(BENCH_DIR) -lempty -Wl,-rpath,'$$ORIGIN/..'

# What is missed is profiled below the tables.
BENCH_STARTS ?= 41
bench: $(BENCH_FILES) $(BENCH_DIR)/extension/bench_extension.so bench-trace-files
	@: >$(BENCH_DIR)/missed; kept=0; $(MAKE) --no-print-directory bench-counts || kept=1; \
		tools/bench/all $(BUILD) $(BENCH_CALLS) $(BENCH_STARTS) >$(BENCH_DIR)/table.md || kept=1; cat $(BENCH_DIR)/table.md $(BENCH_DIR)/profiles.md; exit $$kept

# Instructions; of AArch64 as well, counted by qemu.
.PHONY: bench-counts bench-files
bench-counts: $(BENCH_FILES)
	+@other=; $(call if_aarch64,$(AARCH64_MAKE) bench-files && other=$(AARCH64_BUILD)/bench); \
		BENCH_MISSED=$(BENCH_DIR)/missed tools/bench/counts $(BENCH_DIR) $$other >$(BENCH_DIR)/counts.md; kept=$$?; \
		cat $(BENCH_DIR)/counts.md; exit $$kept
bench-files: $(BENCH_FILES)

# Instructions only, exact; a part of make test. bench-figures writes what is there now.
.PHONY: bench-quick bench-figures
bench-quick: tests/bench/instructions.t
	@env $(TEST_ENV) tests/bench/instructions.t

bench-figures: $(BENCH_FILES)
	@$(call bench_figures,$(CC),$(BENCH_DIR),figures)
	+@$(call if_aarch64,$(AARCH64_MAKE) bench-files && $(call bench_figures,$(AARCH64_CC),$(AARCH64_BUILD)/bench,figures.aarch64))
# bench_figures COMPILER DIRECTORY NAME
bench_figures = { printf '\043 '; tools/bench/compiler "$(1)"; tools/bench/instructions $(2) checks; } >$(BENCH_DIR)/$(3) && \
	cp $(BENCH_DIR)/$(3) tools/bench/$(3)
# Where tools/install-deps aarch64 was: a cross compiler, and what counts.
if_aarch64 = if command -v $(AARCH64_CC) >/dev/null && command -v qemu-aarch64 >/dev/null; then $(1); fi

# What recording costs. BENCH_TRACE_CALLS=10000000 for the long look at losses.
$(BENCH_DIR)/traced/libaclcheck.so: $(BUILD)/libaclcheck.so $(BUILD)/libaclcheck-lttng.so
	$(Q)mkdir -p $(@D) && cp $^ $(@D)/

$(BENCH_DIR)/trace: $(call objs,$(addprefix tools/bench/,trace.c measure.c mix.c) $(addprefix interpose/common/,kernel_copy.c thread_state.c))
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -llttng-ust -ldl -lpthread

$(BENCH_DIR)/trace_peer: $(call objs,tools/bench/trace_peer.c) $(BENCH_DIR)/libempty.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $< -L$(BENCH_DIR) -lempty -Wl,-z,lazy -Wl,-rpath,'$$ORIGIN'

# Lazy binding, for tools that see calls where they are bound.
$(BENCH_DIR)/libaudit.so: $(call objs,tools/bench/audit.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(LDFLAGS) -o $@ $^

.PHONY: bench-trace bench-trace-files
bench-trace-files: $(addprefix $(BENCH_DIR)/,bench trace trace_peer traced/libaclcheck.so libempty.so libbare.so libaudit.so libaclcheck-on.so) \
	$(BUILD)/tests/trace/drive $(BUILD)/aclcheck

bench-trace: bench-trace-files
	@tools/bench/trace_run $(BUILD) $(BENCH_CALLS)
