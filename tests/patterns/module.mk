# SPDX-License-Identifier: Apache-2.0
# How real clients of AscendCL use it: unusual, right, and never to be called an error.

$(eval $(call program_rule,patterns))

TESTS += tests/patterns/patterns.t
tests/patterns/patterns.t: $(call programs,patterns) $(BUILD)/tests/documents/acl.so
