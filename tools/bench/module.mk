# SPDX-License-Identifier: Apache-2.0
# make bench: the cost table (README "Cost"). Ratios in one run; absolute numbers prove nothing on a shared machine.

BENCH_DIR := $(BUILD)/bench
BENCH_CALLS ?= 100000

$(BENCH_DIR)/libempty.so: $(call objs,tools/bench/empty_runtime.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^

$(BENCH_DIR)/libbare.so: $(call objs,tools/bench/bare.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared $(SANITIZE) $(LDFLAGS) -o $@ $^

# The library under two names, so that one process can load it twice with different settings.
$(BENCH_DIR)/libaclcheck-on.so $(BENCH_DIR)/libaclcheck-off.so: $(BUILD)/libaclcheck.so
	$(Q)mkdir -p $(@D) && cp $< $@

$(BENCH_DIR)/bench: $(call objs,tools/bench/bench.c tools/bench/measure.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ -ldl -lpthread

BENCH_FILES := $(BENCH_DIR)/bench $(BENCH_DIR)/libempty.so $(BENCH_DIR)/libbare.so $(BENCH_DIR)/libaclcheck-on.so \
	$(BENCH_DIR)/libaclcheck-off.so

bench: $(BENCH_FILES)
	@tools/bench/run $(BENCH_DIR) $(BENCH_CALLS) >$(BENCH_DIR)/table.md; kept=$$?; cat $(BENCH_DIR)/table.md; exit $$kept
