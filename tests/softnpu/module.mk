# SPDX-License-Identifier: Apache-2.0
# Tests of the software runtime: one program a file, linked to it.

NPU_TESTS := arguments arguments_memory arguments_models arguments_not_modelled order_streams order_models order_memory order_copies order_virtual order_kernels oracle_device oracle_memory oracle_stream oracle_capture oracle_model data features products visible memory stress signals forked concurrent crowd
NPU_TEST_DIR := $(BUILD)/tests/softnpu

$(NPU_TEST_DIR)/%: $(BUILD)/obj/tests/softnpu/%.o $(BUILD)/obj/tests/softnpu/tap.o $(NPU)/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(NPU) -lascendcl -pthread \
		-Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(addprefix $(NPU_TEST_DIR)/,$(NPU_TESTS)) tests/softnpu/rows.t tests/softnpu/checked.t
$(NPU_TEST_DIR)/rows: $(addprefix $(BUILD)/obj/tests/softnpu/rows_,published.o kernels.o memory.o graphs.o graph_tasks.o tasks.o conditions.o devices.o drawn.o lots.o states.o sharing.o)
tests/softnpu/rows.t: $(NPU_TEST_DIR)/rows $(BUILD)/libaclcheck.so
tests/softnpu/checked.t: $(addprefix $(NPU_TEST_DIR)/,$(filter arguments% order_% oracle_%,$(NPU_TESTS))) $(BUILD)/libaclcheck.so

# Its own pthread_create, which fails: not for sanitizers, which have theirs.
TESTS += $(NPU_TEST_DIR)/threads

# The operator library is in two more files.
$(NPU_TEST_DIR)/operators: $(BUILD)/obj/tests/softnpu/operators.o $(BUILD)/obj/tests/softnpu/tap.o $(NPU)/libopapi.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $(filter %.o,$^) -L$(NPU) -lopapi -lnnopbase -lascendcl \
		-pthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(NPU_TEST_DIR)/operators tests/softnpu/library.bats

# Once more with sanitizers.
NPU_SANITIZED_asan := stress concurrent crowd data features products memory oracle_device oracle_stream oracle_model arguments arguments_memory arguments_models arguments_not_modelled order_streams order_models order_memory order_copies order_virtual \
	order_kernels
NPU_SANITIZED_tsan := stress concurrent

define npu_sanitized
SANITIZED_$(1) += $(addprefix $(NPU_TEST_DIR)/,$(NPU_SANITIZED_$(1)))
$(addprefix $(BUILD)/$(1)/tests/softnpu/,$(NPU_SANITIZED_$(1))): $(1) ;
TESTS += $(addprefix $(BUILD)/$(1)/tests/softnpu/,$(NPU_SANITIZED_$(1)))
endef
$(foreach kind,asan tsan,$(eval $(call npu_sanitized,$(kind))))
