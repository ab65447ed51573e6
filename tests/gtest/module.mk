# SPDX-License-Identifier: Apache-2.0
# The listener for GoogleTest, in a program of its user's.

$(BUILD)/tests/gtest/suite: tests/gtest/suite.cpp include/aclcheck_gtest.h include/aclcheck.h $(BUILD)/softnpu/libascendcl.so
	$(call say,CXX,$<)mkdir -p $(@D) && $(CXX) -std=c++14 -Wall -Wextra -O0 -g -Iinclude -I$(BUILD)/include -o $@ $< \
		-L$(BUILD)/softnpu -lascendcl -lacl_rt -lgtest -lpthread -Wl,-rpath,'$$ORIGIN/../../softnpu'

TESTS += $(wildcard tests/gtest/*.bats)
$(wildcard tests/gtest/*.bats): $(BUILD)/tests/gtest/suite
