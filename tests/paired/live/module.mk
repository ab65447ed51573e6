# SPDX-License-Identifier: Apache-2.0
# Pairs as programs on the software runtime, under the preload library.

LIVE_SRC := $(wildcard tests/paired/live/*.c)

$(BUILD)/tests/paired/live: $(LIVE_SRC) tests/paired/live/live.h $(SOFTNPU_LIBS) | $(BUILD)/gen/.stamp
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 -Wall -Wextra -Werror -g -I$(BUILD)/include -o $@ $(LIVE_SRC) \
		-L$(BUILD)/softnpu -Wl,-rpath,'$$ORIGIN/../../softnpu' -lascendcl -pthread

TESTS += tests/paired/live/live.t
tests/paired/live/live.t: $(BUILD)/tests/paired/live
