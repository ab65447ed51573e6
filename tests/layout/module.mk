# SPDX-License-Identifier: Apache-2.0
TESTS += $(wildcard tests/layout/*.bats)
tests/layout/ci_files.bats: $(BUILD)/tests/report/misaligned
