# SPDX-License-Identifier: Apache-2.0
# Tests of what people and pipelines read: settings, log, journal, reports, the command.

REPORT_TEST := $(BUILD)/tests/report
REPORT_OBJS := $(call objs,tests/report/host.c $(SINK_SOURCES)) $(MODEL_OBJS)

$(REPORT_TEST)/findings: $(call objs,tests/report/findings.c) $(REPORT_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^ -ldl -lpthread

$(REPORT_TEST)/unit: $(call objs,tests/report/unit.c) $(REPORT_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -o $@ $^ -lcmocka -ljansson -ldl -lpthread

# A plain user's program: linked with the runtime, knowing nothing of the checker.
$(REPORT_TEST)/misaligned: tests/report/misaligned.c $(BUILD)/softnpu/libascendcl.so
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) -std=gnu11 $(WARN) -O1 -g -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(REPORT_TEST)/unit $(wildcard tests/report/*.bats)
$(wildcard tests/report/*.bats): $(REPORT_TEST)/findings $(REPORT_TEST)/misaligned
