# SPDX-License-Identifier: Apache-2.0
# make test-aarch64: a cross build, and of its tests those that qemu's user emulation can run. excluded: the others, each with
# a reason.

# Not the build of the guest tests, which has other flags.
AARCH64_BUILD = $(abspath $(BUILD))/test-aarch64
AARCH64_EXCLUDED := $(shell sed 's/\#.*//; s/:.*//' tests/aarch64/excluded)
# Scripts of the tree that start programs of the build by ACLCHECK_EMULATOR.
AARCH64_SCRIPTS := tests/paired/live/live.t tests/paired/real/real.t tests/documents/documents.t tests/patterns/patterns.t
# Scripts that start programs as this machine's: keep-tap gives them the mirror of the build (mirror, launcher.c).
AARCH64_MIRRORED := tests/model/every_call.bats tests/guest/registers.bats
AARCH64_TESTS = $(filter-out $(addprefix $(BUILD)/,$(AARCH64_EXCLUDED)),$(filter $(BUILD)/%,$(TESTS))) $(AARCH64_SCRIPTS) $(AARCH64_MIRRORED)

# Two minutes of them, for CI: what depends on the machine (calls, registers, stacks, unwinding, the tables between threads), and of
# each kind of object the paired tests that take least.
AARCH64_QUICK = $(AARCH64_MIRRORED) $(addprefix $(BUILD)/tests/,guest/unwinding checks/map checks/stress checks/lock checks/tables \
	checks/captures checks/event_waits paired/copies paired/events paired/event_use paired/handles paired/memory paired/callbacks \
	paired/ends softnpu/stress)

# qemu places position independent programs where tests/paired have handles that they made up; these stand elsewhere.
AARCH64_LDFLAGS := -no-pie -Wl,-Ttext-segment=0x8000000000

.PHONY: test-aarch64 test-aarch64-quick aarch64-tests
test-aarch64 test-aarch64-quick:
	$(Q)$(MAKE) --no-print-directory BUILD=$(AARCH64_BUILD) CC=$(AARCH64_CC) CXX=$(AARCH64_CXX) LDFLAGS='$(AARCH64_LDFLAGS)' \
		$(if $(T),T=$(T)) $(if $(filter %-quick,$@),QUICK=1) aarch64-tests

# make test-aarch64 T=tests/checks/map, T=tests/paired/real/real.t: one of them.
AARCH64_RUN = $(if $(T),$(filter %$(T),$(AARCH64_TESTS)),$(if $(QUICK),$(AARCH64_QUICK),$(AARCH64_TESTS)))

$(BUILD)/obj/launcher: tests/aarch64/launcher.c
	$(call say,HOSTCC,$@)mkdir -p $(@D) && $(HOSTCC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -static -o $@ $<

aarch64-tests: $$(AARCH64_RUN) $(BUILD)/libaclcheck.so $(BUILD)/softnpu/libopapi.so $(BUILD)/obj/launcher
	@tests/aarch64/mirror $(BUILD) $(BUILD)/obj/launcher
	@$(if $(AARCH64_RUN),,echo '$(T) is none of the tests that run under qemu' >&2; exit 2)
	@mkdir -p $(BUILD)/tap
	@env $(TEST_ENV) ACLCHECK_EMULATOR=qemu-aarch64-static TAP_DIR=$(BUILD)/tap TEST_SECONDS=$(TEST_SECONDS) \
		prove --exec tests/keep-tap --timer --merge -j$(PROVE_JOBS) $(AARCH64_RUN)
