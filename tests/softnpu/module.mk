# SPDX-License-Identifier: Apache-2.0
# Tests of the software runtime: one program a file, linked to it.

NPU_TESTS := oracle oracle_capture
NPU_TEST_DIR := $(BUILD)/tests/softnpu

$(NPU_TEST_DIR)/%: $(BUILD)/obj/tests/softnpu/%.o $(BUILD)/obj/tests/softnpu/tap.o $(NPU)/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(NPU) -lascendcl -pthread \
		-Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(addprefix $(NPU_TEST_DIR)/,$(NPU_TESTS))
