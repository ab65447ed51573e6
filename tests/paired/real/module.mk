# SPDX-License-Identifier: Apache-2.0
# The same pairs as programs on the software runtime, under the preload library.

REAL_BIN := $(patsubst tests/paired/%.c,$(BUILD)/tests/paired/real/%,$(PAIR_SRC))
REAL_OBJS := $(call objs,tests/paired/objects.c tests/paired/functions.c $(wildcard tests/paired/real/*.c)) $(call genobjs,test_invoke) $(MODEL_OBJS)

$(REAL_BIN): $(BUILD)/tests/paired/real/%: $(BUILD)/obj/tests/paired/%.o $(REAL_OBJS) $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) -L$(BUILD)/softnpu -lascendcl \
		-pthread -Wl,-rpath,'$$ORIGIN/../../../softnpu'

TESTS += tests/paired/real/real.t
tests/paired/real/real.t: $(REAL_BIN)
