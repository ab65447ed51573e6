# SPDX-License-Identifier: Apache-2.0
# A larger application, compiled by gcc and by clang.

SAMPLE_GCC ?= g++
SAMPLE_CLANG ?= clang++

$(BUILD)/tests/samples/%-clang: CXX := $(SAMPLE_CLANG)
$(BUILD)/tests/samples/%: CXX := $(SAMPLE_GCC)
$(eval $(call program_rule,samples))
$(BUILD)/tests/samples/%-clang: tests/samples/%.cpp tests/programs/program.h $(SOFTNPU_LIBS) | $(BUILD)/gen/.stamp
	$(call say,CXX,$<)mkdir -p $(@D) && $(CXX) -std=c++17 $(PROGRAM_FLAGS) -o $@ $< $(PROGRAM_LINK)

TESTS += tests/samples/samples.t
tests/samples/samples.t: $(call programs,samples) $(patsubst %,%-clang,$(call programs,samples))
