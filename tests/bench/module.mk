# SPDX-License-Identifier: Apache-2.0
# What a call costs, as exact counts of instructions; the table of costs.

TESTS += tests/bench/instructions.t
tests/bench/instructions.t: $$(BENCH_FILES)

TESTS += tests/bench/table.bats
tests/bench/table.bats: $$(BENCH_FILES) $(BUILD)/bench/extension/bench_extension.so
