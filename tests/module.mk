# SPDX-License-Identifier: Apache-2.0
# Each folder of tests/ has a module.mk that appends its TAP programs to TESTS:
# built executables under $(BUILD)/tests/ and executable scripts (bats) of the tree.

include tests/programs/module.mk $(filter-out tests/programs/module.mk,$(wildcard tests/*/module.mk))

# Once more with sanitizers: a build of its own for each, that has what modules add to SANITIZED, or SANITIZED_asan
# and SANITIZED_tsan. Reports of sanitizers name functions and lines, no variables: the rest of debug information would take a fifth of
# the time.
SANITIZE_asan := -fsanitize=address,undefined -fno-sanitize-recover=undefined
SANITIZE_tsan := -fsanitize=thread
.PHONY: asan tsan sanitized
asan tsan:
	$(Q)$(MAKE) --no-print-directory BUILD=$(BUILD)/$@ SANITIZE="$(SANITIZE_$@)" SANITIZER=$@ CFLAGS="-O1 -g1" sanitized
sanitized: $(SANITIZED) $(SANITIZED_$(SANITIZER))

# Where python3 is a script that looks for the interpreter (pyenv's takes ten times as long as the interpreter to start), tests, which
# start it thousands of times, find the interpreter itself first.
PYTHON_FIRST = $$(at=$$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'); \
	[ "$$at/python3" = "$$(command -v python3)" ] || printf '%s:' "$$at")

# What tests may use to find the build and the tree.
TEST_ENV = PATH="$(PYTHON_FIRST)$$PATH" PYTHONDONTWRITEBYTECODE=1 \
	ACLCHECK_BUILD=$(abspath $(BUILD)) ACLCHECK_SOURCE=$(CURDIR) CC="$(CC)" CXX="$(CXX)" \
	TRACECOMPASS_XSD="$${TRACECOMPASS_XSD:-$(abspath ../shared/tracecompass)}"
# As many as processors: one more, for the tests that wait, took a sixth more of them on a virtual machine.
PROVE_JOBS ?= $(shell n=$$(nproc); echo $$((n < 8 ? n : 8)))
# tests/keep-tap keeps what each test says in TAP_DIR, and ends a test that says nothing for TEST_SECONDS.
TAP_DIR ?= $(BUILD)/tap
TEST_SECONDS ?= 900

# Scripts take up to a minute each, programs of the build seconds: these come last, so that no processor waits long for the last file.
IN_ORDER = $(filter-out $(BUILD)/%,$(TESTS)) $(filter $(BUILD)/%,$(TESTS))

# make test T=tests/guest/fork.bats runs one file.
test: all $(if $(T),$(T),$(TESTS))
	@rm -rf $(TAP_DIR) && mkdir -p $(TAP_DIR)
	@env $(TEST_ENV) TAP_DIR=$(abspath $(TAP_DIR)) TEST_SECONDS=$(TEST_SECONDS) prove --exec tests/keep-tap --timer --merge -j$(PROVE_JOBS) $(if $(T),$(T),$(IN_ORDER))
