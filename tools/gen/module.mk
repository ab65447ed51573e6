# SPDX-License-Identifier: Apache-2.0
# The generator and what it prints: $(BUILD)/include/acl*, $(BUILD)/gen.

HOSTCC ?= cc
GEN_SRC := $(wildcard tools/gen/*.c)
API_MODEL := include/acl/api.json
RULES := checks/rules
HOOKS := interpose/runtime/libc_hooks.list
COMPASS := tracepoints/tracecompass

$(BUILD)/tools/acl-gen: $(GEN_SRC) $(wildcard tools/gen/*.h) include/aclcheck/capture_goes_on.def
	$(call say,HOSTCC,$@)mkdir -p $(@D) && $(HOSTCC) -I. -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -g -o $@ $(GEN_SRC) -ljansson

$(BUILD)/gen/.stamp: $(BUILD)/tools/acl-gen $(API_MODEL) $(wildcard $(RULES)/*/*.json) $(wildcard $(RULES)/*) $(HOOKS) $(COMPASS) $(wildcard $(COMPASS)/*.xml)
	$(call say,GEN,$(BUILD)/gen)mkdir -p $(@D) && $(BUILD)/tools/acl-gen $(API_MODEL) $(BUILD) $(RULES) $(HOOKS) $(COMPASS) && touch $@

# The generator rewrites a file only when its content changes; make looks again after the stamp,
# and must not take them for intermediate files to be deleted.
$(foreach file,gen/%.c gen/%.h gen/%.cpp gen/%.map gen/%.xml gen/%.def include/%.h,\
	$(eval .PRECIOUS: $(BUILD)/$(file))$(eval $(BUILD)/$(file): $(BUILD)/gen/.stamp ; @:))

# What a program needs that reads the model's tables.
MODEL_OBJS := $(call objs,include/aclcheck/model.c) $(call genobjs,acl_model acl_operations acl_accesses)
ALL += $(MODEL_OBJS)

# make CANN=/path: does the model still say what the headers of that installation say?
.PHONY: check-cann
check-cann: $(BUILD)/gen/cann_check.c
	$(Q)tools/gen/check-cann "$(CANN)" $(BUILD)/gen
ifneq ($(CANN),)
ALL += check-cann
endif
