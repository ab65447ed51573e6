# SPDX-License-Identifier: Apache-2.0
# What a call costs, as exact counts of instructions.

TESTS += tests/bench/instructions.t
tests/bench/instructions.t: $$(BENCH_FILES)
