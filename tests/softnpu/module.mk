# SPDX-License-Identifier: Apache-2.0
# Tests of the software runtime: one program a file, linked to it.

NPU_TESTS := arguments oracle_device oracle_memory oracle_stream oracle_capture oracle_model data features products memory stress signals
NPU_TEST_DIR := $(BUILD)/tests/softnpu

$(NPU_TEST_DIR)/%: $(BUILD)/obj/tests/softnpu/%.o $(BUILD)/obj/tests/softnpu/tap.o $(NPU)/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(NPU) -lascendcl -pthread \
		-Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(addprefix $(NPU_TEST_DIR)/,$(NPU_TESTS)) tests/softnpu/rows.t
tests/softnpu/rows.t: $(NPU_TEST_DIR)/rows $(BUILD)/libaclcheck.so

# The operator library is in two more files.
$(NPU_TEST_DIR)/operators: $(BUILD)/obj/tests/softnpu/operators.o $(BUILD)/obj/tests/softnpu/tap.o $(NPU)/libopapi.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(NPU) -lopapi -lnnopbase -lascendcl \
		-pthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(NPU_TEST_DIR)/operators tests/softnpu/library.bats

# The runtime once more with each sanitizer, linked into one program with a test.
NPU_SAN_FLAGS_tsan := -fsanitize=thread
NPU_SAN_FLAGS_asan := -fsanitize=address,undefined -fno-sanitize-recover=all
NPU_SAN_TESTS := stress-tsan stress-asan data-asan features-asan products-asan memory-asan oracle_device-asan oracle_stream-asan \
	oracle_model-asan arguments-asan

define npu_sanitizer
$(BUILD)/$(1)/%.o: %.c | $(BUILD)/gen/.stamp
	$$(call say,CC,$$< ($(1)))mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) -O1 $$(NPU_SAN_FLAGS_$(1)) $$(CPPFLAGS_ALL) \
		$$(CPPFLAGS_$$(*D)) -MMD -MP -c -o $$@ $$<

$(BUILD)/$(1)/softnpu_%.o: $(BUILD)/gen/softnpu_%.c | $(BUILD)/gen/.stamp
	$$(call say,CC,$$< ($(1)))mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(NPU_SAN_FLAGS_$(1)) $$(CPPFLAGS_ALL) -MMD -MP -c -o $$@ $$<

$(NPU_TEST_DIR)/%-$(1): $(BUILD)/$(1)/tests/softnpu/%.o $(patsubst %.c,$(BUILD)/$(1)/%.o,$(NPU_SRC) tests/softnpu/tap.c) \
		$(BUILD)/$(1)/softnpu_default.o $(BUILD)/$(1)/softnpu_entry.o
	$$(call say,LD,$$@)mkdir -p $$(@D) && $$(CC) $$(NPU_SAN_FLAGS_$(1)) -o $$@ $$^ -pthread -ldl

-include $(patsubst %.c,$(BUILD)/$(1)/%.d,$(NPU_SRC) $(wildcard tests/softnpu/*.c) softnpu_default.c softnpu_entry.c)
.PRECIOUS: $(BUILD)/$(1)/%.o
endef

$(foreach san,tsan asan,$(eval $(call npu_sanitizer,$(san))))

TESTS += $(addprefix $(NPU_TEST_DIR)/,$(NPU_SAN_TESTS))
