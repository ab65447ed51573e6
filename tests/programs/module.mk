# SPDX-License-Identifier: Apache-2.0
# Programs as a user would write and build them: no flag of ours, the runtime's
# libraries found through the usual path.  The folders that hold them add theirs.

CXX ?= c++
PYTHON ?= python3
PROGRAM_FLAGS = -O0 -g -Wall -Wextra -Werror -I$(BUILD)/include
SOFTNPU_LIBS := $(filter $(BUILD)/softnpu/lib%.so,$(ALL))
PROGRAM_LINK = -L$(BUILD)/softnpu -Wl,-rpath,'$$ORIGIN/../../softnpu' -Wl,--as-needed \
	$(patsubst lib%.so,-l%,$(notdir $(SOFTNPU_LIBS))) -Wl,--no-as-needed -ldl -pthread

# programs folder -> the program of each source of that folder
programs = $(patsubst %.cpp,$(BUILD)/%,$(wildcard tests/$(1)/*.cpp))

define program_rule
$$(BUILD)/tests/$(1)/%: tests/$(1)/%.cpp tests/programs/program.h $$(SOFTNPU_LIBS) | $$(BUILD)/gen/.stamp
	$$(call say,CXX,$$<)mkdir -p $$(@D) && $$(CXX) -std=c++17 $$(PROGRAM_FLAGS) -o $$@ $$< $$(PROGRAM_LINK)
endef

TESTS += tests/programs/run.bats
tests/programs/run.bats: $(BUILD)/tests/documents/h2d_sync
