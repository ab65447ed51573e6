# SPDX-License-Identifier: Apache-2.0
# The checker in a fixture: no preload library, no runtime.

FIXTURE_SRC := tests/checks/fixture.c tests/checks/fixture_text.c tests/checks/fixture_evaluated.c tests/checks/fixture_rules.c
CHECKS_TEST := $(BUILD)/tests/checks
# Those that keep what they found in NAME.findings, or what was counted in NAME.rules.
FIXTURE_TESTS := $(patsubst tests/%.c,$(BUILD)/tests/%,$(filter-out $(FIXTURE_SRC),$(shell grep -lE '(fixture|order_calls|two_streams|scenario)\.h"' tests/checks/*.c)))
CHECKS_TEST_OBJS := $(call objs,$(CHECKS_SRC)) $(call genobjs,$(CHECKS_GEN)) $(MODEL_OBJS)

$(CHECKS_TEST)/%: $(BUILD)/obj/tests/checks/%.o $(call objs,$(FIXTURE_SRC)) $(CHECKS_TEST_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lcmocka -lpthread

$(CHECKS_TEST)/stress $(CHECKS_TEST)/map $(CHECKS_TEST)/bench_map: $(CHECKS_TEST)/%: $(BUILD)/obj/tests/checks/%.o $(CHECKS_TEST_OBJS)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ -lpthread

# The stress once more with sanitizers.
SANITIZED += $(CHECKS_TEST)/stress $(CHECKS_TEST)/map
tests/checks/sanitizers.t: asan tsan

CHECKS_TESTS := special model_regions annotations key_index descriptors object_index map_blocks clock device_numbers format order repeated_copies wild innocent freed_addresses call_state call_order lock growth first_cause hidden_order notify_order counter_order decisions mappings endless fork kernels limits threads variants plans captures settle task_model process_view host_memory access_tree \
	rule_coverage tables memory_ends map copy_alignment copy_host_to_host captured_host_memory capture_calls reset_order init_finalize \
	current_context device_variables stream_ends words event_waits peer_copies run_mode loaded_runtime right_batches stress
TESTS += $(CHECKS_TESTS:%=$(CHECKS_TEST)/%) tests/checks/sanitizers.t
