# SPDX-License-Identifier: Apache-2.0
# The same twins as programs on the software runtime, under the preload library.

REAL_BIN := $(patsubst tests/twins/%.c,$(BUILD)/tests/twins/real/%,$(TWIN_SRC))
REAL_OBJS := $(call objs,tests/twins/things.c $(wildcard tests/twins/real/*.c)) $(call genobjs,test_invoke) $(MODEL_OBJS)

$(REAL_BIN): $(BUILD)/tests/twins/real/%: $(BUILD)/obj/tests/twins/%.o $(REAL_OBJS) $(BUILD)/softnpu/libascendcl.so
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) -L$(BUILD)/softnpu -lascendcl \
		-pthread -Wl,-rpath,'$$ORIGIN/../../../softnpu'

TESTS += tests/twins/real/real.t
tests/twins/real/real.t: $(REAL_BIN)
