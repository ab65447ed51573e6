# SPDX-License-Identifier: Apache-2.0
# The checker's tables and its lock under C11's memory model, every outcome (weak_memory.h).

LITMUS := $(BUILD)/tests/litmus
LITMUS_SRC := $(addprefix checks/engine/,key_index.c lock.c object_index.c pointer_map.c pointer_map_order.c pointer_map_run.c pointer_map_table.c)
LITMUS_OBJS := $(patsubst %.c,$(BUILD)/obj/weak/%.o,$(LITMUS_SRC) tests/litmus/litmus.c)

# Their own objects: atomics are calls of the model. A lock that looks once before it sleeps leaves fewer runs.
$(BUILD)/obj/weak/%.o: %.c $(BUILD)/.built-with | $(GENERATED)
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -DLOOKS=1 $(CPPFLAGS_ALL) -include tests/litmus/weak_atomics.h \
		-MMD -MP -c -o $@ $<

$(LITMUS)/litmus: $(LITMUS_OBJS) $(call objs,tests/litmus/weak_memory.c)
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $^
TESTS += $(LITMUS)/litmus
