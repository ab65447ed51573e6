# SPDX-License-Identifier: Apache-2.0
# Recording: provider, aclcheck trace, aclcheck summary, Trace Compass analysis.

$(BUILD)/tests/trace/drive: $(call objs,tests/trace/drive.c) $(MODEL_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $^ -ldl -lpthread
