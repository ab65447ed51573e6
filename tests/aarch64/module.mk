# SPDX-License-Identifier: Apache-2.0
# make test-aarch64: a cross build, and of its tests those that qemu's user emulation can run. excluded: the others, each with
# a reason.

AARCH64_EXCLUDED := $(shell sed -n 's/^\([^ \#:]*\):.*/\1/p' tests/aarch64/excluded)
# Scripts of the tree that start programs of the build by TEST_EMULATOR.
AARCH64_SCRIPTS := tests/paired/live/live.t tests/paired/real/real.t tests/documents/documents.t tests/patterns/patterns.t \
	tests/bench/instructions.t
# Scripts that start programs as this machine's: keep-tap gives them the mirror of the build (mirror, launcher.c). Of report/
# those in which the library writes and the command starts programs: what the command makes of files is the same on every machine.
AARCH64_MIRRORED := $(filter-out $(AARCH64_EXCLUDED),tests/model/every_call.bats $(wildcard tests/aarch64/*.bats tests/guest/*.bats) \
	$(addprefix tests/report/,log.bats run.bats settings.bats))
AARCH64_TESTS = $(filter-out $(addprefix $(BUILD)/,$(AARCH64_EXCLUDED)),$(filter $(BUILD)/%,$(TESTS))) $(AARCH64_SCRIPTS) $(AARCH64_MIRRORED)

# Two minutes of them, for CI: what depends on the machine (calls, registers, stacks, unwinding, the tables between threads, what a
# call costs), and of each kind of object the paired tests that take least.
AARCH64_QUICK = tests/model/every_call.bats tests/bench/instructions.t tests/aarch64/branch_protection.bats $(addprefix tests/guest/,registers.bats \
	stack.bats tls.bats cancel.bats) tests/report/log.bats $(addprefix $(BUILD)/tests/,guest/unwinding checks/map checks/stress checks/lock checks/tables \
	checks/captures checks/event_waits paired/copies paired/events paired/event_use paired/handles paired/memory paired/callbacks \
	paired/ends softnpu/stress)

# qemu places position independent programs where tests/paired have handles that they made up; these stand elsewhere.
AARCH64_LDFLAGS := -no-pie -Wl,-Ttext-segment=0x8000000000

.PHONY: test-aarch64 test-aarch64-quick aarch64-libraries aarch64-tests
test-aarch64 test-aarch64-quick:
	+$(Q)$(AARCH64_MAKE) aarch64-libraries
	+$(Q)$(AARCH64_MAKE) $(if $(T),T='$(T)') $(if $(filter %-quick,$@),QUICK=1) aarch64-tests

# What programs of the tests are linked with, and the command; what records and reads traces needs LTTng and babeltrace of that machine.
aarch64-libraries: $(filter $(BUILD)/softnpu/% $(BUILD)/libaclcheck.so $(BUILD)/aclcheck,$(ALL))

# make test-aarch64 T="tests/checks/map tests/paired/real/real.t": some of them.
AARCH64_RUN = $(if $(T),$(filter $(addprefix %,$(T)),$(AARCH64_TESTS)),$(if $(QUICK),$(AARCH64_QUICK),$(AARCH64_TESTS)))
# Once more where pages have 64 KiB, as on many hosts of this machine: what maps memory, or looks at it page by page.
AARCH64_LARGE := $(BUILD)/tests/guest/unwinding $(addprefix $(BUILD)/tests/,checks/map checks/tables paired/memory softnpu/memory) \
	tests/model/every_call.bats tests/guest/registers.bats
AARCH64_LARGE_RUN = $(if $(T),$(filter $(addprefix %,$(T)),$(AARCH64_LARGE)),$(AARCH64_LARGE))

$(BUILD)/obj/launcher: tests/aarch64/launcher.c
	$(call say,HOSTCC,$@)mkdir -p $(@D) && $(HOSTCC) -std=gnu11 -D_GNU_SOURCE $(WARN) -O1 -static \
		-DROOT='"$(abspath $(BUILD))/emulated/root"' \
		-DLARGE_PAGES='"$(abspath $(BUILD))/tests/aarch64/large_pages.so"' -o $@ $<

$(BUILD)/obj/nothing.so:
	$(call say,HOSTCC,$@)mkdir -p $(@D) && $(HOSTCC) -shared -x c -o $@ /dev/null

# Of this machine they would do nothing.
$(BUILD)/tests/aarch64/%.so: $(BUILD)/obj/tests/aarch64/%.o
	$(call say,LD,$@)mkdir -p $(@D) && $(CC) -shared -o $@ $< -ldl
tests/aarch64/branch_protection.bats: $(BUILD)/tests/aarch64/guarded_pages.so $$(GUEST_PROGRAMS) $(BUILD)/tests/guest/heap

aarch64-tests: $$(AARCH64_RUN) $(AARCH64_LARGE_RUN) $(BUILD)/tests/aarch64/large_pages.so $(BUILD)/obj/launcher $(BUILD)/obj/nothing.so
	@tests/aarch64/mirror $(BUILD) $(BUILD)/obj/launcher $(BUILD)/obj/nothing.so
	@$(if $(AARCH64_RUN),,echo '$(T) is none of the tests that run under qemu' >&2; exit 2)
	@rm -rf $(BUILD)/tap $(BUILD)/tap-large && mkdir -p $(BUILD)/tap $(BUILD)/tap-large
	@$(call AARCH64_PROVE,tap) $(AARCH64_RUN)
	@$(if $(AARCH64_LARGE_RUN),echo 'pages of 64 KiB:'; TEST_EMULATOR_PAGES=65536 $(call AARCH64_PROVE,tap-large) $(AARCH64_LARGE_RUN))

AARCH64_PROVE = env $(TEST_ENV) CC='$(CURDIR)/tests/aarch64/compile $(CC)' CXX='$(CURDIR)/tests/aarch64/compile $(CXX)' \
	TEST_EMULATOR=qemu-aarch64-static TAP_DIR=$(BUILD)/$(1) TEST_SECONDS=$(TEST_SECONDS) \
	prove --exec tests/keep-tap --timer --merge -j$(PROVE_JOBS)
