# SPDX-License-Identifier: Apache-2.0
# Twins as programs on the software runtime, under the preload library.

LIVE_SRC := $(wildcard tests/twins/live/*.c)

$(BUILD)/tests/twins/live: $(LIVE_SRC) tests/twins/live/live.h $(SOFTNPU_LIBS) | $(BUILD)/gen/.stamp
	$(call say,CC,$@)mkdir -p $(@D) && $(CC) -std=gnu11 -Wall -Wextra -Werror -g -I$(BUILD)/include -o $@ $(LIVE_SRC) \
		-L$(BUILD)/softnpu -Wl,-rpath,'$$ORIGIN/../../softnpu' -lascendcl -pthread

TESTS += tests/twins/live/twins.t
tests/twins/live/twins.t: $(BUILD)/tests/twins/live
