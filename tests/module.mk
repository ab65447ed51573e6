# SPDX-License-Identifier: Apache-2.0
# Each folder of tests/ has a module.mk that appends its TAP programs to TESTS:
# built executables under $(BUILD)/tests/ and executable scripts (bats) of the tree.

include tests/programs/module.mk $(filter-out tests/programs/module.mk,$(wildcard tests/*/module.mk))

# What tests may use to find the build and the tree.
TEST_ENV = PYTHONDONTWRITEBYTECODE=1 ACLCHECK_BUILD=$(abspath $(BUILD)) ACLCHECK_SOURCE=$(CURDIR) CC="$(CC)" CXX="$(CXX)" \
	TRACECOMPASS_XSD="$${TRACECOMPASS_XSD:-$(abspath ../shared/tracecompass)}"
PROVE_JOBS ?= 2
# tests/keep-tap keeps what each test says in TAP_DIR, and ends a test that takes longer than TEST_SECONDS.
TAP_DIR ?= $(BUILD)/tap
TEST_SECONDS ?= 900

# make test T=tests/guest/fork.bats runs one file.
test: all $(if $(T),$(T),$(TESTS))
	@rm -rf $(TAP_DIR) && mkdir -p $(TAP_DIR)
	@env $(TEST_ENV) TAP_DIR=$(abspath $(TAP_DIR)) TEST_SECONDS=$(TEST_SECONDS) prove --exec tests/keep-tap --timer --merge -j$(PROVE_JOBS) $(if $(T),$(T),$(TESTS))
